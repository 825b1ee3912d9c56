// SPDX-License-Identifier: Apache-2.0
// exp, expm1, tanh, logistic. All of them use e^x = 2^n * e^r with |r| <= ln(2)/2.
#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr double kLog2E = 0x1.71547652b82fep+0;

// (e^r - 1 - r) / r^2 on |r| <= 0.3476: minimax coefficients from a Remez fit, weighted so that e^r - 1 is accurate,
// too.
constexpr std::array<float, 6> kExpF32 = {0x1.000000p-1f, 0x1.555556p-3f,  0x1.5554acp-5f,
                                          0x1.11108ep-7f, 0x1.6d768ep-10f, 0x1.a1a3acp-13f};
constexpr std::array<double, 11> kExpF64 = {0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.555555555555ep-5,
                                            0x1.111111110ead1p-7,  0x1.6c16c16c1344ap-10, 0x1.a01a01b4137a0p-13,
                                            0x1.a01a01b4aed5fp-16, 0x1.71ddeeb4448f7p-19, 0x1.27e4be7e9940cp-22,
                                            0x1.af6e571240505p-26, 0x1.1f9ef449cf0a8p-29};

struct Reduced {
  Rounded n;    // x = n * ln(2) + r
  Value* tail;  // e^r - 1
};

// Splits ln(2) in two parts. The first is so short that n times it is exact, with and without FMA.
Reduced reduce(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  const bool wide = is_f64(x);
  Reduced reduced;
  reduced.n = round_product(b, x, kLog2E);
  Value* high = constant(b, x, wide ? -0x1.62e42fee00000p-1 : -0x1.63p-1);
  Value* low = constant(b, x, wide ? -0x1.a39ef35793c76p-33 : 0x1.bd0106p-13);
  Value* r = b.mul_add(reduced.n.value, high, x);
  r = b.mul_add(reduced.n.value, low, r);
  Value* q = wide ? b.polynomial(r, kExpF64) : b.polynomial(r, kExpF32);
  reduced.tail = b.mul_add(q, ir.CreateFMul(r, r), r);
  return reduced;
}

}  // namespace

Value* emit_exp(SimdBuilder& b, Value* x) {
  const bool wide = is_f64(x);
  Value* inside = at_most(b, at_least(b, x, wide ? -746.0 : -104.0), wide ? 710.0 : 89.0);
  Reduced reduced = reduce(b, inside);
  return scale_next_to_one(b, reduced.tail, reduced.n);
}

Value* emit_normal_exp(SimdBuilder& b, Value* x) {
  Reduced reduced = reduce(b, x);
  Value* power = power_of_two(b, reduced.n.integer);
  return b.mul_add(reduced.tail, power, power);
}

namespace {

// Computes e^x - 1 = 2^n * (e^r - 1) + (2^n - 1), with 2^(n-1) instead of 2^n so that n = 128 is no special case.
Value* expm1_inside(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Reduced reduced = reduce(b, x);
  Value* less = ir.CreateSub(reduced.n.integer, b.int_like(reduced.n.integer, 1));
  Value* half_power = power_of_two(b, less);
  Value* offset = ir.CreateFSub(half_power, constant(b, x, 0.5));
  Value* half = b.mul_add(half_power, reduced.tail, offset);
  return ir.CreateFAdd(half, half);
}

}  // namespace

Value* emit_expm1(SimdBuilder& b, Value* x) {
  const bool wide = is_f64(x);
  Value* inside = at_most(b, at_least(b, x, wide ? -38.0 : -18.0), wide ? 710.0 : 89.0);
  return b.copysign(expm1_inside(b, inside), x);
}

// With t = e^(2|x|) - 1, tanh |x| = t / (t + 2).
Value* emit_tanh(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = at_most(b, b.abs(x), is_f64(x) ? 20.0 : 10.0);
  Value* t = expm1_inside(b, ir.CreateFAdd(magnitude, magnitude));
  return b.copysign(ir.CreateFDiv(t, ir.CreateFAdd(t, constant(b, x, 2.0))), x);
}

// With t = e^-|x|, which can't overflow: q = 1 / (1 + t) for x >= 0. For x < 0, t - t q is more accurate than q = t /
// (1 + t): its two rounding errors are proportional to t.
Value* emit_logistic(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* one = constant(b, x, 1.0);
  Value* t = emit_exp(b, ir.CreateFNeg(b.abs(x)));
  Value* right = ir.CreateFCmpOGE(x, constant(b, x, 0.0));
  Value* quotient = ir.CreateFDiv(ir.CreateSelect(right, one, t), ir.CreateFAdd(one, t));
  return ir.CreateSelect(right, quotient, b.mul_add(ir.CreateFNeg(t), quotient, t));
}

}  // namespace hilo::cpu
