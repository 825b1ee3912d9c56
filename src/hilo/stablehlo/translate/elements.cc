// SPDX-License-Identifier: Apache-2.0
// Elementwise operations that mean more in StableHLO than HLO's op of the name does, or something else.
#include <fmt/format.h>

#include <limits>

#include "hilo/hlo/ops/reduce.h"
#include "hilo/stablehlo/translate/steps.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// The unsigned type of so many bits.
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

/// Truth values of the last dimension as the bits of a number, the first the lowest.
Status join_bits(const OpContext& op, InstructionId x, const Shape& result, ElementType whole) {
  Steps s(op);
  const Shape wide = s.shape(x).with_element_type(whole);
  const InstructionId shifted = s.add(Opcode::kShiftLeft, {s.convert(x, whole), s.iota(wide, wide.rank() - 1)});
  auto attributes = std::make_shared<hlo::ReduceAttributes>();
  attributes->dimensions = {wide.rank() - 1};
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, hlo::scalar_binary_computation(Opcode::kAdd, whole));
  HILO_RETURN_IF_ERROR(s.status());
  const InstructionId sum =
      s.take(op.builder.add(Opcode::kReduce, {shifted, s.full(Shape::scalar(whole), 0)}, std::move(attributes)));
  return s.define(result.element_type() == whole ? sum : s.bitcast(sum, result.element_type()));
}

/// The bits of numbers as truth values in a new last dimension.
Status split_bits(const OpContext& op, InstructionId x, const Shape& result, ElementType whole) {
  Steps s(op);
  const InstructionId bits = s.shape(x).element_type() == whole ? x : s.bitcast(x, whole);
  const Shape wide = result.with_element_type(whole);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < s.shape(x).rank(); ++d) dimensions.push_back(d);
  HILO_RETURN_IF_ERROR(s.status());
  const InstructionId spread = s.take(add_broadcast(op, bits, dimensions, wide));
  const InstructionId shifted = s.add(Opcode::kShiftRightLogical, {spread, s.iota(wide, wide.rank() - 1)});
  const InstructionId lowest = s.add(Opcode::kAnd, {shifted, s.full(wide, 1)});
  return s.define(s.compare(lowest, "NE", s.full(wide, 0)));
}

bool is_complex_array(const Shape& shape) { return shape.is_array() && is_complex(shape.element_type()); }

/// The maximum or minimum of complex numbers, which are ordered by their real parts, then their imaginary ones.
InstructionId complex_extreme(Steps& s, Opcode opcode, InstructionId x, InstructionId y) {
  const std::string_view direction = opcode == Opcode::kMaximum ? "GT" : "LT";
  const InstructionId x_re = s.add(Opcode::kReal, {x}), y_re = s.add(Opcode::kReal, {y});
  const InstructionId x_im = s.add(Opcode::kImag, {x}), y_im = s.add(Opcode::kImag, {y});
  const InstructionId tie = s.add(Opcode::kAnd, {s.compare(x_re, "EQ", y_re), s.compare(x_im, direction, y_im)});
  const InstructionId first = s.add(Opcode::kOr, {s.compare(x_re, direction, y_re), tie});
  return s.add(Opcode::kSelect, {first, x, y});
}

}  // namespace

/// A truth value is one bit in StableHLO, a byte in HLO.
Status translate_bitcast(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  const Shape shape = op.builder.shape(x);
  const bool from_bits = shape.is_array() && shape.element_type() == ElementType::kPred && shape.rank() > 0;
  const bool to_bits = result.is_array() && result.element_type() == ElementType::kPred && result.rank() > 0;
  if (from_bits == to_bits) return translate_elementwise(op);
  const Shape &numbers = from_bits ? result : shape, &bits = from_bits ? shape : result;
  const std::optional<ElementType> whole =
      is_complex(numbers.element_type()) ? std::nullopt : unsigned_of(element_type_info(numbers.element_type()).bits);
  const bool fits =
      whole && bits.rank() == numbers.rank() + 1 && bits.dimension(bits.rank() - 1) == element_type_info(*whole).bits;
  if (!fits) return translate_elementwise(op);  // says what doesn't fit
  return from_bits ? join_bits(op, x, result, *whole) : split_bits(op, x, result, *whole);
}

/// Of complex numbers the principal root, as a power.
Status translate_cbrt(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  if (!is_complex_array(op.builder.shape(x))) return translate_elementwise(op);
  Steps s(op);
  return s.define(s.add(Opcode::kPower, {x, s.full_like(x, 1.0 / 3)}));
}

Status translate_extreme(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const InstructionId y, op.operand(1));
  if (!is_complex_array(op.builder.shape(x))) return translate_elementwise(op);
  Steps s(op);
  return s.define(complex_extreme(s, op.row.opcode, x, y));
}

Status translate_clamp(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape());
  for (InstructionId& operand : operands) {
    HILO_ASSIGN_OR_RETURN(operand, spread_scalar(op, operand, shape));
  }
  if (!is_complex_array(shape)) return op.add(Opcode::kClamp, operands);
  Steps s(op);
  const InstructionId raised = complex_extreme(s, Opcode::kMaximum, operands[1], operands[0]);
  return s.define(complex_extreme(s, Opcode::kMinimum, raised, operands[2]));
}

/// A complex number is true if its real part is; HLO looks at both.
Status translate_convert(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  const bool to_truth = result.is_array() && result.element_type() == ElementType::kPred;
  if (!to_truth || !is_complex_array(op.builder.shape(x))) return translate_elementwise(op);
  Steps s(op);
  return s.define(s.convert(s.add(Opcode::kReal, {x}), ElementType::kPred));
}

/// Without mantissa bits there is no NaN: it becomes infinity. HLO keeps it.
Status translate_reduce_precision(const OpContext& op) {
  HILO_RETURN_IF_ERROR(translate_plain(op));
  HILO_ASSIGN_OR_RETURN(const int64_t mantissa_bits, op.integer("mantissa_bits"));
  if (mantissa_bits != 0) return ok_status();
  HILO_ASSIGN_OR_RETURN(const InstructionId x, op.operand(0));
  const InstructionId reduced = op.translator.ids[op.tree().result(op.operation, 0)];
  Steps s(op);
  const InstructionId infinity = s.full_like(x, std::numeric_limits<double>::infinity());
  return s.define(s.add(Opcode::kSelect, {s.compare(x, "NE", x), infinity, reduced}));
}

}  // namespace hilo::stablehlo
