// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/nn.h"

#include "hilo/lax/elementwise.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::nn {
namespace {

/// x - max(x), the maximum taken as a constant: derivatives are the same, and shorter.
Array shifted(const Array& x, int64_t axis) { return x - stop_gradient(numpy::max(x, axis, /*keepdims=*/true)); }

}  // namespace

Array relu(const Operand& x) {
  const UserLocation here(x.location());
  // where, not maximum: the derivative at 0 is 0, as in jax.nn.
  return numpy::where(x.array() > 0.0f, x, 0.0f);
}

Array sigmoid(const Operand& x) { return lax::logistic(x); }

Array softmax(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const Array e = numpy::exp(shifted(x.array(), axis));
  return e / numpy::sum(e, axis, /*keepdims=*/true);
}

Array logsumexp(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const Array greatest = stop_gradient(numpy::max(x, axis, /*keepdims=*/true));
  const Array sum = numpy::sum(numpy::exp(x.array() - greatest), axis);
  return numpy::log(sum) + numpy::squeeze(greatest, axis);
}

Array log_softmax(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const Array s = shifted(x.array(), axis);
  return s - numpy::log(numpy::sum(numpy::exp(s), axis, /*keepdims=*/true));
}

Array one_hot(const Operand& labels, int64_t classes) {
  const UserLocation here(labels.location());
  const Array positions = numpy::arange(classes, labels.array().dtype());
  return numpy::astype(numpy::expand_dims(labels, -1) == positions, ElementType::kF32);
}

}  // namespace hilo::nn
