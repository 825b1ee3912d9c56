// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/activations.h"

#include <cmath>
#include <numbers>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/normal.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"

namespace hilo::nn {

Array identity(const Operand& x) { return x; }

Array relu(const Operand& x) {
  const UserLocation here(x.location());
  // maximum alone would have a derivative other than 0 at 0, unlike jax.nn. NaN propagates.
  return numpy::where(x.array() > 0, x, stop_gradient(numpy::maximum(x, 0)));
}

Array relu6(const Operand& x) {
  const UserLocation here(x.location());
  const Array inside = numpy::logical_and(x.array() > 0, x.array() < 6);
  return numpy::where(inside, x, stop_gradient(numpy::minimum(numpy::maximum(x, 0), 6.0)));
}

Array sigmoid(const Operand& x) { return lax::logistic(x); }
Array tanh(const Operand& x) { return numpy::tanh(x); }
Array softplus(const Operand& x) {
  const UserLocation here(x.location());
  if (is_complex(x.array().dtype())) return numpy::logaddexp(x, 0);
  static const auto f = custom_jvp([](const Array& a) {
                          return ops::max(a, ops::full_like(a, 0)) + numpy::log1p(numpy::exp(-ops::abs(a)));
                        }).defjvps([](const Array& t, const Array&, const Array& a) { return t * ops::logistic(a); });
  return f(numpy::promote_inexact(x.array(), 0).first);  // promotes like an operation with a number, as in JAX
}

Array sparse_plus(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  return numpy::where(a <= -1.0, 0.0, numpy::where(a >= 1.0, a, numpy::square(a + 1.0) / 4));
}

Array sparse_sigmoid(const Operand& x) {
  const UserLocation here(x.location());
  return 0.5 * numpy::clip(x.array() + 1.0, 0.0, 2.0);
}

Array soft_sign(const Operand& x) {
  const UserLocation here(x.location());
  // From 1 on, computes 1 minus the complement, which is a square; the derivative of the quotient would cancel.
  const Array a = numpy::promote_inexact(x.array(), 0).first;  // promotes like an operation with a number, as in JAX
  if (is_complex(a.dtype())) return a / (numpy::abs(a) + 1.0);
  const Array size = ops::abs(a), rest = 1.0 / (1.0 + size);
  return numpy::where(size < 1.0, a * rest, ops::sign(a) * (1.0 - rest));
}

Array silu(const Operand& x) {
  const UserLocation here(x.location());
  return x.array() * sigmoid(x);
}
Array swish(const Operand& x) { return silu(x); }

Array mish(const Operand& x) {
  const UserLocation here(x.location());
  return x.array() * numpy::tanh(softplus(x));
}

Array log_sigmoid(const Operand& x) {
  const UserLocation here(x.location());
  return -softplus(-x.array());
}

Array hard_tanh(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  return numpy::where(a > 1, 1, numpy::where(a < -1, -1, a));
}

Array hard_sigmoid(const Operand& x) {
  const UserLocation here(x.location());
  return relu6(x.array() + 3.0) / 6.0;
}

Array hard_silu(const Operand& x) {
  const UserLocation here(x.location());
  return x.array() * hard_sigmoid(x);
}
Array hard_swish(const Operand& x) { return hard_silu(x); }

Array selu(const Operand& x) {
  const UserLocation here(x.location());
  constexpr double kAlpha = 1.6732632423543772848, kScale = 1.0507009873554804934;
  return kScale * elu(x, kAlpha);
}

Array log1mexp(const Operand& x) {
  const UserLocation here(x.location());
  static const auto* const f =
      new auto(custom_jvp([](const Array& a) {
                 const Array near = a < std::numbers::ln2;
                 return numpy::where(near, numpy::log(-numpy::expm1(-a)), numpy::log1p(-numpy::exp(-a)));
               }).defjvps([](const Array& t, const Array&, const Array& a) {
        return t * (numpy::exp(-a) / -numpy::expm1(-a));  // exp(a) would overflow
      }));
  return (*f)(x.array());
}

Array elu(const Operand& x, const AlphaOptions& options) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  return numpy::where(a > 0, a, options.alpha * numpy::expm1(numpy::where(a > 0, 0.0, a)));
}

Array celu(const Operand& x, const AlphaOptions& options) {
  const UserLocation here(x.location());
  const Array low = numpy::minimum(x, 0.0);
  return numpy::maximum(x, 0.0) + options.alpha * numpy::expm1(low / options.alpha);
}

Array leaky_relu(const Operand& x, const LeakyReluOptions& options) {
  const UserLocation here(x.location());
  return numpy::where(x.array() >= 0, x, options.negative_slope * x.array());
}

Array squareplus(const Operand& x, const SquareplusOptions& options) {
  const UserLocation here(x.location());
  if (is_complex(x.array().dtype())) return (x.array() + numpy::sqrt(numpy::square(x) + options.b)) / 2;
  const bool pred = x.array().dtype() == ElementType::kPred;  // its square is an integer
  const auto [promoted, spread] =
      numpy::promote_inexact(pred ? ops::convert_element_type(x, ElementType::kS32) : x.array(), options.b);
  const bool narrow = element_size_bytes(promoted.dtype()) < 4;
  const auto widened = [&](const Array& v) {
    return ops::convert_element_type(v, narrow ? ElementType::kF32 : v.dtype());  // constants would widen a weak type
  };
  const Array a = widened(promoted), b = widened(spread);
  const Array root = numpy::hypot(a, numpy::sqrt(b)), right = a >= 0.0;  // for x < 0 the sum would cancel
  const Array left = 0.25 * b / numpy::where(right, 1.0, 0.5 * root - 0.5 * a);
  const Array value = numpy::where(right, 0.5 * a + 0.5 * root, left);
  return with_weak_type(ops::convert_element_type(value, promoted.dtype()), promoted.weak_type());
}

Array gelu(const Operand& x, const GeluOptions& options) {
  const UserLocation here(x.location());
  const Array a = numpy::promote_inexact(x);
  const bool narrow = element_size_bytes(a.dtype()) < 4;
  const Array wide = narrow ? ops::convert_element_type(a, ElementType::kF32) : a;
  if (options.approximate) {
    // Computes (1 + tanh(u)) / 2 without the sum, which cancels for negative u. Beyond 30 the result is constant;
    // clamping avoids overflow.
    const Array inside = is_complex(wide.dtype())
                             ? wide
                             : ops::clamp(ops::scalar(-30, wide.dtype()), wide, ops::scalar(30, wide.dtype()));
    const Array inner = std::sqrt(8 / std::numbers::pi) * (inside + 0.044715 * (inside * inside * inside));
    const Array value = wide * ops::logistic(inner);
    return with_weak_type(ops::convert_element_type(value, a.dtype()), false);  // never weakly typed, as in JAX
  }
  return with_weak_type(ops::convert_element_type(wide * lax::normal_distribution(wide), a.dtype()), false);
}

Array glu(const Operand& x, const GluOptions& options) {
  const UserLocation here(x.location());
  const int64_t axis = numpy::normal_axis(x, options.axis), half = x.array().shape(axis) / 2;
  if (x.array().shape(axis) % 2 != 0)
    or_throw(invalid_argument(at_user_line("glu") + ": the axis must have an even extent; got " +
                              x.array().aval_shape().to_string()));
  const std::vector<Array> halves = lax::split(x, {half, half}, axis);
  return halves[0] * sigmoid(halves[1]);
}

}  // namespace hilo::nn
