// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns whether `to` can represent every value of `from`.
bool is_lossless(ElementType from, ElementType to) {
  const ElementTypeInfo& a = element_type_info(from);
  const ElementTypeInfo& c = element_type_info(to);
  const std::optional<FloatFormat> to_float = float_format(to);
  switch (a.element_class) {
    case ElementClass::kPred:
      return c.element_class == ElementClass::kSigned || c.element_class == ElementClass::kUnsigned || to_float;
    case ElementClass::kSigned:
    case ElementClass::kUnsigned: {
      const int magnitude = a.bits - (a.element_class == ElementClass::kSigned ? 1 : 0);
      // f16 represents integers up to 2^11, and its range is wider; so only the mantissa matters, as for other floats.
      if (to_float) return magnitude <= to_float->mantissa_bits;
      if (c.element_class == ElementClass::kSigned) return magnitude <= c.bits - 1;
      return c.element_class == ElementClass::kUnsigned && a.element_class == ElementClass::kUnsigned &&
             a.bits <= c.bits;
    }
    case ElementClass::kFloat:
    case ElementClass::kComplex: {
      const std::optional<FloatFormat> from_float = float_format(from);
      if (a.element_class == ElementClass::kComplex && c.element_class != ElementClass::kComplex) return false;
      return from_float && to_float && from_float->exponent_bits <= to_float->exponent_bits &&
             from_float->mantissa_bits <= to_float->mantissa_bits;
    }
    case ElementClass::kOther: return false;
  }
  return false;
}

}  // namespace

InstructionId simplify_convert(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  // The type stays -> x.
  if (b.shape(x).element_type() == n.shape.element_type()) return x;
  const RewriteNode* first = match(b, x, Opcode::kConvert);
  if (first == nullptr) return kNoInstruction;
  // convert(convert(x)) -> convert(x) if the first conversion loses nothing. Conversions from float to integer
  // saturate, those between integers wrap. A detour over a float can only be skipped if neither can happen.
  const ElementType from = b.shape(first->operand(0)).element_type();
  const ElementType via = first->shape.element_type();
  const ElementType to = n.shape.element_type();
  if (!is_lossless(from, via)) return kNoInstruction;
  const bool via_float = float_format(via).has_value(), from_float = float_format(from).has_value();
  const bool to_integer = is_integer(n.shape);
  if (via_float && !from_float && to_integer && !is_lossless(from, to)) return kNoInstruction;
  // f4's largest number becomes an infinity only without the detour.
  if (from == ElementType::kF4E2M1Fn && to_integer) return kNoInstruction;
  return b.add(Opcode::kConvert, {first->operand(0)}, nullptr, n.shape);
}

InstructionId simplify_bitcast_convert(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  // The type stays -> x.
  if (b.shape(x) == n.shape) return x;
  // bitcast(bitcast(x)) -> x or one bitcast.
  if (const RewriteNode* first = match(b, x, Opcode::kBitcastConvert)) {
    if (b.shape(first->operand(0)) == n.shape) return first->operand(0);
  }
  return kNoInstruction;
}

}  // namespace hilo::hlo
