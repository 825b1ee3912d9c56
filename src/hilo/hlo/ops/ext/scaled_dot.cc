// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/scaled_dot.cc -- dot of narrow floats with one scale for each block of elements.
#include <fmt/format.h>

#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

Status check_scale(const Shape& x, const Shape& scale, std::string_view side) {
  bool fits = scale.rank() == 0 || scale.rank() == x.rank();
  for (int64_t d = 0; fits && d < scale.rank(); ++d)
    fits = scale.dimension(d) == x.dimension(d) || (scale.dimension(d) > 0 && x.dimension(d) % scale.dimension(d) == 0);
  if (fits && is_floating(scale.element_type())) return ok_status();
  return invalid_argument(fmt::format("the scale of {} is {}, wanted floats whose dimensions divide those of {}", side,
                                      scale.to_string(), x.to_string()));
}

StatusOr<Shape> infer_scaled_dot(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Shape declared, declared_array(input));
  if (!is_floating(declared.element_type()))
    return invalid_argument(fmt::format("the result is {}, wanted floats", declared.to_string()));
  HILO_RETURN_IF_ERROR(check_scale(input.operands[0], input.operands[2], "lhs"));
  HILO_RETURN_IF_ERROR(check_scale(input.operands[1], input.operands[3], "rhs"));
  const Shape operands[] = {input.operands[0].with_default_layout().with_element_type(declared.element_type()),
                            input.operands[1].with_default_layout().with_element_type(declared.element_type())};
  return op_def(Opcode::kDot).infer_shape({operands, input.attributes, nullptr});
}

/// Returns x times its scales, as `type`.
Expr scaled(Expr x, Expr scale, ElementType type) {
  const Shape shape = x.shape(), scales = scale.shape();
  Expr wide = convert(scale, type);
  if (scales.rank() == 0) {
    wide = broadcast(wide, shape.dimensions(), {});
  } else {  // each dimension becomes [scales, elements of a block]
    std::vector<int64_t> blocks;
    Int64List places;
    for (int64_t d = 0; d < scales.rank(); ++d) {
      places.push_back(blocks.size());
      blocks.push_back(scales.dimension(d));
      blocks.push_back(scales.dimension(d) == 0 ? 1 : shape.dimension(d) / scales.dimension(d));
    }
    wide = reshape(broadcast(wide, blocks, places), shape.dimensions());
  }
  return convert(x, type) * wide;
}

StatusOr<ComputationPtr> decompose_scaled_dot(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  const ElementType type = i.shape.element_type();
  const Expr lhs = scaled(d.operand(0), d.operand(2), type), rhs = scaled(d.operand(1), d.operand(3), type);
  return std::move(d).finish(d.add(Opcode::kDot, {lhs, rhs}, i.attributes, i.shape.with_default_layout()));
}

}  // namespace

/// scaled-dot(lhs, rhs, lhs_scale, rhs_scale): dot(lhs * lhs_scale, rhs * rhs_scale) in the result's type. Each scale
/// applies to a block: the dimensions of a scale divide the operand's. A scalar scale applies to all elements.
/// DotAttributes.
HILO_DEFINE_OP(scaled_dot_op, [] {
  OpDef def = dot_op();
  def.opcode = Opcode::kScaledDot;
  def.name = "scaled-dot";
  def.arity = 4;
  def.operand_types = kFloating;
  def.sharding = kUnshared;
  def.infer_shape = infer_scaled_dot;
  def.evaluate = nullptr;
  def.decompose = decompose_scaled_dot;
  def.spec = "scaled-dot";
  return def;
}())

}  // namespace hilo::hlo
