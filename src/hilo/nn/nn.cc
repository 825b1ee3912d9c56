// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/nn.h"

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::nn {
namespace {

/// The greatest along an axis, which stays with extent 1: -inf of nothing. A constant for derivatives, which are the same
/// then, and shorter.
Array greatest(const Array& x, int64_t axis) {
  const int64_t at = numpy::normal_axis(x, axis);
  return stop_gradient(numpy::expand_dims(ops::reduce_max(x, {at}), at));
}

Array shifted(const Array& x, int64_t axis) { return x - greatest(x, axis); }

}  // namespace

Array relu(const Operand& x) {
  const UserLocation here(x.location());
  // Not maximum alone: the derivative at 0 is 0, as in jax.nn, and NaN stays NaN.
  return numpy::where(x.array() > 0, x, stop_gradient(numpy::maximum(x, 0)));
}

Array sigmoid(const Operand& x) { return lax::logistic(x); }

Array softmax(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const Array e = numpy::exp(shifted(numpy::promote_inexact(x), axis));
  return e / numpy::sum(e, axis, /*keepdims=*/true);
}

Array logsumexp(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const Array a = numpy::promote_inexact(x);
  const Array top = greatest(a, axis);
  // An infinite top is not taken off: inf - inf is NaN.
  const Array shift = ops::select(ops::is_finite(top), top, ops::full_like(top, 0));
  return numpy::log(numpy::sum(numpy::exp(a - shift), axis)) + numpy::squeeze(shift, axis);
}

Array log_softmax(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const Array s = shifted(numpy::promote_inexact(x), axis);
  return s - numpy::log(numpy::sum(numpy::exp(s), axis, /*keepdims=*/true));
}

Array one_hot(const Operand& labels, int64_t classes, numpy::Dtype type) {
  const UserLocation here(labels.location());
  if (classes < 0)
    or_throw(invalid_argument(at_user_line("one_hot") + ": the number of classes must not be negative; got " +
                              std::to_string(classes)));
  const ElementType wanted = numpy::type_or("one_hot", type, default_float());
  const Array positions = ops::iota(Shape::array(labels.array().dtype(), {classes}), 0);
  return ops::convert_element_type(numpy::expand_dims(labels, -1) == positions, wanted);
}

}  // namespace hilo::nn
