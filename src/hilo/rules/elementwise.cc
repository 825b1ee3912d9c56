// SPDX-License-Identifier: Apache-2.0
// rules/elementwise.cc -- derivative, transpose and batching rules of the elementwise ops, in alphabetical order.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "hilo/lax/special.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/slopes.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {

using namespace lax;
namespace {

using hlo::Opcode;
using namespace hilo::ops;  // the rules are formulas of these wrappers
using Partial = Array (*)(const Array& t, const Array& x, const Array& y, const Array& out);

// ---- jvp ------------------------------------------------------------------------------------------------------------

/// Computes a slope in the type of its arguments; for f16 and bf16 in f32, like the functions.
template <typename F, typename... Arrays>
Array slope_of(const F& slope, const Array& x, const Arrays&... rest) {
  const ElementType type = x.dtype();
  if (type != ElementType::kF16 && type != ElementType::kBf16) return slope(x, rest...);
  const auto wide = [](const Array& a) { return convert_element_type(a, ElementType::kF32); };
  return convert_element_type(slope(wide(x), wide(rest)...), type);
}

/// tangent = t * derivative(x, out).
template <Array (*kDerivative)(const Array& x, const Array& out)>
JvpResult unary_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  return {{out}, {mul(tangents[0].value(), slope_of(kDerivative, operation.operands[0], out))}};
}

/// Applies the same op to the tangent: for linear unary ops.
JvpResult linear_unary_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Operation on_tangent = operation;
  on_tangent.operands = {tangents[0].value()};
  return {bind(operation), {bind(on_tangent)[0]}};
}

/// Sums the contributions of the operands with nonzero tangents.
template <Partial kX, Partial kY>
JvpResult binary_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array& x = operation.operands[0];
  const Array& y = operation.operands[1];
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = kX(tangents[0].value(), x, y, out);
  if (!tangents[1].is_zero()) tangent = add_tangents(tangent, kY(tangents[1].value(), x, y, out));
  return {{out}, {tangent}};
}

Array one_plus(const Array& x) { return add(full_like(x, 1), x); }

/// Returns 1 where x is the selected extreme, 1/2 where x and y are equal, 0 elsewhere.
Array share_of_extreme(const Array& x, const Array& out, const Array& y) {
  return select(eq(x, out), select(eq(y, out), full_like(x, 0.5), full_like(x, 1)), full_like(x, 0));
}

/// For ops without a derivative with respect to their first operand; `slope` is that of the second.
template <Array (*kSlope)(const Array& x, const Array& y)>
JvpResult second_operand_jvp(const Operation& operation, std::span<const Tangent> tangents, std::string_view first) {
  if (!tangents[0].is_zero()) {
    or_throw(unimplemented(fmt::format("{} ({}): no derivative with respect to {}. Hint: pass it through stop_gradient",
                                       hlo::opcode_name(operation.opcode), UserLocation::describe(), first)));
  }
  const Array slope = kSlope(operation.operands[0], operation.operands[1]);
  return {bind(operation), {mul(tangents[1].value(), slope)}};
}
Array polygamma_slope(const Array& n, const Array& x) { return polygamma(one_plus(n), x); }
JvpResult polygamma_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return second_operand_jvp<polygamma_slope>(operation, tangents, "n");
}
Array zeta_slope(const Array& x, const Array& q) { return mul(neg(x), zeta(one_plus(x), q)); }
JvpResult zeta_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return second_operand_jvp<zeta_slope>(operation, tangents, "x");
}

/// The tangent times the slope with respect to one operand.
using BinarySlope = Array (*)(const Array& x, const Array& y, const Array& out);
template <BinarySlope kSlope>
Array tie_part(const Array& t, const Array& x, const Array& y, const Array& out) {
  return mul(t, slope_of(kSlope, x, y, out));
}

JvpResult select_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  const Aval aval{out.aval_shape(), false};
  return {{out}, {select(operation.operands[0], materialize(tangents[1], aval), materialize(tangents[2], aval))}};
}

/// Between its bounds the tangent is that of x; at or beyond a bound it is that of the bound.
JvpResult clamp_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  const Array& x = operation.operands[1];
  const auto like_x = [&](const Array& bound) {
    return bound.ndim() == x.ndim() ? bound
                                    : broadcast_in_dim(bound, x.aval_shape().with_element_type(bound.dtype()), {});
  };
  const Array low = like_x(operation.operands[0]);
  const Array high = like_x(operation.operands[2]);
  const auto part = [&](const Tangent& t, const Array& where) -> Tangent {
    if (t.is_zero()) return {};
    return select(where, like_x(t.value()), full_like(x, 0));
  };
  const Array inside = bitwise_and(gt(x, low), lt(x, high));
  Tangent tangent = part(tangents[1], inside);
  tangent = add_tangents(tangent, part(tangents[0], gt(low, x)));
  tangent = add_tangents(tangent, part(tangents[2], lt(high, x)));
  return {{out}, {tangent}};
}

JvpResult convert_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  if (!has_tangent(out.dtype())) return {{out}, {Tangent()}};
  return {{out}, {convert_element_type(tangents[0].value(), out.dtype())}};
}

JvpResult complex_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  const Aval aval = operation.operands[0].aval();
  return {{out}, {complex(materialize(tangents[0], aval), materialize(tangents[1], aval))}};
}

JvpResult abs_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  const Array& x = operation.operands[0];
  const Array& t = tangents[0].value();
  // The slope is 1 at 0, as in JAX.
  if (!is_complex(x.dtype())) return {{out}, {select(ge(x, full_like(x, 0)), t, neg(t))}};
  // d|z| = Re(conj(z) dz) / |z|, and 0 at 0.
  const Array along = direction(x);
  return {{out}, {add(mul(real(along), real(t)), mul(imag(along), imag(t)))}};
}

/// For real x the slope is 0; z / |z| rotates by Im(conj(z) dz) / |z|^2.
JvpResult sign_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  const Array& z = operation.operands[0];
  if (!is_complex(z.dtype())) return {{out}, {Tangent()}};
  const Array& t = tangents[0].value();
  const Array x = real(out), y = imag(out), size = abs(z), zero = full_like(size, 0);
  const Array across = sub(mul(x, imag(t)), mul(y, real(t)));
  const Array turn = div(across, select(eq(size, zero), full_like(size, 1), size));
  return {{out}, {complex(neg(mul(y, turn)), mul(x, turn))}};
}

// ---- transpose ------------------------------------------------------------------------------------------------------

/// The tangent of x * y + z isn't fused: the op guarantees only the rounding of its own result.
JvpResult fma_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<Array>& operands = operation.operands;
  Tangent tangent = tangents[2];
  if (!tangents[0].is_zero()) tangent = add_tangents(tangent, mul(tangents[0].value(), operands[1]));
  if (!tangents[1].is_zero()) tangent = add_tangents(tangent, mul(operands[0], tangents[1].value()));
  return {bind(operation), {tangent}};
}

void copy_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) { out.add(0, cts[0].value()); }
void neg_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) { out.add(0, neg(cts[0].value())); }
void add_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, cts[0].value());
  out.add(1, cts[0].value());
}
void sub_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, cts[0].value());
  if (out.wants(1)) out.add(1, neg(cts[0].value()));
}
void mul_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  if (out.wants(0)) out.add(0, mul(cts[0].value(), operation.operands[1]));
  else out.add(1, mul(operation.operands[0], cts[0].value()));
}
void div_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, div(cts[0].value(), operation.operands[1]));
}
void select_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  const Array zero = full_like(ct, 0);
  if (out.wants(1)) out.add(1, select(operation.operands[0], ct, zero));
  if (out.wants(2)) out.add(2, select(operation.operands[0], zero, ct));
}
void convert_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, convert_element_type(cts[0].value(), operation.operands[0].dtype()));
}
void reduce_precision_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  Operation on_cotangent = operation;
  on_cotangent.operands = {cts[0].value()};
  out.add(0, bind(on_cotangent)[0]);
}
void real_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  out.add(0, is_complex(operation.operands[0].dtype()) ? complex(ct, full_like(ct, 0)) : ct);
}
void imag_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  if (!is_complex(operation.operands[0].dtype())) return;  // the imaginary part of a real number is always 0
  out.add(0, complex(full_like(cts[0].value(), 0), neg(cts[0].value())));
}
void complex_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, real(cts[0].value()));
  if (out.wants(1)) out.add(1, neg(imag(cts[0].value())));
}

// ---- batch ----------------------------------------------------------------------------------------------------------

/// Moves the batch axis of every operand to the front; broadcasts scalars next to arrays (select's predicate, clamp's
/// bounds).
BatchResult elementwise_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  int64_t rank = 0;
  std::vector<int64_t> extents;
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const Array& x = operation.operands[i];
    const int64_t own = x.ndim() - (dims[i] ? 1 : 0);
    if (own < rank || (i > 0 && own == rank)) continue;
    rank = own;
    extents.assign(x.shape().begin(), x.shape().end());
    if (dims[i]) extents.erase(extents.begin() + *dims[i]);
  }
  extents.insert(extents.begin(), context.axis_size);
  Operation batched = operation;
  for (size_t i = 0; i < batched.operands.size(); ++i) {
    Array& x = batched.operands[i];
    const bool lone_scalar = x.ndim() - (dims[i] ? 1 : 0) == 0 && rank > 0;
    if (lone_scalar && !dims[i]) continue;  // an unbatched scalar remains a scalar
    x = batch_axis_at(x, dims[i], 0, context.axis_size);
    if (lone_scalar) x = broadcast_in_dim(x, Shape::array(x.dtype(), extents), {0});
  }
  if (batched.declared) batched.declared = Shape::array(batched.declared->element_type(), extents);
  return {bind(batched), {0}};
}

constexpr Rule<BatchFunction> kBatch = elementwise_batch;
constexpr Rules kNoSlope = {Nonlinear{}, Nonlinear{}, kBatch};

using Derivative = Array (*)(const Array& x, const Array& out);
template <Derivative kDerivative>
constexpr Rules unary() {
  return {unary_jvp<kDerivative>, Nonlinear{}, kBatch};
}
template <Partial kX, Partial kY>
constexpr Rules binary(Rule<TransposeFunction> transpose = Nonlinear{}) {
  return {binary_jvp<kX, kY>, transpose, kBatch};
}
Array pass(const Array& t, const Array&, const Array&, const Array&) { return t; }

}  // namespace

// d out = t * f(x, out)
const Rules acos_rules = unary<acos_slope>();
const Rules acosh_rules = unary<acosh_slope>();
const Rules asin_rules = unary<asin_slope>();
const Rules asinh_rules = unary<asinh_slope>();
const Rules atan_rules = unary<atan_slope>();
const Rules atanh_rules = unary<atanh_slope>();
const Rules bessel_i0e_rules = unary<bessel_i0e_slope>();
const Rules bessel_i1e_rules = unary<bessel_i1e_slope>();
const Rules cbrt_rules = unary<cbrt_slope>();
const Rules cos_rules = unary<[](const Array& x, const Array&) { return neg(sin(x)); }>();
const Rules cosh_rules = unary<[](const Array& x, const Array&) { return sinh(x); }>();
const Rules digamma_rules = unary<digamma_slope>();
const Rules erf_rules = unary<erf_slope>();
const Rules erf_inv_rules = unary<erf_inv_slope>();
const Rules erfc_rules = unary<erfc_slope>();
const Rules exp_rules = unary<[](const Array&, const Array& out) { return out; }>();
const Rules expm1_rules = unary<[](const Array& x, const Array&) { return exp(x); }>();
const Rules lgamma_rules = unary<[](const Array& x, const Array&) { return digamma(x); }>();
const Rules log_rules = unary<[](const Array& x, const Array&) { return reciprocal(x); }>();
const Rules log1p_rules = unary<[](const Array& x, const Array&) { return reciprocal(one_plus(x)); }>();
const Rules logistic_rules = unary<logistic_slope>();
const Rules logistic_slope_rules = unary<logistic_slope_slope>();
const Rules rsqrt_rules =
    unary<[](const Array& x, const Array& out) { return mul(full_like(x, -0.5), div(out, x)); }>();
const Rules sin_rules = unary<[](const Array& x, const Array&) { return cos(x); }>();
const Rules sinh_rules = unary<[](const Array& x, const Array&) { return cosh(x); }>();
const Rules sqrt_rules = unary<[](const Array&, const Array& out) { return div(full_like(out, 0.5), out); }>();
const Rules tan_rules = unary<tan_slope>();
const Rules tanh_rules = unary<tanh_slope>();

// d out = f(t of x, x, y, out) + g(t of y, x, y, out)
const Rules add_rules = binary<pass, pass>(add_transpose);
const Rules atan2_rules = binary<tie_part<atan2_first_slope>, tie_part<atan2_second_slope>>();
const Rules div_rules =
    binary<[](const Array& t, const Array&, const Array& y, const Array&) { return div(t, y); },
           [](const Array& t, const Array&, const Array& y, const Array& out) { return mul(neg(t), div(out, y)); }>(
        div_transpose);
const Rules max_rules = binary<[](const Array& t, const Array& x, const Array& y, const Array& out) {
  return mul(t, share_of_extreme(x, out, y));
},
                               [](const Array& t, const Array& x, const Array& y, const Array& out) {
                                 return mul(t, share_of_extreme(y, out, x));
                               }>();
const Rules min_rules = max_rules;
const Rules mul_rules =
    binary<[](const Array& t, const Array&, const Array& y, const Array&) { return mul(t, y); },
           [](const Array& t, const Array& x, const Array&, const Array&) { return mul(x, t); }>(mul_transpose);
const Rules pow_rules = binary<tie_part<pow_base_slope>, tie_part<pow_exponent_slope>>();
const Rules rem_rules = binary<pass, tie_part<rem_divisor_slope>>();
const Rules polygamma_rules = {polygamma_jvp, Nonlinear{}, kBatch};
const Rules sub_rules =
    binary<pass, [](const Array& t, const Array&, const Array&, const Array&) { return neg(t); }>(sub_transpose);
const Rules xla_erf_inv_rules = unary<erf_inv_slope>();
const Rules zeta_rules = {zeta_jvp, Nonlinear{}, kBatch};

// Linear ops and those with individual rules.
const Rules abs_rules = {abs_jvp, Nonlinear{}, kBatch};
const Rules clamp_rules = {clamp_jvp, Nonlinear{}, kBatch};
const Rules complex_rules = {complex_jvp, complex_transpose, kBatch};
const Rules convert_rules = {convert_jvp, convert_transpose, kBatch};
const Rules copy_rules = {linear_unary_jvp, copy_transpose, kBatch};
const Rules fma_rules = {fma_jvp, Nonlinear{}, kBatch};
const Rules imag_rules = {linear_unary_jvp, imag_transpose, kBatch};
const Rules neg_rules = {linear_unary_jvp, neg_transpose, kBatch};
const Rules real_rules = {linear_unary_jvp, real_transpose, kBatch};
const Rules reduce_precision_rules = {linear_unary_jvp, reduce_precision_transpose, kBatch};
const Rules sign_rules = {sign_jvp, Nonlinear{}, kBatch};
const Rules select_rules = {select_jvp, select_transpose, kBatch};

// Integers, predicates, and step functions, whose derivative is zero wherever it exists.
const Rules bitwise_and_rules = kNoSlope;
const Rules bitwise_not_rules = kNoSlope;
const Rules bitwise_or_rules = kNoSlope;
const Rules bitwise_xor_rules = kNoSlope;
const Rules ceil_rules = kNoSlope;
const Rules clz_rules = kNoSlope;
const Rules compare_rules = kNoSlope;
const Rules floor_rules = kNoSlope;
const Rules is_finite_rules = kNoSlope;
const Rules mulhi_rules = kNoSlope;
const Rules nextafter_rules = kNoSlope;
const Rules population_count_rules = kNoSlope;
const Rules round_away_from_zero_rules = kNoSlope;
const Rules round_to_even_rules = kNoSlope;
const Rules shift_left_rules = kNoSlope;
const Rules shift_right_arithmetic_rules = kNoSlope;
const Rules shift_right_logical_rules = kNoSlope;

}  // namespace hilo::rules
