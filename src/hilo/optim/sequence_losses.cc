// SPDX-License-Identifier: Apache-2.0
// optim/sequence_losses.cc -- losses of sequences, rankings, embeddings and images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "hilo/lax/control_flow.h"
#include "hilo/nn/nn.h"
#include "hilo/optim/losses.h"
#include "hilo/transform/grad.h"

namespace hilo::optim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Array with_score(const Array& phi, const Array& added) {
  const Array rest = numpy::logaddexp(phi(all, range(1, none)), added);
  return numpy::concatenate({phi(all, range(0, 1)), rest}, -1);
}

void check_ctc(const Array& logits, const Array& logit_paddings, const Array& labels, const Array& label_paddings) {
  const bool right = logits.ndim() == 3 && labels.ndim() == 2 && logit_paddings.ndim() == 2 &&
                     std::ranges::equal(labels.shape(), label_paddings.shape()) &&
                     std::ranges::equal(logits.shape().first(2), logit_paddings.shape()) &&
                     labels.shape(0) == logits.shape(0);
  if (right) return;
  or_throw(invalid_argument(fmt::format(
      "{}: wanted logits[batch, time, classes], logit_paddings[batch, time], labels and label_paddings[batch, n]; got "
      "{}, {}, {} and {}",
      at_user_line("ctc_loss"), logits.aval_shape().to_string(), logit_paddings.aval_shape().to_string(),
      labels.aval_shape().to_string(), label_paddings.aval_shape().to_string())));
}

}  // namespace

CtcResult ctc_loss_with_forward_probs(const Operand& logits, const Operand& logit_paddings, const Operand& labels,
                                      const Operand& label_paddings, const CtcOptions& o) {
  const UserLocation here(logits.location());
  const Array &x = logits.array(), &y = labels.array();
  check_ctc(x, logit_paddings, y, label_paddings);
  const int64_t batch = x.shape(0), classes = x.shape(2), length = y.shape(1);
  const Array log_p = nn::log_softmax(x);
  const Array lengths = length - numpy::astype(numpy::sum(label_paddings, 1), ElementType::kS32);
  const Array same = numpy::astype(y(all, range(0, -1)) == y(all, range(1, none)), default_float());
  const Array repeat = numpy::pad(same, {{0, 0}, {0, 1}});
  const Array phi_steps = numpy::transpose(log_p(all, all, range(o.blank_id, o.blank_id + 1)), {1, 0, 2});
  const Array emitted = numpy::einsum("btk,bnk->btn", log_p, nn::one_hot(y, classes));
  const Array emit_steps = numpy::transpose(emitted, {1, 0, 2});
  const Array phi = numpy::full({batch, length + 1}, o.log_epsilon, x.dtype()).at(all, 0).set(0.0);
  const Array emit = numpy::full({batch, length}, o.log_epsilon, x.dtype());
  using Carry = std::pair<Array, Array>;
  using Step = std::tuple<Array, Array, Array>;
  const auto step = [&](const Carry& carry, const Step& now) {
    const auto& [before, prev_emit] = carry;
    const auto& [log_emit, log_phi, padding] = now;
    const Array prev_phi = with_score(before, prev_emit + o.log_epsilon * repeat);
    const Array next_emit = numpy::logaddexp(prev_phi(all, range(0, -1)) + log_emit, prev_emit + log_emit);
    const Array next_phi = with_score(prev_phi + log_phi, prev_emit + log_phi + o.log_epsilon * (1.0 - repeat));
    const Array pad = numpy::reshape(padding, {batch, 1});
    const Carry next(numpy::astype(pad * before + (1.0 - pad) * next_phi, before.dtype()),
                     numpy::astype(pad * prev_emit + (1.0 - pad) * next_emit, prev_emit.dtype()));
    return std::pair(next, next);
  };
  const Step steps(emit_steps, phi_steps, numpy::transpose(logit_paddings, {1, 0}));
  const auto [last, alphas] = lax::scan(step, Carry(phi, emit), steps);
  const Array last_phi = with_score(alphas.first[-1], alphas.second[-1]);
  const Array chosen = nn::one_hot(lengths, length + 1);
  return {-numpy::sum(last_phi * chosen, -1), alphas.first.at(-1).set(last_phi), alphas.second};
}

Array ctc_loss(const Operand& logits, const Operand& logit_paddings, const Operand& labels,
               const Operand& label_paddings, const CtcOptions& options) {
  return ctc_loss_with_forward_probs(logits, logit_paddings, labels, label_paddings, options).loss;
}

Array ranking_softmax_loss(const Operand& logits, const Operand& labels, const RankingOptions& o) {
  const UserLocation here(logits.location());
  const std::string_view reduce = o.reduce_fn;
  if (reduce != "mean" && reduce != "sum" && reduce != "none")
    or_throw(invalid_argument(fmt::format("{}: reduce_fn '{}' is unknown; wanted mean, sum or none",
                                          at_user_line("ranking_softmax_loss"), reduce)));
  Array x = logits, y = numpy::astype(labels, x.dtype());
  if (o.where) {
    y = numpy::where(*o.where, y, numpy::zeros_like(y));
    x = numpy::where(*o.where, x, -kInfinity);
  }
  if (o.weights) y = y * *o.weights;
  const Array log_p = nn::log_softmax(x);
  const Array loss =
      -numpy::sum(y * (o.where ? numpy::where(*o.where, log_p, 0) : log_p), {.axis = -1, .where = o.where});
  const std::optional<Array> some = o.where ? std::optional(numpy::any(*o.where, -1)) : std::nullopt;
  if (reduce == "none") return some ? numpy::where(*some, loss, 0.0) : loss;
  if (reduce == "sum") return numpy::sum(loss, {.where = some});
  const Array mean = numpy::mean(loss, {.where = some});
  return numpy::where(numpy::isnan(mean) & ~numpy::any(numpy::isnan(loss)), 0.0, mean);
}

Array ntxent(const Operand& embeddings, const Operand& labels, const NtxentOptions& o) {
  const UserLocation here(embeddings.location());
  const Array& x = embeddings.array();
  const Array& y = labels.array();
  if (x.ndim() != 2 || y.ndim() != 1 || x.shape(0) != y.shape(0))
    or_throw(
        invalid_argument(fmt::format("{}: wanted embeddings[n, d] and labels[n]; got {} and {}", at_user_line("ntxent"),
                                     x.aval_shape().to_string(), y.aval_shape().to_string())));
  const Array likeness =
      cosine_similarity(numpy::expand_dims(x, 0), numpy::expand_dims(x, 1), {.epsilon = numpy::finfo(x.dtype()).eps}) /
      o.temperature;
  const Array same = numpy::expand_dims(y, 1) == numpy::expand_dims(y, 0);
  const Array matches = same & ~numpy::eye(x.shape(0), bool_);
  const Array apart = numpy::where(~same, likeness, -kInfinity), near = numpy::where(matches, likeness, -kInfinity);
  const Array top = stop_gradient(numpy::max(numpy::concatenate({apart, near}, -1), {.axis = 1, .keepdims = true}));
  const Array sum = numpy::sum(numpy::exp(apart - top), {.axis = 1, .keepdims = true}) + numpy::exp(near - top);
  const Array log_softmax = near - top - numpy::log(sum);
  return -numpy::sum(numpy::where(matches, log_softmax, 0.0)) / numpy::sum(matches);
}

Array triplet_margin_loss(const Operand& anchors, const Operand& positives, const Operand& negatives,
                          const TripletOptions& o) {
  const UserLocation here(anchors.location());
  const auto distance = [&](const Array& other) {
    const Array difference = anchors - other;
    const Array powers = o.norm_degree == 2 ? numpy::square(difference) : numpy::power(difference, o.norm_degree);
    return numpy::power(numpy::sum(powers, o.axis) + o.eps, 1 / o.norm_degree);
  };
  return numpy::maximum(distance(positives) - distance(negatives) + o.margin, 0);
}

Array dice_loss(const Operand& predictions, const Operand& targets, const DiceOptions& o) {
  constexpr const char* kName = "dice_loss";
  const UserLocation here(predictions.location());
  Array x = predictions, y = targets;
  if (x.ndim() == y.ndim() - 1) x = numpy::expand_dims(x, -1);
  if (y.ndim() == x.ndim() - 1) y = numpy::expand_dims(y, -1);
  const std::string_view reduction = o.reduction;
  if (!std::ranges::equal(x.shape(), y.shape()) || x.ndim() < 2)
    or_throw(
        invalid_argument(fmt::format("{}: wanted predictions and targets [batch, ..., classes]; got {} and {}",
                                     at_user_line(kName), x.aval_shape().to_string(), y.aval_shape().to_string())));
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    or_throw(invalid_argument(
        fmt::format("{}: reduction '{}' is unknown; wanted mean, sum or none", at_user_line(kName), reduction)));
  if (o.apply_softmax) x = x.shape(-1) == 1 ? nn::sigmoid(x) : nn::softmax(x);
  Axes axis = o.axis;
  if (!axis) {
    std::vector<int64_t> pixels;
    for (int64_t d = 1; d + 1 < x.ndim(); ++d) pixels.push_back(d);
    axis = pixels;
  }
  const Array both = numpy::sum(x * y, axis), in_x = numpy::sum(x, axis), in_y = numpy::sum(y, axis);
  Array loss = 1.0 - (both + o.smooth) / (both + o.alpha * (in_x - both) + o.beta * (in_y - both) + o.smooth);
  if (o.class_weights) loss = loss * *o.class_weights;
  if (o.ignore_background && x.shape(-1) > 1) loss = numpy::slice(loss, 1, loss.shape(-1), 1, loss.ndim() - 1);
  if (reduction == "none") return loss;
  return reduction == "mean" ? numpy::mean(loss, -1) : numpy::sum(loss, -1);
}

Array multiclass_generalized_dice_loss(const Operand& predictions, const Operand& targets,
                                       const GeneralizedDiceOptions& o) {
  const UserLocation here(predictions.location());
  const Array& y = targets.array();
  std::vector<int64_t> all_but_last;
  for (int64_t d = 0; d + 1 < y.ndim(); ++d) all_but_last.push_back(d);
  const Array weights = 1.0 / (numpy::square(numpy::sum(y, all_but_last)) + 1e-7);
  const Array scaled = weights / numpy::sum(weights) * static_cast<double>(y.shape(-1));
  return numpy::mean(dice_loss(predictions, targets,
                               {.class_weights = scaled,
                                .smooth = o.smooth,
                                .apply_softmax = o.apply_softmax,
                                .reduction = "none",
                                .ignore_background = o.ignore_background}));
}

Array binary_dice_loss(const Operand& predictions, const Operand& targets, const BinaryDiceOptions& o) {
  const UserLocation here(predictions.location());
  Array x = predictions, y = targets;
  if (x.ndim() == y.ndim() && x.ndim() > 0 && x.shape(-1) != 1) {
    x = numpy::expand_dims(x, -1);
    y = numpy::expand_dims(y, -1);
  }
  return dice_loss(x, y, {.smooth = o.smooth, .apply_softmax = o.apply_sigmoid});
}

}  // namespace hilo::optim
