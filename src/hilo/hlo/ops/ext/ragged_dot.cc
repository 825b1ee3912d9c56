// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/ragged_dot.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/steps.h"
#include "hilo/hlo/ops/reduce.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kFields[] = {
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
  return contains_value(a.lhs_batch_dimensions, ragged)         ? Mode::kBatch
         : contains_value(a.lhs_contracting_dimensions, ragged) ? Mode::kContracted
                                                                : Mode::kKept;
}

/// The plain dot that the op is made of. lhs has a group dimension in front unless the mode is kBatch.
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

/// Where the group dimension stands in the dot's result, if the mode is kContracted.
int64_t group_place(const RaggedDotAttributes& a) { return static_cast<int64_t>(a.lhs_batch_dimensions.size()); }

Status check_ragged(const RaggedDotAttributes& a, std::span<const Shape> operands) {
  if (a.lhs_ragged_dimensions.size() != 1)
    return invalid_argument(
        fmt::format("lhs_ragged_dims: got {}, wanted exactly one", list_to_string(a.lhs_ragged_dimensions)));
  HILO_RETURN_IF_ERROR(check_dimension("lhs_ragged_dims", a.lhs_ragged_dimensions[0], operands[0]));
  HILO_RETURN_IF_ERROR(check_unique_dimensions("rhs_group_dims", a.rhs_group_dimensions, operands[1]));
  const size_t wanted = mode_of(a) == Mode::kKept ? 1 : 0;
  if (a.rhs_group_dimensions.size() != wanted)
    return invalid_argument(fmt::format("rhs_group_dims: got {}, wanted {}", list_to_string(a.rhs_group_dimensions),
                                        wanted == 1 ? "one, for the ragged dimension is kept" : "none"));
  const Shape& sizes = operands[2];
  if (!is_integer(sizes.element_type()) || sizes.rank() == 0)
    return invalid_argument(fmt::format("group sizes are {}, wanted integers of rank 1", sizes.to_string()));
  if (sizes.rank() != 1)
    return unimplemented(fmt::format(
        "group sizes are {}: sizes that differ by batch are not implemented in this version", sizes.to_string()));
  if (wanted == 1 && operands[1].dimension(a.rhs_group_dimensions[0]) != sizes.dimension(0))
    return invalid_argument(fmt::format("rhs has {} groups, there are {} sizes",
                                        operands[1].dimension(a.rhs_group_dimensions[0]), sizes.dimension(0)));
  return ok_status();
}

StatusOr<Shape> infer_ragged_dot(const ShapeRuleInput& input) {
  const auto& a = static_cast<const RaggedDotAttributes&>(*input.attributes);
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

/// pred[groups, length]: is index m in group g?
InstructionId membership(Steps& s, InstructionId group_sizes, int64_t length) {
  const int64_t groups = s.shape(group_sizes).dimension(0);
  const Shape square = Shape::array(ElementType::kS64, {groups, groups});
  const Shape table = Shape::array(ElementType::kS64, {groups, length});
  const InstructionId sizes = s.convert(group_sizes, ElementType::kS64);
  const auto compared = [&](InstructionId x, ComparisonDirection direction, InstructionId y) {
    return s.add_with<CompareAttributes>(Opcode::kCompare, {x, y}, [&](auto& c) { c.direction = direction; });
  };
  const InstructionId before = compared(s.iota(square, 1), ComparisonDirection::kLe, s.iota(square, 0));
  const InstructionId kept =
      s.add(Opcode::kSelect, {before, s.broadcast(sizes, square.dimensions(), {1}), s.full(square, 0)});
  const StatusOr<ComputationPtr> sum = scalar_binary_computation(Opcode::kAdd, ElementType::kS64);
  if (!sum.ok()) s.fail(sum.status());
  const InstructionId zero = s.constant(Literal::scalar<int64_t>(0));
  const InstructionId ends = s.add_with<ReduceAttributes>(Opcode::kReduce, {kept, zero}, [&](auto& r) {
    r.dimensions = {1};
    if (sum.ok()) r.to_apply = *sum;
  });
  const InstructionId begins = s.add(Opcode::kSubtract, {ends, sizes});
  const InstructionId index = s.iota(table, 1);
  const auto rows = [&](InstructionId x) { return s.broadcast(x, table.dimensions(), {0}); };
  return s.add(Opcode::kAnd, {compared(index, ComparisonDirection::kGe, rows(begins)),
                              compared(index, ComparisonDirection::kLt, rows(ends))});
}

/// lhs once for each group, with zeros outside the group.
StatusOr<InstructionId> grouped(Steps& s, const RaggedDotAttributes& a) {
  const int64_t ragged = a.lhs_ragged_dimensions[0];
  const Shape lhs = s.shape(s.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape wide, with_groups(lhs, s.shape(s.operand(2)).dimension(0)));
  Int64List places;
  for (int64_t d = 0; d < lhs.rank(); ++d) places.push_back(d + 1);
  const InstructionId mask = membership(s, s.operand(2), lhs.dimension(ragged));
  const InstructionId where = s.broadcast(mask, wide.dimensions(), {0, ragged + 1});
  return s.add(Opcode::kSelect, {where, s.broadcast(s.operand(0), wide.dimensions(), places), s.full(wide, 0)});
}

StatusOr<ComputationPtr> decompose_ragged_dot(const Instruction& i, std::span<const Shape> operands) {
  const auto& a = attributes_of<RaggedDotAttributes>(i);
  const Mode mode = mode_of(a);
  Steps s(i, operands);
  InstructionId lhs = s.operand(0);
  if (mode != Mode::kBatch) {
    HILO_ASSIGN_OR_RETURN(lhs, grouped(s, a));
  }
  const Shape flat = i.shape.with_default_layout();
  std::vector<int64_t> sizes(flat.dimensions().begin(), flat.dimensions().end());
  Int64List back;
  if (mode == Mode::kContracted) {
    std::rotate(sizes.begin(), sizes.begin() + 1, sizes.begin() + 1 + group_place(a));
    back.push_back(group_place(a));
    for (int64_t d = 0; d < flat.rank(); ++d) {
      if (d != group_place(a)) back.push_back(d);
    }
  }
  InstructionId root =
      s.add(Opcode::kDot, {lhs, s.operand(1)}, std::make_shared<DotAttributes>(dot_of(a)), flat.with_dimensions(sizes));
  if (mode == Mode::kContracted) root = s.transpose(root, back);
  return std::move(s).finish(root);
}

}  // namespace

const OpDef& ragged_dot_op() {
  static const OpDef definition = {.opcode = Opcode::kRaggedDot,
                                   .name = "ragged-dot",
                                   .arity = 3,
                                   .operand_types = kAnyArray,
                                   .traits = kNoTraits,
                                   .cost = CostClass::kHero,
                                   .infer_shape = infer_ragged_dot,
                                   .fields = kFields,
                                   .make_attributes = make_attributes_of<RaggedDotAttributes>,
                                   .copy_attributes = copy_attributes_of<RaggedDotAttributes>,
                                   .evaluate = nullptr,
                                   .decompose = decompose_ragged_dot,
                                   .spec = "chlo.ragged_dot"};
  return definition;
}

}  // namespace hilo::hlo
