// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/ragged_dot.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reduce.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kRaggedDotFields[] = {
    field<&RaggedDotAttributes::lhs_batch_dimensions>("lhs_batch_dims", FieldShow::kUnlessDefault),
    field<&RaggedDotAttributes::lhs_contracting_dimensions>("lhs_contracting_dims", FieldShow::kAlways),
    field<&RaggedDotAttributes::rhs_batch_dimensions>("rhs_batch_dims", FieldShow::kUnlessDefault),
    field<&RaggedDotAttributes::rhs_contracting_dimensions>("rhs_contracting_dims", FieldShow::kAlways),
    field<&RaggedDotAttributes::operand_precision>("operand_precision", FieldShow::kUnlessDefault),
    field<&RaggedDotAttributes::algorithm>("algorithm", FieldShow::kUnlessDefault, kDotAlgorithmNames),
    field<&RaggedDotAttributes::lhs_ragged_dimensions>("lhs_ragged_dims", FieldShow::kAlways),
    field<&RaggedDotAttributes::rhs_group_dimensions>("rhs_group_dims", FieldShow::kUnlessDefault),
};

enum class Mode : uint8_t { kKept, kContracted, kBatch };

Mode mode_of(const RaggedDotAttributes& a) {
  const int64_t ragged = a.lhs_ragged_dimensions[0];
  return contains(a.lhs_batch_dimensions, ragged)         ? Mode::kBatch
         : contains(a.lhs_contracting_dimensions, ragged) ? Mode::kContracted
                                                          : Mode::kKept;
}

/// Returns the dot that the op uses. lhs has an additional leading group dimension unless the mode is kBatch.
DotAttributes dot_of(const RaggedDotAttributes& a) {
  DotAttributes dot = a;
  const Mode mode = mode_of(a);
  if (mode == Mode::kBatch) return dot;
  for (Int64List* list : {&dot.lhs_batch_dimensions, &dot.lhs_contracting_dimensions}) {
    for (int64_t& d : *list) ++d;
  }
  if (mode == Mode::kKept) {
    dot.lhs_contracting_dimensions.push_back(0);
    dot.rhs_contracting_dimensions.push_back(a.rhs_group_dimensions[0]);
  }
  return dot;
}

StatusOr<Shape> with_groups(const Shape& lhs, int64_t groups) {
  std::vector<int64_t> sizes = {groups};
  sizes.insert(sizes.end(), lhs.dimensions().begin(), lhs.dimensions().end());
  return Shape::make_array(lhs.element_type(), sizes);
}

/// Returns the position of the group dimension in the dot's result, if the mode is kContracted.
int64_t group_place(const RaggedDotAttributes& a) { return std::ssize(a.lhs_batch_dimensions); }

Status check_ragged(const RaggedDotAttributes& a, std::span<const Shape> operands) {
  if (a.lhs_ragged_dimensions.size() != 1)
    return invalid_argument(
        fmt::format("lhs_ragged_dims: got {}, wanted exactly one", list_to_string(a.lhs_ragged_dimensions)));
  HILO_RETURN_IF_ERROR(check_dimension("lhs_ragged_dims", a.lhs_ragged_dimensions[0], operands[0]));
  HILO_RETURN_IF_ERROR(check_unique_dimensions("rhs_group_dims", a.rhs_group_dimensions, operands[1]));
  const size_t expected = mode_of(a) == Mode::kKept ? 1 : 0;
  if (a.rhs_group_dimensions.size() != expected)
    return invalid_argument(fmt::format("rhs_group_dims: got {}, wanted {}", list_to_string(a.rhs_group_dimensions),
                                        expected == 1 ? "one, for the ragged dimension is kept" : "none"));
  const Shape& sizes = operands[2];
  if (!is_integer(sizes.element_type()) || sizes.rank() == 0)
    return invalid_argument(fmt::format("group sizes are {}, wanted integers of rank 1", sizes.to_string()));
  if (sizes.rank() != 1)
    return unimplemented(fmt::format(
        "group sizes are {}: sizes that differ by batch are not implemented in this version", sizes.to_string()));
  if (expected == 1 && operands[1].dimension(a.rhs_group_dimensions[0]) != sizes.dimension(0))
    return invalid_argument(fmt::format("rhs has {} groups, there are {} sizes",
                                        operands[1].dimension(a.rhs_group_dimensions[0]), sizes.dimension(0)));
  return ok_status();
}

StatusOr<Shape> infer_ragged_dot(const ShapeRuleInput& input) {
  const auto& a = attributes_of<RaggedDotAttributes>(input);
  HILO_RETURN_IF_ERROR(check_ragged(a, input.operands));
  const DotAttributes dot = dot_of(a);
  const Mode mode = mode_of(a);
  Shape lhs = input.operands[0];
  if (mode != Mode::kBatch) {
    HILO_ASSIGN_OR_RETURN(lhs, with_groups(lhs, input.operands[2].dimension(0)));
  }
  const Shape operands[] = {lhs, input.operands[1]};
  std::optional<Shape> type;  // a dot may state its result's element type
  if (input.declared != nullptr && input.declared->is_array()) type = *input.declared;
  HILO_ASSIGN_OR_RETURN(Shape result, op_def(Opcode::kDot).infer_shape({operands, &dot, nullptr}));
  if (type) result = result.with_element_type(type->element_type());
  if (mode != Mode::kContracted) return result;
  std::vector<int64_t> sizes(result.dimensions().begin(), result.dimensions().end());
  const auto at = sizes.begin() + group_place(a);
  std::rotate(sizes.begin(), at, at + 1);
  return result.with_dimensions(sizes);
}

/// Returns pred[groups, length]: whether index m is in group g.
Expr membership(Expr group_sizes, int64_t length) {
  Sink& sink = *group_sizes.sink;
  const int64_t groups = group_sizes.shape().dimension(0);
  const Shape square = Shape::array(ElementType::kS64, {groups, groups});
  const Shape table = Shape::array(ElementType::kS64, {groups, length});
  const Expr sizes = convert(group_sizes, ElementType::kS64);
  const Expr before = iota(sink, square, 1) <= iota(sink, square, 0);
  const Expr ends = sum(select(before, broadcast(sizes, square.dimensions(), {1}), full(sink, square, 0)), {1});
  const Expr index = iota(sink, table, 1);
  const auto rows = [&](Expr x) { return broadcast(x, table.dimensions(), {0}); };
  return bitwise_and(index >= rows(ends - sizes), index < rows(ends));
}

/// Returns lhs once for each group, with zeros outside of the group.
StatusOr<Expr> grouped(Expr lhs, Expr group_sizes, const RaggedDotAttributes& a) {
  const int64_t ragged = a.lhs_ragged_dimensions[0];
  const Shape shape = lhs.shape();
  HILO_ASSIGN_OR_RETURN(const Shape wide, with_groups(shape, group_sizes.shape().dimension(0)));
  Int64List places;
  for (int64_t d = 0; d < shape.rank(); ++d) places.push_back(d + 1);
  const Expr mask = membership(group_sizes, shape.dimension(ragged));
  const Expr where = broadcast(mask, wide.dimensions(), {0, ragged + 1});
  return select(where, broadcast(lhs, wide.dimensions(), places), full(*lhs.sink, wide, 0));
}

StatusOr<ComputationPtr> decompose_ragged_dot(const Instruction& i, std::span<const Shape> operands) {
  const auto& a = attributes_of<RaggedDotAttributes>(i);
  const Mode mode = mode_of(a);
  Decomposition d(i, operands);
  Expr lhs = d.operand(0);
  if (mode != Mode::kBatch) {
    HILO_ASSIGN_OR_RETURN(lhs, grouped(lhs, d.operand(2), a));
  }
  const Shape flat = i.shape.with_default_layout();
  std::vector<int64_t> sizes(flat.dimensions().begin(), flat.dimensions().end());
  Int64List back;
  if (mode == Mode::kContracted) {
    std::rotate(sizes.begin(), sizes.begin() + 1, sizes.begin() + 1 + group_place(a));
    back.push_back(group_place(a));
    for (int64_t dimension = 0; dimension < flat.rank(); ++dimension) {
      if (dimension != group_place(a)) back.push_back(dimension);
    }
  }
  const Expr product =
      d.add(Opcode::kDot, {lhs, d.operand(1)}, std::make_shared<DotAttributes>(dot_of(a)), flat.with_dimensions(sizes));
  return std::move(d).finish(mode == Mode::kContracted ? transpose(product, back) : product);
}

}  // namespace

HILO_DEFINE_OP(ragged_dot_op, {.opcode = Opcode::kRaggedDot,
                               .name = "ragged-dot",
                               .arity = 3,
                               .operand_types = kAnyArray,
                               .cost = CostClass::kHero,
                               .sharding = kUnshared,
                               .infer_shape = infer_ragged_dot,
                               .attributes = attributes_def<RaggedDotAttributes>(kRaggedDotFields),
                               .decompose = decompose_ragged_dot,
                               .spec = "chlo.ragged_dot"})

}  // namespace hilo::hlo
