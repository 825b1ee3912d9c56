// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/normalization.h"

#include "hilo/lax/shape.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/numpy/weighted_exponents.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::nn {
namespace {

/// Returns the maximum along axes, which stay with extent 1; -inf for no elements. stop_gradient, because the
/// derivative is the same without it.
Array greatest(const Array& x, const Axes& axis, const std::optional<Array>& where) {
  const numpy::MaxOptions options = {.axis = axis, .keepdims = true, .initial = -numpy::inf, .where = where};
  return stop_gradient(numpy::max(x, options));
}

Array sum_of(const Array& x, const Axes& axis, const std::optional<Array>& where) {
  return numpy::sum(x, {.axis = axis, .keepdims = true, .where = where});
}

/// Converts integers to floats: to the default type next to the -inf of excluded elements, as in JAX.
Array promoted_with_infinity(const Array& x, const SoftmaxOptions& options) {
  return options.where ? numpy::promote_inexact(x, Array(0.0)).first : numpy::promote_inexact(x);
}

/// Subtracts the maximum; excluded elements become -inf.
Array shifted(const Array& x, const SoftmaxOptions& options) {
  const Array top = greatest(x, options.axis, options.where);
  return (options.where ? numpy::where(*options.where, x, -numpy::inf) : x) - top;
}

/// Returns log|sum| and the sign of the sum.
LogAndSign log_of_sum(const Array& a, const LogsumexpOptions& options) {
  const Array counted = options.b ? numpy::where(*options.b != 0, a, -numpy::inf) : a;
  const Array top = greatest(is_complex(a.dtype()) ? numpy::real(counted) : counted, options.axis, options.where);
  // An infinite maximum is not subtracted, because inf - inf is NaN.
  const Array shift = ops::select(numpy::isfinite(top), top, ops::full_like(top, 0));
  Array e = numpy::exp(options.b ? numpy::weighted_exponents(a, shift, *options.b) : a - shift);
  if (options.b) e = e * *options.b;
  const Array sum = sum_of(e, options.axis, options.where);
  const Array size = is_complex(a.dtype()) ? sum : numpy::abs(sum);
  const std::vector<int64_t> axes = numpy::normal_axes(a, options.axis);
  const auto shaped = [&](const Array& x) { return options.keepdims ? x : numpy::squeeze(x, axes); };
  return {shaped(numpy::log(size) + shift), shaped(numpy::sign(sum))};
}

Array prepared(const Operand& a, const LogsumexpOptions& options) {
  const Array y = options.b ? numpy::promote_inexact(a.array(), *options.b).first : numpy::promote_inexact(a.array());
  return options.where ? numpy::where(*options.where, y, -numpy::inf) : y;
}

}  // namespace

Array softmax(const Operand& x, const SoftmaxOptions& options) {
  const UserLocation here(x.location());
  const Array e = numpy::exp(shifted(promoted_with_infinity(x, options), options));
  const Array share = e / sum_of(e, options.axis, options.where);
  return options.where ? numpy::where(*options.where, share, 0) : share;
}

Array log_softmax(const Operand& x, const SoftmaxOptions& options) {
  const UserLocation here(x.location());
  const Array s = shifted(promoted_with_infinity(x, options), options);
  const Array result = s - numpy::log(sum_of(numpy::exp(s), options.axis, options.where));
  return options.where ? numpy::where(*options.where, result, -numpy::inf) : result;
}

LogAndSign logsumexp_with_sign(const Operand& a, const LogsumexpOptions& options) {
  const UserLocation here(a.location());
  return log_of_sum(prepared(a, options), options);
}

Array logsumexp(const Operand& a, const LogsumexpOptions& options) {
  const UserLocation here(a.location());
  const auto [value, sign] = log_of_sum(prepared(a, options), options);
  if (!options.b || is_complex(value.dtype())) return value;
  return numpy::where(sign < 0, numpy::nan, value);
}

Array logmeanexp(const Operand& x, const LogmeanexpOptions& options) {
  const UserLocation here(x.location());
  const Array sum = logsumexp(x, {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
  const Array ones = ops::full(x.array().aval_shape().with_element_type(sum.dtype()), 1);
  const Array count = numpy::sum(ones, {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
  return sum - numpy::log(count);
}

Array standardize(const Operand& x, const StandardizeOptions& options) {
  const UserLocation here(x.location());
  const numpy::MeanOptions along = {.axis = options.axis, .keepdims = true, .where = options.where};
  const std::string_view algorithm = options.algorithm;
  if (algorithm != "fast" && algorithm != "stable")
    or_throw(invalid_argument(at_user_line("standardize") + ": got the algorithm '" + std::string(algorithm) +
                              "', wanted fast or stable"));
  const auto counted = [&](const Array& a) { return options.where ? numpy::where(*options.where, a, 0) : a; };
  const Array mean = options.mean ? *options.mean : numpy::mean(x, along);
  const auto variance = [&] {
    if (algorithm == "stable") return numpy::mean(numpy::square(counted(numpy::subtract(x, mean))), along);
    const Array apart = numpy::mean(numpy::square(counted(x)), along) - numpy::square(mean);
    return numpy::maximum(apart, 0);
  };
  const Array spread = (options.variance ? *options.variance : variance()) + options.epsilon;
  const Array apart = numpy::subtract(x, mean), scale = ops::rsqrt(spread);
  if (!options.where) return apart * scale;
  // Excluded elements that are not finite are replaced: multiplied by a derivative of 0 they would make all derivatives
  // NaN.
  const Array regular = numpy::isfinite(apart) | *options.where;
  return numpy::where(regular, numpy::where(regular, apart, 0) * scale, apart);
}

Array one_hot(const numpy::ArrayLike& x, int64_t num_classes, const OneHotOptions& options, numpy::Line line) {
  const UserLocation here(line);
  const Array labels = numpy::asarray(x);
  if (num_classes < 0)
    or_throw(invalid_argument(at_user_line("one_hot") + ": the number of classes must not be negative; got " +
                              std::to_string(num_classes)));
  const ElementType requested = numpy::type_or("one_hot", options.dtype, default_float());
  const Array apart = numpy::expand_dims(labels, options.axis);
  const int64_t axis = numpy::normal_axis(apart, options.axis);
  std::vector<int64_t> shape(apart.ndim(), 1);
  shape[axis] = num_classes;
  return ops::convert_element_type(apart == lax::broadcasted_iota(labels.dtype(), shape, axis), requested);
}

}  // namespace hilo::nn
