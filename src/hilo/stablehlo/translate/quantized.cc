// SPDX-License-Identifier: Apache-2.0
// Quantised types. HLO has the integers that are stored; their real values are (stored - zero point) * scale.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/stablehlo/translate/steps.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// One number a slice of the axis, or one for all, over `shape`.
InstructionId parameter(Steps& s, const OpContext& op, const std::vector<double>& values, int64_t axis,
                        const Shape& shape) {
  if (values.size() == 1) return s.full(shape, values[0]);
  const auto count = static_cast<int64_t>(values.size());
  if (axis < 0 || axis >= shape.rank() || shape.dimension(axis) != count) {
    s.take(invalid_argument(
        fmt::format("{} has not {} slices along its quantised dimension {}", shape.to_string(), count, axis)));
    return 0;
  }
  Literal table(Shape::array(ElementType::kF64, {count}));
  std::copy(values.begin(), values.end(), table.data<double>().begin());
  const InstructionId row = s.convert(op.builder.constant(table), shape.element_type());
  return s.take(add_broadcast(op, row, {axis}, shape));
}

InstructionId dequantized(Steps& s, const OpContext& op, InstructionId stored, const Quantization& q) {
  const InstructionId x = s.convert(stored, q.expressed);
  const Shape shape = s.shape(x);
  const InstructionId distance = s.add(Opcode::kSubtract, {x, parameter(s, op, q.zero_points, q.axis, shape)});
  return s.add(Opcode::kMultiply, {distance, parameter(s, op, q.scales, q.axis, shape)});
}

/// The nearest stored integer, ties to even, no further than the storage type's ends.
InstructionId quantized(Steps& s, const OpContext& op, InstructionId x, const Quantization& q, ElementType storage) {
  const Shape shape = s.shape(x);
  const InstructionId steps = s.add(Opcode::kDivide, {x, parameter(s, op, q.scales, q.axis, shape)});
  const InstructionId whole = s.add(Opcode::kRoundNearestEven, {steps});
  const InstructionId moved = s.add(Opcode::kAdd, {whole, parameter(s, op, q.zero_points, q.axis, shape)});
  return s.convert(s.add(Opcode::kClamp, {s.full(shape, q.least), moved, s.full(shape, q.greatest)}), storage);
}

const Type& operand_type(const OpContext& op, uint32_t i) {
  return op.tree().type_of(op.tree().operand(op.operation, i));
}
const Type& result_type(const OpContext& op, uint32_t i) {
  return op.tree().type_of(op.tree().result(op.operation, i));
}

}  // namespace

bool is_quantized(const ModuleTree& tree, const Operation& operation) {
  for (uint32_t i = 0; i < operation.operands.count; ++i) {
    if (tree.type_of(tree.operand(operation, i)).quantization != nullptr) return true;
  }
  for (uint32_t i = 0; i < operation.results.count; ++i) {
    if (tree.type_of(tree.result(operation, i)).quantization != nullptr) return true;
  }
  return false;
}

Status translate_quantize(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionId x, op.operand(0));
  if (op.operation.results.count != 1) return invalid_argument("wanted one result");
  const Type& result = result_type(op, 0);
  if (result.quantization == nullptr) return invalid_argument("the result is not quantised");
  Steps s(op);
  if (const auto& from = operand_type(op, 0).quantization; from != nullptr) x = dequantized(s, op, x, *from);
  return s.define(quantized(s, op, x, *result.quantization, result.element));
}

Status translate_dequantize(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  const auto& from = operand_type(op, 0).quantization;
  if (from == nullptr) return invalid_argument("the operand is not quantised");
  Steps s(op);
  return s.define(dequantized(s, op, x, *from));
}

/// Any other operation computes on the real values: its operands are dequantised, its results quantised.
Status translate_on_real_values(const OpContext& op) {
  if (op.operation.regions.count != 0) return unimplemented("regions over quantised types");
  Steps s(op);
  std::vector<std::pair<ValueId, InstructionId>> stored;
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    const auto& q = operand_type(op, i).quantization;
    if (q == nullptr) continue;
    HILO_ASSIGN_OR_RETURN(const InstructionId id, op.operand(i));
    stored.emplace_back(op.tree().operand(op.operation, i), id);
  }
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    const ValueId value = op.tree().operand(op.operation, i);
    const auto own = std::find_if(stored.begin(), stored.end(), [&](const auto& pair) { return pair.first == value; });
    if (own != stored.end())
      op.translator.ids[value] = dequantized(s, op, own->second, *operand_type(op, i).quantization);
  }
  HILO_RETURN_IF_ERROR(s.status());
  OpContext real = op;
  real.on_real_values = true;
  const Status done = op.row.translate(real);
  for (const auto& [value, id] : stored) op.translator.ids[value] = id;
  HILO_RETURN_IF_ERROR(done);
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    const Type& type = result_type(op, i);
    if (type.quantization == nullptr) continue;
    const InstructionId id = op.translator.ids[op.tree().result(op.operation, i)];
    op.define(i, quantized(s, op, id, *type.quantization, type.element));
  }
  return s.status();
}

}  // namespace hilo::stablehlo
