// SPDX-License-Identifier: Apache-2.0
// Quantized types. HLO has the stored integers; their real values are (stored - zero point) * scale.
#include "hilo/stablehlo/translate/quantized.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/stablehlo/translate/op_sink.h"

namespace hilo::stablehlo {

using hlo::Expr;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Broadcasts a parameter to the elements of x: one number per slice of the axis, or one for all.
Expr parameter_of(OpSink& sink, const std::vector<double>& values, int64_t axis, Expr x) {
  if (values.size() == 1) return full_like(x, values[0]);
  const Shape shape = x.shape();
  const int64_t count = values.size();
  if (axis < 0 || axis >= shape.rank() || shape.dimension(axis) != count) {
    sink.fail(invalid_argument(
        fmt::format("{} doesn't have {} slices along its quantized dimension {}", shape.to_string(), count, axis)));
    return x;
  }
  Literal table(Shape::array(ElementType::kF64, {count}));
  std::copy(values.begin(), values.end(), table.data<double>().begin());
  return sink.spread(convert(sink.constant(table), shape.element_type()), {axis}, shape);
}

Expr dequantized(OpSink& sink, Expr stored, const Quantization& q) {
  const Expr x = convert(stored, q.expressed);
  const Expr zero = parameter_of(sink, q.zero_points, q.axis, x), scale = parameter_of(sink, q.scales, q.axis, x);
  return (x - zero) * scale;
}

/// Returns the nearest stored integer, with ties to even, clamped to the range of the storage type.
Expr quantized(OpSink& sink, Expr x, const Quantization& q, ElementType storage) {
  const Expr whole = round_to_even(x / parameter_of(sink, q.scales, q.axis, x));
  const Expr moved = whole + parameter_of(sink, q.zero_points, q.axis, x);
  const Expr least = full_like(x, q.least), greatest = full_like(x, q.greatest);
  return convert(clamp(least, moved, greatest), storage);
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
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  if (op.operation.results.count != 1) return invalid_argument("wanted one result");
  const Type& result = result_type(op, 0);
  if (result.quantization == nullptr) return invalid_argument("the result is not quantized");
  OpSink sink(op);
  Expr x = sink.at(operand);
  if (const auto& from = operand_type(op, 0).quantization; from != nullptr) x = dequantized(sink, x, *from);
  return sink.define(quantized(sink, x, *result.quantization, result.element));
}

Status translate_dequantize(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  const auto& from = operand_type(op, 0).quantization;
  if (from == nullptr) return invalid_argument("the operand is not quantized");
  OpSink sink(op);
  return sink.define(dequantized(sink, sink.at(x), *from));
}

/// Translates other operations on real values: dequantizes the operands and quantizes the results.
Status translate_on_real_values(const OpContext& op) {
  if (op.operation.regions.count != 0) return unimplemented("regions with quantized types");
  OpSink sink(op);
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
      op.translator.ids[value] = dequantized(sink, sink.at(own->second), *operand_type(op, i).quantization).id;
  }
  HILO_RETURN_IF_ERROR(sink.status());
  OpContext real = op;
  real.on_real_values = true;
  const Status done = op.row.translate(real);
  for (const auto& [value, id] : stored) op.translator.ids[value] = id;
  HILO_RETURN_IF_ERROR(done);
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    const Type& type = result_type(op, i);
    if (type.quantization == nullptr) continue;
    const InstructionId id = op.translator.ids[op.tree().result(op.operation, i)];
    sink.define(i, quantized(sink, sink.at(id), *type.quantization, type.element));
  }
  return sink.status();
}

}  // namespace hilo::stablehlo
