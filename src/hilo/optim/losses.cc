// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo::optim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rejects types that are not floating.
const Array& floats(const char* what, const char* name, const Array& x) {
  if (!is_floating(x.dtype()))
    or_throw(invalid_argument(
        fmt::format("{}: {} must be floating; got {}", at_user_line(what), name, x.aval_shape().to_string())));
  return x;
}
void check_same_shape(const char* what, const Array& a, const Array& b) {
  if (std::ranges::equal(a.shape(), b.shape())) return;
  or_throw(invalid_argument(fmt::format("{}: the shapes differ; got {} and {}", at_user_line(what),
                                        a.aval_shape().to_string(), b.aval_shape().to_string())));
}

Array log_sigmoid(const Array& x) { return -numpy::logaddexp(-x, 0.0); }

/// Returns `where`, with the axis that it lacks.
std::optional<Array> mask_of(const Array& x, const LossOptions& o) {
  if (!o.where || o.where->ndim() == x.ndim()) return o.where;
  return numpy::expand_dims(*o.where, o.axis);
}
Array log_softmax(const Array& x, const Axes& axis, const std::optional<Array>& mask = std::nullopt) {
  const Array top = numpy::max(x, {.axis = axis, .keepdims = true, .initial = Array(-kInfinity), .where = mask});
  const Array shifted = (mask ? numpy::where(*mask, x, -kInfinity) : x) - stop_gradient(top);
  const Array sum = numpy::sum(numpy::exp(shifted), {.axis = axis, .keepdims = true, .where = mask});
  const Array out = shifted - numpy::log(sum);
  return mask ? numpy::where(*mask, out, -kInfinity) : out;
}
/// Sets excluded elements to 0, so that nothing computed from them overflows.
Array counted(const Array& x, const std::optional<Array>& mask) { return mask ? numpy::where(*mask, x, 0) : x; }
Array summed(const Array& x, const LossOptions& o) { return numpy::sum(x, {.axis = o.axis, .where = o.where}); }

Array one_hot(const Array& labels, int64_t classes, ElementType type) {
  return numpy::astype(numpy::expand_dims(labels, -1) == numpy::arange(classes), type);
}

}  // namespace

Array squared_error(const Operand& predictions, const std::optional<Array>& targets) {
  const UserLocation here(predictions.location());
  const Array& p = floats("squared_error", "predictions", predictions);
  if (targets) check_same_shape("squared_error", p, *targets);
  return numpy::square(targets ? p - *targets : p);
}
Array l2_loss(const Operand& predictions, const std::optional<Array>& targets) {
  const UserLocation here(predictions.location());
  return 0.5 * squared_error(predictions, targets);
}
Array huber_loss(const Operand& predictions, const std::optional<Array>& targets, const HuberOptions& options) {
  const UserLocation here(predictions.location());
  const Array& p = floats("huber_loss", "predictions", predictions);
  const Array size = numpy::abs(targets ? p - *targets : p), quadratic = numpy::minimum(size, options.delta);
  return 0.5 * numpy::square(quadratic) + options.delta * (size - quadratic);
}
Array log_cosh(const Operand& predictions, const std::optional<Array>& targets) {
  const UserLocation here(predictions.location());
  const Array& p = floats("log_cosh", "predictions", predictions);
  const Array error = targets ? p - *targets : p;
  return numpy::logaddexp(error, -error) - std::log(2.0);
}
Array cosine_similarity(const Operand& predictions, const Operand& targets, const CosineOptions& o) {
  const UserLocation here(predictions.location());
  const auto unit = [&](const Array& a) {
    const Array squares = numpy::sum(numpy::square(a), {.axis = o.axis, .keepdims = true, .where = o.where});
    return a / numpy::sqrt(numpy::maximum(squares, o.epsilon));
  };
  const Array a = unit(counted(floats("cosine_similarity", "predictions", predictions), o.where));
  const Array b = unit(counted(floats("cosine_similarity", "targets", targets), o.where));
  return numpy::sum(a * b, {.axis = o.axis, .where = o.where});
}
Array cosine_distance(const Operand& predictions, const Operand& targets, const CosineOptions& options) {
  const UserLocation here(predictions.location());
  return 1.0 - cosine_similarity(predictions, targets, options);
}

Array sigmoid_binary_cross_entropy(const Operand& logits, const Operand& labels) {
  const UserLocation here(logits.location());
  const Array& x = floats("sigmoid_binary_cross_entropy", "logits", logits);
  const Array y = numpy::astype(labels, x.dtype());
  return -y * log_sigmoid(x) - (1.0 - y) * log_sigmoid(-x);
}
Array sigmoid_focal_loss(const Operand& logits, const Operand& labels, const FocalOptions& o) {
  const UserLocation here(logits.location());
  const Array& x = floats("sigmoid_focal_loss", "logits", logits);
  const Array y = numpy::astype(labels, x.dtype()), p = log_sigmoid(x), q = log_sigmoid(-x);
  // log((1 - y) e^p + y e^q): the log probability of the other label
  const Array top = stop_gradient(numpy::maximum(p, q));
  const Array other = numpy::log((1 - y) * numpy::exp(p - top) + y * numpy::exp(q - top)) + top;
  const Array loss = sigmoid_binary_cross_entropy(x, y) * numpy::exp(o.gamma * other);
  return o.alpha ? (*o.alpha * y + (1.0 - *o.alpha) * (1.0 - y)) * loss : loss;
}
Array softmax_cross_entropy(const Operand& logits, const Operand& labels, const LossOptions& o) {
  const UserLocation here(logits.location());
  const Array& x = floats("softmax_cross_entropy", "logits", logits);
  const std::optional<Array> mask = mask_of(x, o);
  return -numpy::sum(labels * counted(log_softmax(x, o.axis, mask), mask), {.axis = o.axis, .where = mask});
}

namespace {
Array weighted_log_softmax(const Array& x, const Array& weights) {
  const Array log_p = log_softmax(x, -1);
  return numpy::where(weights != 0.0, weights * log_p, numpy::zeros_like(log_p));
}
}  // namespace

Array safe_softmax_cross_entropy(const Operand& logits, const Operand& labels) {
  const UserLocation here(logits.location());
  floats("safe_softmax_cross_entropy", "logits", logits);
  using Pair = std::tuple<Array, Array>;
  const auto weighted = custom_jvp(weighted_log_softmax).defjvp([](const Pair& primals, const Pair& tangents) {
    const auto& [x, weights] = primals;
    const auto& [dx, dw] = tangents;
    const Array log_p = log_softmax(x, -1);
    const Array mean = numpy::sum(dx * numpy::exp(log_p), {.axis = -1, .keepdims = true});
    return std::pair(weighted_log_softmax(x, weights), weights * dx - weights * mean + dw * log_p);
  });
  const auto [x, y] = std::pair(logits.array(), labels.array());
  const Array typed = numpy::astype(y, x.dtype());
  const std::vector<Array> both = numpy::broadcast_arrays(x, typed);
  return -numpy::sum(weighted(both[0], both[1]), -1);
}

Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels, const LossOptions& o) {
  constexpr const char* kName = "softmax_cross_entropy_with_integer_labels";
  const UserLocation here(logits.location());
  Array x = floats(kName, "logits", logits);
  if (!is_integer(labels.array().dtype()))
    or_throw(invalid_argument(fmt::format("{}: labels must be integers; got {}", at_user_line(kName),
                                          labels.array().aval_shape().to_string())));
  if (!o.axis) or_throw(invalid_argument(fmt::format("{}: axis must be one axis or several", at_user_line(kName))));
  std::optional<Array> mask = mask_of(x, o);
  int64_t axis = (*o.axis)[0];
  if (o.axis.is_list()) {  // merges several axes of classes into one
    const auto together = [&](const Array& a) {
      const int64_t count = (*o.axis).size();
      std::vector<int64_t> back(count);
      for (int64_t d = 0; d < count; ++d) back[d] = a.ndim() - count + d;
      const Array moved = numpy::moveaxis(a, o.axis, back);
      Dimensions shape(moved.shape());
      shape.resize(shape.size() - static_cast<size_t>(count));
      shape.push_back(-1);
      return numpy::reshape(moved, shape);
    };
    x = together(x);
    if (mask) mask = together(*mask);
    axis = -1;
  }
  if (axis < 0) axis += x.ndim();
  const Array chosen = numpy::take_along_axis(x, numpy::expand_dims(labels, axis), axis);
  const Array top =
      stop_gradient(numpy::max(x, {.axis = axis, .keepdims = true, .initial = Array(-kInfinity), .where = mask}));
  const Array taking_part = mask ? numpy::where(*mask, x, -kInfinity) : x;
  const Array sum = numpy::sum(numpy::exp(taking_part - top), {.axis = axis, .where = mask});
  const Array out = numpy::log(sum) + numpy::squeeze(top, axis) - numpy::squeeze(chosen, axis);
  return mask ? numpy::where(numpy::any(*mask, axis), out, 0.0) : out;
}

Array poly_loss_cross_entropy(const Operand& logits, const Operand& labels, const PolyOptions& o) {
  const UserLocation here(logits.location());
  floats("poly_loss_cross_entropy", "labels", labels);
  const LossOptions plain{o.axis, o.where};
  const Array& x = floats("poly_loss_cross_entropy", "logits", logits);
  const Array p = numpy::exp(log_softmax(x, o.axis, mask_of(x, plain)));
  return softmax_cross_entropy(logits, labels, plain) + o.epsilon * summed(labels * (1 - p), plain);
}

Array kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options) {
  const UserLocation here(log_predictions.location());
  floats("kl_divergence", "log_predictions", log_predictions);
  const Array t = counted(floats("kl_divergence", "targets", targets), options.where);
  return summed(t * (numpy::where(t == 0, 0, numpy::log(t)) - counted(log_predictions, options.where)), options);
}
Array kl_divergence_with_log_targets(const Operand& log_predictions, const Operand& log_targets,
                                     const LossOptions& options) {
  const UserLocation here(log_predictions.location());
  floats("kl_divergence_with_log_targets", "log_predictions", log_predictions);
  const Array t = counted(floats("kl_divergence_with_log_targets", "log_targets", log_targets), options.where);
  return summed(numpy::exp(t) * (t - counted(log_predictions, options.where)), options);
}
Array generalized_kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options) {
  const UserLocation here(log_predictions.location());
  return kl_divergence(log_predictions, targets, options) +
         summed(numpy::exp(counted(log_predictions, options.where)) - targets, options);
}
Array convex_kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options) {
  return generalized_kl_divergence(log_predictions, targets, options);
}

Array hinge_loss(const Operand& predictor_outputs, const Operand& targets) {
  const UserLocation here(predictor_outputs.location());
  return numpy::maximum(0, 1 - predictor_outputs * targets);
}
Array perceptron_loss(const Operand& predictor_outputs, const Operand& targets) {
  const UserLocation here(predictor_outputs.location());
  check_same_shape("perceptron_loss", predictor_outputs, targets);
  return numpy::maximum(0, -predictor_outputs * targets);
}
Array sparsemax_loss(const Operand& logits, const Operand& labels) {
  const UserLocation here(logits.location());
  const Array x = numpy::where(labels, -logits, logits);  // 0, (x + 1)^2 / 4, x
  const Array middle = numpy::square(x + 1.0) / 4;
  return numpy::where(x <= -1.0, 0.0, numpy::where(x >= 1.0, x, middle));
}

namespace {
/// Computes max(scores + margin - margin * one_hot) minus the score of the label.
Array multiclass_margin(const Array& scores, const Array& labels, double margin) {
  const Array chosen = one_hot(labels, scores.shape(-1), default_float());
  return numpy::max(scores + margin * (1.0 - chosen), -1) - numpy::sum(scores * chosen, -1);
}

/// Projects onto the unit simplex.
/// Source    Duchi et al., "Efficient projections onto the l1-ball" (2008)
Array simplex_point(const Array& values) {
  const int64_t n = values.shape(0);
  const Array sorted = numpy::flip(numpy::sort(values)), sums = numpy::cumsum(sorted);
  const Array number = numpy::arange(n) + 1;
  const Array support = numpy::count_nonzero(1 / number + (sorted - sums / number) > 0);
  return numpy::maximum(1 / support + (values - numpy::take(sums, support - 1) / support), 0);
}
Array on_simplex(const Array& values) {
  using One = std::tuple<Array>;
  return custom_jvp(simplex_point).defjvp([](const One& primals, const One& tangents) {
    const Array point = simplex_point(std::get<0>(primals)), dot = std::get<0>(tangents);
    const Array support = numpy::astype(point > 0, dot.dtype()), card = numpy::sum(support);
    return std::pair(point, support * dot - numpy::sum(support * dot) / card * support);
  })(values);
}
}  // namespace

Array multiclass_hinge_loss(const Operand& scores, const Operand& labels) {
  const UserLocation here(scores.location());
  return multiclass_margin(scores, labels, 1.0);
}
Array multiclass_perceptron_loss(const Operand& scores, const Operand& labels) {
  const UserLocation here(scores.location());
  return multiclass_margin(scores, labels, 0.0);
}
Array multiclass_sparsemax_loss(const Operand& scores, const Operand& labels) {
  const UserLocation here(scores.location());
  const auto one = [](const Array& own, const Array& label) {
    const Array p = on_simplex(own);
    const Array ahead = (own - numpy::take(own, label)).at(label).set(0.0);
    return numpy::sum(numpy::where(p != 0, p * ahead, 0.0)) + 0.5 * (1.0 - numpy::sum(p * p));
  };
  return vmap(one)(scores.array(), labels.array());
}
std::function<Array(const Array&, const Array&)> make_fenchel_young_loss(std::function<Array(const Array&)> max_fun) {
  return [max_fun](const Array& scores, const Array& targets) {
    const Dimensions outer(scores.shape().begin(), scores.shape().end() - 1);
    const Array rows = numpy::reshape(scores, {-1, scores.shape(-1)});
    return numpy::reshape(vmap(max_fun)(rows), outer) - numpy::sum(targets * scores, -1);
  };
}
Array smooth_labels(const Operand& labels, const Operand& alpha, const LossOptions& o) {
  const UserLocation here(labels.location());
  const Array& y = floats("smooth_labels", "labels", labels);
  const Array ones = numpy::ones_like(y);
  const Array classes = numpy::sum(ones, {.axis = o.axis, .keepdims = true, .where = o.where});
  return (1.0 - alpha) * y + alpha / classes;
}

}  // namespace hilo::optim
