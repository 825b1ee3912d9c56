// SPDX-License-Identifier: Apache-2.0
// optim/losses.h -- optax's losses, one value an example.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::optim {

using numpy::Axes;

struct LossOptions {
  Axes axis = -1;                             ///< of the classes
  std::optional<Array> where = std::nullopt;  ///< which elements take part
};

// ---- regression: predictions and targets of one shape; without targets the predictions are the errors -----------------
Array squared_error(const Operand& predictions, const std::optional<Array>& targets = std::nullopt);
/// Half of squared_error.
Array l2_loss(const Operand& predictions, const std::optional<Array>& targets = std::nullopt);
struct HuberOptions {
  double delta = 1.0;  ///< linear from here on
};
Array huber_loss(const Operand& predictions, const std::optional<Array>& targets = std::nullopt,
                 const HuberOptions& options = {});
template <int = 0>
Array huber_loss(const Operand& predictions, const HuberOptions& options) {
  return huber_loss(predictions, std::nullopt, options);
}
template <Number T>
Array huber_loss(const Operand& predictions, const std::optional<Array>& targets, T delta) {
  return huber_loss(predictions, targets, HuberOptions{.delta = static_cast<double>(delta)});
}
/// log(cosh(predictions - targets)) without overflow.
Array log_cosh(const Operand& predictions, const std::optional<Array>& targets = std::nullopt);
struct CosineOptions {
  double epsilon = 0.0;  ///< the least squared norm
  Axes axis = -1;
  std::optional<Array> where = std::nullopt;
};
/// The cosine of the angle between vectors, and 1 less it.
Array cosine_similarity(const Operand& predictions, const Operand& targets, const CosineOptions& options = {});
Array cosine_distance(const Operand& predictions, const Operand& targets, const CosineOptions& options = {});

template <Number T>
Array cosine_similarity(const Operand& predictions, const Operand& targets, T epsilon) {
  return cosine_similarity(predictions, targets, CosineOptions{.epsilon = static_cast<double>(epsilon)});
}
template <Number T>
Array cosine_distance(const Operand& predictions, const Operand& targets, T epsilon) {
  return cosine_distance(predictions, targets, CosineOptions{.epsilon = static_cast<double>(epsilon)});
}

// ---- classes ----------------------------------------------------------------------------------------------------------
/// Of each logit and its label in [0, 1].
Array sigmoid_binary_cross_entropy(const Operand& logits, const Operand& labels);
struct FocalOptions {
  std::optional<double> alpha = std::nullopt;  ///< the weight of label 1
  double gamma = 2.0;
};
/// Source    Lin et al., "Focal loss for dense object detection" (2017)
Array sigmoid_focal_loss(const Operand& logits, const Operand& labels, const FocalOptions& options = {});
template <Number T>
Array sigmoid_focal_loss(const Operand& logits, const Operand& labels, T alpha, double gamma = 2.0) {
  return sigmoid_focal_loss(logits, labels, FocalOptions{.alpha = static_cast<double>(alpha), .gamma = gamma});
}
/// -sum(labels log_softmax(logits)), with labels that are distributions.
Array softmax_cross_entropy(const Operand& logits, const Operand& labels, const LossOptions& options = {});
/// The same where a label of 0 makes its logit not matter, -inf neither.
Array safe_softmax_cross_entropy(const Operand& logits, const Operand& labels);
/// The same with the numbers of classes as labels.
Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels,
                                                const LossOptions& options = {});
struct PolyOptions {
  double epsilon = 2.0;
  Axes axis = -1;
  std::optional<Array> where = std::nullopt;
};
/// Source    Leng et al., "PolyLoss" (2022)
Array poly_loss_cross_entropy(const Operand& logits, const Operand& labels, const PolyOptions& options = {});
/// sum(targets (log(targets) - log_predictions))
Array kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options = {});
Array kl_divergence_with_log_targets(const Operand& log_predictions, const Operand& log_targets,
                                     const LossOptions& options = {});
/// kl_divergence + sum(exp(log_predictions) - targets)
Array generalized_kl_divergence(const Operand& log_predictions, const Operand& targets,
                                const LossOptions& options = {});
Array convex_kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options = {});
/// Targets are -1 or 1.
Array hinge_loss(const Operand& predictor_outputs, const Operand& targets);
Array perceptron_loss(const Operand& predictor_outputs, const Operand& targets);
Array sparsemax_loss(const Operand& logits, const Operand& labels);
/// Labels are numbers of classes.
Array multiclass_hinge_loss(const Operand& scores, const Operand& labels);
Array multiclass_perceptron_loss(const Operand& scores, const Operand& labels);
/// Source    Martins and Astudillo, "From softmax to sparsemax" (2016)
Array multiclass_sparsemax_loss(const Operand& scores, const Operand& labels);
/// max_fun(scores) - <targets, scores> over the last axis. Source    Blondel, Martins and Niculae, "Learning with
/// Fenchel-Young losses" (2020)
std::function<Array(const Array& scores, const Array& targets)> make_fenchel_young_loss(
    std::function<Array(const Array&)> max_fun);
/// (1 - alpha) labels + alpha / classes
Array smooth_labels(const Operand& labels, const Operand& alpha, const LossOptions& options = {});

// ---- sequences, rankings, embeddings, pictures --------------------------------------------------------------------------
struct CtcOptions {
  int64_t blank_id = 0;
  double log_epsilon = -1e5;  ///< the logarithm of nothing
};
struct CtcResult {
  Array loss, logalpha_phi, logalpha_emit;
};
/// Connectionist temporal classification: logits[batch, time, classes], labels[batch, n], paddings 1 where nothing is.
/// Source    Graves et al., "Connectionist temporal classification" (2006)
CtcResult ctc_loss_with_forward_probs(const Operand& logits, const Operand& logit_paddings, const Operand& labels,
                                      const Operand& label_paddings, const CtcOptions& options = {});
Array ctc_loss(const Operand& logits, const Operand& logit_paddings, const Operand& labels,
               const Operand& label_paddings, const CtcOptions& options = {});
struct RankingOptions {
  std::optional<Array> where = std::nullopt, weights = std::nullopt;
  const char* reduce_fn = "mean";  ///< mean, sum or none
};
Array ranking_softmax_loss(const Operand& logits, const Operand& labels, const RankingOptions& options = {});
struct NtxentOptions {
  double temperature = 0.07;
};
/// Source    Chen et al., "A simple framework for contrastive learning of visual representations" (2020)
Array ntxent(const Operand& embeddings, const Operand& labels, const NtxentOptions& options = {});
struct TripletOptions {
  int64_t axis = -1;
  double norm_degree = 2, margin = 1.0, eps = 1e-6;
};
Array triplet_margin_loss(const Operand& anchors, const Operand& positives, const Operand& negatives,
                          const TripletOptions& options = {});
struct DiceOptions {
  std::optional<Array> class_weights = std::nullopt;
  double smooth = 1.0, alpha = 0.5, beta = 0.5;
  bool apply_softmax = true;
  const char* reduction = "mean";  ///< over classes: mean, sum or none
  bool ignore_background = false;
  Axes axis = std::nullopt;  ///< of the pixels, by default all but the first and the last
};
/// Predictions and targets [batch, ..., classes].
/// Source    Milletari, Navab and Ahmadi, "V-Net" (2016); Salehi et al., "Tversky loss function" (2017)
Array dice_loss(const Operand& predictions, const Operand& targets, const DiceOptions& options = {});
struct GeneralizedDiceOptions {
  double smooth = 1.0;
  bool apply_softmax = true, ignore_background = false;
};
Array multiclass_generalized_dice_loss(const Operand& predictions, const Operand& targets,
                                       const GeneralizedDiceOptions& options = {});
struct BinaryDiceOptions {
  double smooth = 1.0;
  bool apply_sigmoid = true;
};
Array binary_dice_loss(const Operand& predictions, const Operand& targets, const BinaryDiceOptions& options = {});

}  // namespace hilo::optim
