// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/multiply_high.h"

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/rewrite/rewrite_where.h"

namespace hilo::plugins {
namespace {

using hlo::Expr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

constexpr double kHalf = 32;                 // bits
constexpr double kLowerHalf = 4294967295.0;  // 2^32 - 1

/// Computes the upper half for numbers whose product fits in 64 bits.
Expr of_narrow(Expr x, Expr y) {
  const ElementType type = x.type();
  const bool with_sign = is_signed_integer(type);
  const ElementType wide = with_sign ? ElementType::kS64 : ElementType::kU64;
  const Expr product = hlo::convert(x, wide) * hlo::convert(y, wide);
  const Expr bits = hlo::full_like(product, element_type_info(type).bits);
  return hlo::convert(with_sign ? shift_right_arithmetic(product, bits) : shift_right_logical(product, bits), type);
}

/// Computes it for u64: the product of x = 2^32 a + b and y = 2^32 c + d is 2^64 a c + 2^32 (a d + b c) + b d.
Expr of_u64(Expr x, Expr y) {
  const auto upper = [](Expr v) { return shift_right_logical(v, hlo::full_like(v, kHalf)); };
  const auto lower = [](Expr v) { return bitwise_and(v, hlo::full_like(v, kLowerHalf)); };
  const Expr a = upper(x), b = lower(x), c = upper(y), d = lower(y);
  const Expr ad = a * d, bc = b * c;
  const Expr carried = upper(upper(b * d) + lower(ad) + lower(bc));
  return a * c + upper(ad) + upper(bc) + carried;
}

/// A negative x is 2^64 too large as u64, so the upper half is y too large.
Expr of_s64(Expr x, Expr y) {
  const Expr product = bitcast(of_u64(bitcast(x, ElementType::kU64), bitcast(y, ElementType::kU64)), ElementType::kS64);
  const Expr none = hlo::full_like(x, 0);
  return product - select(x < 0.0, y, none) - select(y < 0.0, x, none);
}

StatusOr<hlo::ComputationPtr> multiplications(const Instruction& i) {
  const Shape shapes[] = {i.shape, i.shape};
  hlo::Decomposition d(i, shapes);
  const Expr x = d.operand(0), y = d.operand(1);
  const ElementType type = i.shape.element_type();
  return std::move(d).finish(type == ElementType::kU64   ? of_u64(x, y)
                             : type == ElementType::kS64 ? of_s64(x, y)
                                                         : of_narrow(x, y));
}

bool is_multiply_high(const Instruction& i) { return i.opcode == Opcode::kMulhi; }

StatusOr<hlo::ComputationPtr> lowered(const hlo::ComputationPtr& computation) {
  const auto call = [](hlo::RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
    auto attributes = std::make_shared<hlo::CallAttributes>();
    HILO_ASSIGN_OR_RETURN(attributes->to_apply, multiplications(i));
    return b.add(Opcode::kCall, b.mapped(i.operands), std::move(attributes), i.shape);
  };
  return hlo::rewrite_where(computation, {.share = false}, is_multiply_high, call);
}

}  // namespace

Status lower_multiply_high(hlo::Module& program) { return hlo::rewrite_computations(program, lowered).status(); }

}  // namespace hilo::plugins
