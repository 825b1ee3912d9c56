// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/stop.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/long_sums.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reducer_kernels.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kReduceFields[] = {
    field<&ReduceAttributes::dimensions>("dimensions", FieldShow::kAlways),
    field<&ReduceAttributes::to_apply>("to_apply", FieldShow::kAlways),
};

DimensionList remaining_dimensions(int64_t rank, std::span<const int64_t> reduced) {
  DimensionList remaining;
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(reduced, d)) remaining.push_back(d);
  }
  return remaining;
}

StatusOr<Shape> infer_reduce(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<ReduceAttributes>(input);
  HILO_ASSIGN_OR_RETURN(const size_t n, check_reduction_operands(input.operands, false));  // reduce_c1, c3
  const std::span<const Shape> arrays = input.operands.first(n), initials = input.operands.subspan(n);
  HILO_RETURN_IF_ERROR(
      check_unique_dimensions("dimensions", attributes.dimensions, arrays[0]));  // reduce_c4, reduce_c5
  // reduce_c6. It implies reduce_c2, except for an accumulator that the body widens.
  boost::container::small_vector<Shape, 4> parameters(initials.begin(), initials.end());
  for (const Shape& array : arrays) parameters.push_back(Shape::scalar(array.element_type()));
  HILO_RETURN_IF_ERROR(check_called("to_apply", attributes.to_apply, parameters, one_or_tuple(initials)));
  // reduce_c7, reduce_c8
  DimensionList sizes = remaining_dimensions(arrays[0].rank(), attributes.dimensions);
  for (int64_t& d : sizes) d = arrays[0].dimension(d);
  boost::container::small_vector<Shape, 4> results;
  for (const Shape& initial : initials) {
    HILO_ASSIGN_OR_RETURN(const Shape result, Shape::make_array(initial.element_type(), sizes));
    results.push_back(result);
  }
  return one_or_tuple(results);
}

/// The index spaces of one reduction: the start of each result's elements in the arrays, and their offsets from there.
struct Spaces {
  std::vector<int64_t> remaining_sizes;
  std::vector<int64_t> starts;   ///< one per result element
  std::vector<int64_t> offsets;  ///< one per reduced element, row-major
};

Spaces spaces_of(const Shape& array, std::span<const int64_t> reduced) {
  Int64List order(reduced.begin(), reduced.end());
  std::ranges::sort(order);
  const DimensionList remaining = remaining_dimensions(array.rank(), reduced);
  return {select_values(array.dimensions(), remaining), offsets_over(array, remaining), offsets_over(array, order)};
}

/// Reduces one array with a recognized body, in values of type A. Returns false if there is no such operation on them.
template <typename T, typename A>
bool reduce_in(ReducerKind kind, const Spaces& spaces, const Literal& array, const Literal& initial, Literal& result) {
  A (*operation)(A, A) = operation_of<A>(kind);
  if (operation == nullptr) return false;
  const std::span<const T> in = array.data<T>();
  const std::span<T> out = result.data<T>();
  const A first = static_cast<A>(initial.data<T>()[0]);
  const StopFlag stop;
  for (size_t r = 0; r < spaces.starts.size() && !stop.raised(); ++r) {
    PairwiseFold<A> fold(operation);
    for (int64_t offset : spaces.offsets) fold.take(static_cast<A>(in[spaces.starts[r] + offset]));
    out[r] = static_cast<T>(fold.value(first));
  }
  return true;
}

/// The accumulator of products. Their relative errors add up, so products of f32 and narrower floats use double.
template <typename T>
bool reduce_known(ReducerKind kind, const Spaces& spaces, const Literal& array, const Literal& initial,
                  Literal& result) {
  if constexpr (std::is_same_v<T, float> || computes_in_float<T>) {
    if (kind == ReducerKind::kMultiply) return reduce_in<T, double>(kind, spaces, array, initial, result);
  }
  return reduce_in<T, Accumulator<T>>(kind, spaces, array, initial, result);
}

/// Reduces with any body: a left fold from the initial values, in row-major order.
Status reduce_generic(const EvaluateInput& input, const Spaces& spaces, std::vector<Literal>& results) {
  const Computation& body = *attributes_of<ReduceAttributes>(input.instruction).to_apply;
  const size_t n = results.size();
  std::vector<Shape> scalars;
  for (size_t i = 0; i < n; ++i) scalars.push_back(Shape::scalar(input.operands[i]->shape().element_type()));
  for (size_t r = 0; r < spaces.starts.size(); ++r) {
    std::vector<Literal> values;
    for (size_t i = 0; i < n; ++i) values.push_back(*input.operands[n + i]);
    for (int64_t offset : spaces.offsets) {
      for (size_t i = 0; i < n; ++i)
        values.push_back(load_element(*input.operands[i], spaces.starts[r] + offset, scalars[i]));
      std::vector<const Literal*> arguments;
      for (const Literal& value : values) arguments.push_back(&value);
      HILO_ASSIGN_OR_RETURN(Literal folded, input.run(body, arguments));
      values = split_results(std::move(folded), n);
    }
    for (size_t i = 0; i < n; ++i) store_element(results[i].mutable_bytes(), r, values[i]);
  }
  return ok_status();
}

StatusOr<Literal> evaluate_reduce(const EvaluateInput& input) {
  const auto& attributes = attributes_of<ReduceAttributes>(input.instruction);
  const size_t n = input.operands.size() / 2;
  const Spaces spaces = spaces_of(input.operands[0]->shape(), attributes.dimensions);
  std::vector<Literal> results;
  for (size_t i = 0; i < n; ++i) {
    HILO_ASSIGN_OR_RETURN(Literal result, Literal::make(Shape::array(input.operands[n + i]->shape().element_type(),
                                                                     spaces.remaining_sizes)));
    results.push_back(std::move(result));
  }
  const ElementType type = input.operands[0]->shape().element_type();
  const bool same_type = input.operands[n]->shape().element_type() == type;
  const bool done = n == 1 && same_type &&
                    visit_array_type(
                        type,
                        [&]<typename T>() {
                          return reduce_known<T>(attributes.to_apply->reducer_kind(), spaces, *input.operands[0],
                                                 *input.operands[1], results[0]);
                        },
                        [] { return false; });
  if (!done) HILO_RETURN_IF_ERROR(reduce_generic(input, spaces, results));
  return join_results(std::move(results));
}

void reduce_rule(RuleBuilder& builder) {
  const Int64List& reduced = attributes_of<ReduceAttributes>(builder.instruction).dimensions;
  const size_t arrays = builder.operands.size() / 2;  // the initial values follow the arrays
  int64_t place = 0;
  for (int64_t d = 0; d < builder.operands[0].rank(); ++d) {
    const bool away = std::ranges::find(reduced, d) != reduced.end();
    const int factor =
        builder.factor(builder.operands[0].dimension(d), away ? FactorKind::kReduction : FactorKind::kPass);
    for (size_t i = 0; i < arrays; ++i) {
      builder.operand(i, d, factor);
      if (!away) builder.result(i, place, factor);
    }
    place += away ? 0 : 1;
  }
}

void reduce_on_parts(LocalBuilder& builder) {
  const ReducerKind kind = attributes_of<ReduceAttributes>(builder.instruction).to_apply->reducer_kind();
  const bool chooses = kind == ReducerKind::kArgMax || kind == ReducerKind::kArgMin;
  const bool named =
      builder.op.rule.operands.size() == 2 && neutral_value(kind, builder.instruction.shape.element_type()).has_value();
  summing_factors(builder, chooses || named);
}

}  // namespace

StatusOr<size_t> check_reduction_operands(std::span<const Shape> operands, bool same_types) {
  if (operands.empty() || operands.size() % 2 != 0) {
    return invalid_argument(fmt::format("got {} operands, wanted n arrays and n initial values", operands.size()));
  }
  const size_t n = operands.size() / 2;
  for (size_t i = 0; i < n; ++i) {
    const Shape &array = operands[i], &initial = operands[n + i];
    if (!std::ranges::equal(array.dimensions(), operands[0].dimensions())) {
      return invalid_argument(fmt::format("arrays differ in shape; operand 0 is {}, operand {} is {}",
                                          operands[0].to_string(), i, array.to_string()));
    }
    if (!initial.is_scalar() || (same_types && initial.element_type() != array.element_type())) {
      return invalid_argument(fmt::format(
          "initial value {} is {}, wanted the scalar {}[]. Hint: operands are all arrays, then all initial values", i,
          initial.to_string(), element_type_name(array.element_type())));
    }
  }
  return n;
}

HILO_DEFINE_OP(reduce_op, {.opcode = Opcode::kReduce,
                           .name = "reduce",
                           .arity = -1,
                           .operand_types = kAnyArray,
                           .cost = CostClass::kExpensive,
                           .sharding = {reduce_rule, reduce_on_parts},
                           .infer_shape = infer_reduce,
                           .attributes = attributes_def<ReduceAttributes>(kReduceFields),
                           .evaluate = evaluate_reduce,
                           .spec = "reduce"})

}  // namespace hilo::hlo
