// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/dot.h"

#include <fmt/format.h>

#include "hilo/base/stop.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/long_sums.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kDotFields[] = {
    field<&DotAttributes::lhs_batch_dimensions>("lhs_batch_dims", FieldShow::kUnlessDefault),
    field<&DotAttributes::lhs_contracting_dimensions>("lhs_contracting_dims", FieldShow::kAlways),
    field<&DotAttributes::rhs_batch_dimensions>("rhs_batch_dims", FieldShow::kUnlessDefault),
    field<&DotAttributes::rhs_contracting_dimensions>("rhs_contracting_dims", FieldShow::kAlways),
    field<&DotAttributes::operand_precision>("operand_precision", FieldShow::kUnlessDefault),
    field<&DotAttributes::algorithm>("algorithm", FieldShow::kUnlessDefault, kDotAlgorithmNames),
};

Status check_side(const Shape& shape, std::string_view batch_field, const Int64List& batch,
                  std::string_view contracting_field, const Int64List& contracting) {
  HILO_RETURN_IF_ERROR(check_unique_dimensions(batch_field, batch, shape));              // dot_general_c5, c7
  HILO_RETURN_IF_ERROR(check_unique_dimensions(contracting_field, contracting, shape));  // dot_general_c6, c8
  return check_disjoint(batch_field, batch, contracting_field, contracting);             // dot_general_c3, c4
}

Status check_equal_sizes(std::string_view what, const Shape& lhs, const Int64List& lhs_dims, const Shape& rhs,
                         const Int64List& rhs_dims) {
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const int64_t l = lhs.dimension(lhs_dims[i]), r = rhs.dimension(rhs_dims[i]);
    if (l == r) continue;
    return invalid_argument(fmt::format(
        "{} dimensions differ; lhs {} dim {} = {}, rhs {} dim {} = {}. Hint: transpose or reshape one operand", what,
        lhs.to_string(), lhs_dims[i], l, rhs.to_string(), rhs_dims[i], r));
  }
  return ok_status();
}

StatusOr<Shape> infer_dot(const ShapeRuleInput& input) {
  const auto& a = attributes_of<DotAttributes>(input);
  const Shape &lhs = input.operands[0], &rhs = input.operands[1];
  HILO_RETURN_IF_ERROR(
      check_side(lhs, "lhs_batch_dims", a.lhs_batch_dimensions, "lhs_contracting_dims", a.lhs_contracting_dimensions));
  HILO_RETURN_IF_ERROR(
      check_side(rhs, "rhs_batch_dims", a.rhs_batch_dimensions, "rhs_contracting_dims", a.rhs_contracting_dimensions));
  // dot_general_c1, c2
  HILO_RETURN_IF_ERROR(
      check_same_size("lhs_batch_dims", a.lhs_batch_dimensions, "rhs_batch_dims", a.rhs_batch_dimensions));
  HILO_RETURN_IF_ERROR(check_same_size("lhs_contracting_dims", a.lhs_contracting_dimensions, "rhs_contracting_dims",
                                       a.rhs_contracting_dimensions));
  // dot_general_c9, c10
  HILO_RETURN_IF_ERROR(check_equal_sizes("batch", lhs, a.lhs_batch_dimensions, rhs, a.rhs_batch_dimensions));
  HILO_RETURN_IF_ERROR(
      check_equal_sizes("contracting", lhs, a.lhs_contracting_dimensions, rhs, a.rhs_contracting_dimensions));
  HILO_RETURN_IF_ERROR(check_precision(a.operand_precision));                             // dot_general_c11
  HILO_ASSIGN_OR_RETURN(const ElementType type, product_type(lhs, rhs, input.declared));  // dot_general_c13
  // dot_general_c12
  DimensionList sizes;
  for (int64_t d : a.lhs_batch_dimensions) sizes.push_back(lhs.dimension(d));
  for (int64_t d : free_dimensions(lhs.rank(), a.lhs_batch_dimensions, a.lhs_contracting_dimensions))
    sizes.push_back(lhs.dimension(d));
  for (int64_t d : free_dimensions(rhs.rank(), a.rhs_batch_dimensions, a.rhs_contracting_dimensions))
    sizes.push_back(rhs.dimension(d));
  return Shape::make_array(type, sizes);
}

/// Offsets of one operand's elements, by role.
struct Side {
  std::vector<int64_t> batch, free, contracting;
};

Side side_of(const Shape& shape, const Int64List& batch, const Int64List& contracting) {
  return {offsets_over(shape, batch), offsets_over(shape, free_dimensions(shape.rank(), batch, contracting)),
          offsets_over(shape, contracting)};
}

template <typename R>
constexpr bool kHasShortSums = std::is_same_v<R, float> || std::is_same_v<R, double> || is_complex(element_type_of<R>);

/// Operands of the result's type with a short contraction.
template <typename Sum, typename R>
void short_dot(std::span<const R> lhs, std::span<const R> rhs, const Side& l, const Side& r, std::span<R> out) {
  size_t at = 0;
  const StopFlag stop;
  for (size_t b = 0; b < l.batch.size(); ++b) {
    for (int64_t m : l.free) {
      for (int64_t n : r.free) {
        if (stop.raised()) return;
        Sum sum;
        for (size_t k = 0; k < l.contracting.size(); ++k)
          sum.take(lhs[l.batch[b] + m + l.contracting[k]], rhs[r.batch[b] + n + r.contracting[k]]);
        out[at++] = sum.value();
      }
    }
  }
}

template <typename R>
Status dot_kernel(const EvaluateInput& input, const Side& l, const Side& r, Literal& result) {
  using A = kernels::Accumulator<R>;
  if constexpr (kHasShortSums<R>) {
    const bool same = input.operands[0]->shape().element_type() == element_type_of<R> &&
                      input.operands[1]->shape().element_type() == element_type_of<R>;
    if (same && std::ssize(l.contracting) <= kernels::kMaxShortSum) {
      const bool is_vector = l.free.size() == 1 && r.free.size() != 1;
      const auto run = is_vector ? short_dot<kernels::ShortVectorSum<R>, R> : short_dot<kernels::ShortSum<R>, R>;
      run(input.operands[0]->data<R>(), input.operands[1]->data<R>(), l, r, result.data<R>());
      return ok_status();
    }
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<A> lhs, kernels::widened<A>("dot", *input.operands[0]));
  HILO_ASSIGN_OR_RETURN(const std::vector<A> rhs, kernels::widened<A>("dot", *input.operands[1]));
  const std::span<R> out = result.data<R>();
  size_t at = 0;
  const StopFlag stop;
  for (size_t b = 0; b < l.batch.size(); ++b) {
    for (int64_t m : l.free) {
      for (int64_t n : r.free) {
        if (stop.raised()) return ok_status();
        PairwiseFold<A> sum(kernels::add<A>);
        for (size_t k = 0; k < l.contracting.size(); ++k) {
          const A x = lhs[l.batch[b] + m + l.contracting[k]];
          const A y = rhs[r.batch[b] + n + r.contracting[k]];
          sum.take(kernels::multiply<A>(x, y));
        }
        out[at++] = kernels::narrow<R>(sum.value(A{}));
      }
    }
  }
  return ok_status();
}

StatusOr<Literal> evaluate_dot(const EvaluateInput& input) {
  const auto& a = attributes_of<DotAttributes>(input.instruction);
  const Shape shape = literal_shape(input.instruction.shape);
  if (shape.element_count() == 0) return Literal::make(shape);  // an extent may be 2^40
  const Side l = side_of(input.operands[0]->shape(), a.lhs_batch_dimensions, a.lhs_contracting_dimensions);
  const Side r = side_of(input.operands[1]->shape(), a.rhs_batch_dimensions, a.rhs_contracting_dimensions);
  return evaluate_product(input, [&]<typename S>(Literal& sums) { return dot_kernel<S>(input, l, r, sums); });
}

void dot_rule(RuleBuilder& builder) {
  const auto& dot = attributes_of<DotAttributes>(builder.instruction);
  const Shape left = builder.operands[0], right = builder.operands[1];
  int64_t place = 0;
  for (size_t i = 0; i < dot.lhs_batch_dimensions.size(); ++i) {
    const int batch = builder.factor(left.dimension(dot.lhs_batch_dimensions[i]));
    builder.operand(0, dot.lhs_batch_dimensions[i], batch);
    builder.operand(1, dot.rhs_batch_dimensions[i], batch);
    builder.result(0, place++, batch);
  }
  for (const int64_t d : free_dimensions(left.rank(), dot.lhs_batch_dimensions, dot.lhs_contracting_dimensions))
    builder.pair(0, d, 0, place++);
  for (const int64_t d : free_dimensions(right.rank(), dot.rhs_batch_dimensions, dot.rhs_contracting_dimensions))
    builder.pair(1, d, 0, place++);
  for (size_t i = 0; i < dot.lhs_contracting_dimensions.size(); ++i) {
    const int summed = builder.factor(left.dimension(dot.lhs_contracting_dimensions[i]), FactorKind::kReduction);
    builder.operand(0, dot.lhs_contracting_dimensions[i], summed);
    builder.operand(1, dot.rhs_contracting_dimensions[i], summed);
  }
}

void dot_on_parts(LocalBuilder& builder) {
  summing_factors(builder, builder.instruction.shape.element_type() != ElementType::kPred);
}

}  // namespace

Int64List free_dimensions(int64_t rank, const Int64List& batch, const Int64List& contracting) {
  Int64List free;
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(batch, d) && !contains(contracting, d)) free.push_back(d);
  }
  return free;
}

HILO_DEFINE_OP(dot_op, {.opcode = Opcode::kDot,
                        .name = "dot",
                        .arity = 2,
                        .operand_types = kAnyArray,
                        .cost = CostClass::kHero,
                        .sharding = {dot_rule, dot_on_parts},
                        .infer_shape = infer_dot,
                        .attributes = attributes_def<DotAttributes>(kDotFields),
                        .evaluate = evaluate_dot,
                        .spec = "dot_general"})

}  // namespace hilo::hlo
