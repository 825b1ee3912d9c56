// SPDX-License-Identifier: Apache-2.0
// Elementwise operations whose meaning in StableHLO differs from that of the HLO op with the same name.
#include "hilo/stablehlo/translate/elements.h"

#include <fmt/format.h>

#include <limits>

#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/op_sink.h"
#include "hilo/stablehlo/translate/plain.h"
#include "hilo/stablehlo/translate/refined.h"

namespace hilo::stablehlo {

using hlo::Expr;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Returns the unsigned type with that number of bits.
std::optional<ElementType> unsigned_of(int bits) {
  switch (bits) {
    case 2: return ElementType::kU2;
    case 4: return ElementType::kU4;
    case 8: return ElementType::kU8;
    case 16: return ElementType::kU16;
    case 32: return ElementType::kU32;
    case 64: return ElementType::kU64;
    default: return std::nullopt;
  }
}

/// Combines truth values of the last dimension to the bits of a number, lowest bit first.
Status join_bits(const OpContext& op, InstructionId truths, const Shape& result, ElementType whole) {
  OpSink sink(op);
  const Expr bits = convert(sink.at(truths), whole);
  const int64_t last = bits.shape().rank() - 1;
  const Expr number = sum(shift_left(bits, iota(sink, bits.shape(), last)), {last});
  return sink.define(result.element_type() == whole ? number : bitcast(number, result.element_type()));
}

/// Splits numbers into bits, as truth values in a new last dimension.
Status split_bits(const OpContext& op, InstructionId numbers, const Shape& result, ElementType whole) {
  OpSink sink(op);
  const Expr x = sink.at(numbers), bits = x.type() == whole ? x : bitcast(x, whole);
  const Shape wide = result.with_element_type(whole);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < x.shape().rank(); ++d) dimensions.push_back(d);
  const Expr places = iota(sink, wide, wide.rank() - 1);
  const Expr shifted = shift_right_logical(sink.spread(bits, dimensions, wide), places);
  return sink.define(bitwise_and(shifted, full(sink, wide, 1)) != 0);
}

bool is_complex_array(const Shape& shape) { return shape.is_array() && is_complex(shape.element_type()); }

/// Returns the maximum or minimum of complex numbers, ordered by their real parts, then by their imaginary parts.
Expr complex_extreme(Opcode opcode, Expr x, Expr y) {
  using enum hlo::ComparisonDirection;
  const auto direction = opcode == Opcode::kMaximum ? kGt : kLt;
  const Expr real_x = real(x), real_y = real(y), imag_x = imag(x), imag_y = imag(y);
  const Expr same = real_x == real_y;
  const Expr tie = bitwise_and(same, compare(imag_x, direction, imag_y));
  return select(bitwise_or(compare(real_x, direction, real_y), tie), x, y);
}

}  // namespace

/// A truth value is one bit in StableHLO, but a byte in HLO.
Status translate_bitcast(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  const Shape shape = op.builder.shape(x);
  const bool open = op.translator.refines() && has_unknown_sizes(op);
  HILO_ASSIGN_OR_RETURN(const Shape result, open ? bitcast_shape(op, shape) : op.result_shape());
  const bool from_bits = shape.is_array() && shape.element_type() == ElementType::kPred && shape.rank() > 0;
  const bool to_bits = result.is_array() && result.element_type() == ElementType::kPred && result.rank() > 0;
  if (from_bits == to_bits) return translate_elementwise(op);
  const Shape &numbers = from_bits ? result : shape, &bits = from_bits ? shape : result;
  const std::optional<ElementType> whole =
      is_complex(numbers.element_type()) ? std::nullopt : unsigned_of(element_type_info(numbers.element_type()).bits);
  const bool fits =
      whole && bits.rank() == numbers.rank() + 1 && bits.dimension(bits.rank() - 1) == element_type_info(*whole).bits;
  if (!fits) return translate_elementwise(op);  // reports what doesn't match
  return from_bits ? join_bits(op, x, result, *whole) : split_bits(op, x, result, *whole);
}

/// For complex numbers the principal root, computed as a power.
Status translate_cbrt(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  if (!is_complex_array(op.builder.shape(x))) return translate_elementwise(op);
  OpSink sink(op);
  const Expr z = sink.at(x);
  return sink.define(pow(z, full_like(z, 1.0 / 3)));
}

Status translate_extreme(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const InstructionId y, op.operand(1));
  if (!is_complex_array(op.builder.shape(x))) return translate_elementwise(op);
  OpSink sink(op);
  return sink.define(complex_extreme(op.row.opcode, sink.at(x), sink.at(y)));
}

Status translate_clamp(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape());
  for (InstructionId& operand : operands) {
    HILO_ASSIGN_OR_RETURN(operand, spread_scalar(op, operand, shape));
  }
  if (!is_complex_array(shape)) return op.add(Opcode::kClamp, operands);
  OpSink sink(op);
  const Expr raised = complex_extreme(Opcode::kMaximum, sink.at(operands[1]), sink.at(operands[0]));
  return sink.define(complex_extreme(Opcode::kMinimum, raised, sink.at(operands[2])));
}

/// A complex number is true if its real part is nonzero; HLO uses both parts.
Status translate_convert(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  const bool to_truth = result.is_array() && result.element_type() == ElementType::kPred;
  if (!to_truth || !is_complex_array(op.builder.shape(x))) return translate_elementwise(op);
  OpSink sink(op);
  return sink.define(convert(real(sink.at(x)), ElementType::kPred));
}

/// Without mantissa bits there is no NaN, so it becomes infinity. HLO keeps NaN.
Status translate_reduce_precision(const OpContext& op) {
  HILO_RETURN_IF_ERROR(translate_plain(op));
  HILO_ASSIGN_OR_RETURN(const int64_t mantissa_bits, op.integer("mantissa_bits"));
  if (mantissa_bits != 0) return ok_status();
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  OpSink sink(op);
  const Expr x = sink.at(operand), reduced = sink.at(op.translator.ids[op.tree().result(op.operation, 0)]);
  const Expr infinity = full_like(x, std::numeric_limits<double>::infinity());
  return sink.define(select(x != x, infinity, reduced));
}

}  // namespace hilo::stablehlo
