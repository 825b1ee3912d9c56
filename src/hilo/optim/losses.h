// SPDX-License-Identifier: Apache-2.0
// optim/losses.h -- optax's losses; each returns one value for each example.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::optim {

using numpy::Axes;

struct LossOptions {
  Axes axis = -1;                             ///< axis of the classes
  std::optional<Array> where = std::nullopt;  ///< elements that are included
};

// ---- regression: predictions and targets of one shape; without targets, predictions are the errors ------------------
/// Computes (predictions - targets)^2, elementwise.
/// Example    squared_error(numpy::array({1.0, 4.0}), numpy::array({1.0, 2.0}))  // [0. 4.]
Array squared_error(const Operand& predictions, const std::optional<Array>& targets = std::nullopt);
/// Computes half of squared_error.
/// Example    l2_loss(numpy::array({1.0, 4.0}), numpy::array({1.0, 2.0}))  // [0. 2.]
Array l2_loss(const Operand& predictions, const std::optional<Array>& targets = std::nullopt);
struct HuberOptions {
  double delta = 1.0;  ///< error above which the loss is linear
};
/// Computes the Huber loss: quadratic for errors up to `delta`, linear beyond.
/// Example    huber_loss(numpy::array({0.5, 3.0}), numpy::zeros({2}))  // [0.125 2.5 ]
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
/// Computes log(cosh(predictions - targets)) without overflow.
Array log_cosh(const Operand& predictions, const std::optional<Array>& targets = std::nullopt);
struct CosineOptions {
  double epsilon = 0.0;  ///< minimum of the squared norm
  Axes axis = -1;
  std::optional<Array> where = std::nullopt;
};
/// Returns the cosine of the angle between vectors.
Array cosine_similarity(const Operand& predictions, const Operand& targets, const CosineOptions& options = {});
/// Returns 1 - cosine_similarity.
Array cosine_distance(const Operand& predictions, const Operand& targets, const CosineOptions& options = {});

template <Number T>
Array cosine_similarity(const Operand& predictions, const Operand& targets, T epsilon) {
  return cosine_similarity(predictions, targets, CosineOptions{.epsilon = static_cast<double>(epsilon)});
}
template <Number T>
Array cosine_distance(const Operand& predictions, const Operand& targets, T epsilon) {
  return cosine_distance(predictions, targets, CosineOptions{.epsilon = static_cast<double>(epsilon)});
}

// ---- classes --------------------------------------------------------------------------------------------------------
/// Computes the binary cross entropy of logits and labels in [0, 1], elementwise.
/// Example    sigmoid_binary_cross_entropy(numpy::array({0.0, 2.0}), numpy::ones({2}))  // [0.6931472 0.126928 ]
Array sigmoid_binary_cross_entropy(const Operand& logits, const Operand& labels);
struct FocalOptions {
  std::optional<double> alpha = std::nullopt;  ///< weight of label 1
  double gamma = 2.0;
};
/// Computes the focal loss of logits and labels in [0, 1], elementwise.
/// Source    Lin et al., "Focal loss for dense object detection" (2017)
Array sigmoid_focal_loss(const Operand& logits, const Operand& labels, const FocalOptions& options = {});
template <Number T>
Array sigmoid_focal_loss(const Operand& logits, const Operand& labels, T alpha, double gamma = 2.0) {
  return sigmoid_focal_loss(logits, labels, FocalOptions{.alpha = static_cast<double>(alpha), .gamma = gamma});
}
/// Computes the cross entropy -sum(labels * log_softmax(logits)); labels are distributions.
/// Example    softmax_cross_entropy(numpy::array({{0.0, 0.0}}), numpy::array({{1.0, 0.0}}))  // [0.6931472]
Array softmax_cross_entropy(const Operand& logits, const Operand& labels, const LossOptions& options = {});
/// Computes softmax_cross_entropy, but ignores logits whose label is 0, even if they are -inf.
Array safe_softmax_cross_entropy(const Operand& logits, const Operand& labels);
/// Computes the cross entropy of logits; labels are class numbers.
/// Shapes     logits[..., classes], integer labels[...] -> [...]
/// Example    softmax_cross_entropy_with_integer_labels(numpy::array({{0.0, 0.0}}), numpy::array({1}))  // [0.6931472]
Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels,
                                                const LossOptions& options = {});
struct PolyOptions {
  double epsilon = 2.0;
  Axes axis = -1;
  std::optional<Array> where = std::nullopt;
};
/// Computes the PolyLoss: cross entropy plus epsilon * (1 - probability of the label).
/// Source    Leng et al., "PolyLoss" (2022)
Array poly_loss_cross_entropy(const Operand& logits, const Operand& labels, const PolyOptions& options = {});
/// Computes the Kullback-Leibler divergence: sum(targets * (log(targets) - log_predictions)).
Array kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options = {});
/// Computes the Kullback-Leibler divergence with targets as logarithms.
Array kl_divergence_with_log_targets(const Operand& log_predictions, const Operand& log_targets,
                                     const LossOptions& options = {});
/// Computes kl_divergence + sum(exp(log_predictions) - targets).
Array generalized_kl_divergence(const Operand& log_predictions, const Operand& targets,
                                const LossOptions& options = {});
/// Same as generalized_kl_divergence.
Array convex_kl_divergence(const Operand& log_predictions, const Operand& targets, const LossOptions& options = {});
/// Computes max(0, 1 - predictions * targets); targets are -1 or 1.
Array hinge_loss(const Operand& predictor_outputs, const Operand& targets);
/// Computes max(0, -predictions * targets); targets are -1 or 1.
Array perceptron_loss(const Operand& predictor_outputs, const Operand& targets);
/// Computes the binary sparsemax loss; labels are 0 or 1.
Array sparsemax_loss(const Operand& logits, const Operand& labels);
/// Computes the multiclass hinge loss; labels are class numbers.
Array multiclass_hinge_loss(const Operand& scores, const Operand& labels);
/// Computes the multiclass perceptron loss; labels are class numbers.
Array multiclass_perceptron_loss(const Operand& scores, const Operand& labels);
/// Computes the multiclass sparsemax loss; labels are class numbers.
/// Source    Martins and Astudillo, "From softmax to sparsemax" (2016)
Array multiclass_sparsemax_loss(const Operand& scores, const Operand& labels);
/// Returns the loss max_fun(scores) - <targets, scores> over the last axis.
/// Source    Blondel, Martins and Niculae, "Learning with Fenchel-Young losses" (2020)
std::function<Array(const Array& scores, const Array& targets)> make_fenchel_young_loss(
    std::function<Array(const Array&)> max_fun);
/// Smooths labels: (1 - alpha) * labels + alpha / classes.
Array smooth_labels(const Operand& labels, const Operand& alpha, const LossOptions& options = {});

// ---- sequences, rankings, embeddings, images ------------------------------------------------------------------------
struct CtcOptions {
  int64_t blank_id = 0;
  double log_epsilon = -1e5;  ///< value that stands for log(0)
};
struct CtcResult {
  Array loss, logalpha_phi, logalpha_emit;
};
/// Computes the CTC loss and the forward probabilities.
/// Shapes    logits[batch, time, classes], labels[batch, n]; paddings are 1 at unused positions
/// Source    Graves et al., "Connectionist temporal classification" (2006)
CtcResult ctc_loss_with_forward_probs(const Operand& logits, const Operand& logit_paddings, const Operand& labels,
                                      const Operand& label_paddings, const CtcOptions& options = {});
/// Computes the loss of connectionist temporal classification (CTC) for each sequence.
Array ctc_loss(const Operand& logits, const Operand& logit_paddings, const Operand& labels,
               const Operand& label_paddings, const CtcOptions& options = {});
struct RankingOptions {
  std::optional<Array> where = std::nullopt, weights = std::nullopt;
  const char* reduce_fn = "mean";  ///< "mean", "sum" or "none"
};
/// Computes the ranking softmax loss over the last axis.
Array ranking_softmax_loss(const Operand& logits, const Operand& labels, const RankingOptions& options = {});
struct NtxentOptions {
  double temperature = 0.07;
};
/// Computes the normalized temperature-scaled cross entropy (NT-Xent).
/// Source    Chen et al., "A simple framework for contrastive learning of visual representations" (2020)
Array ntxent(const Operand& embeddings, const Operand& labels, const NtxentOptions& options = {});
struct TripletOptions {
  int64_t axis = -1;
  double norm_degree = 2, margin = 1.0, eps = 1e-6;
};
/// Computes max(0, |anchor - positive| - |anchor - negative| + margin) with norms of degree `norm_degree`.
Array triplet_margin_loss(const Operand& anchors, const Operand& positives, const Operand& negatives,
                          const TripletOptions& options = {});
struct DiceOptions {
  std::optional<Array> class_weights = std::nullopt;
  double smooth = 1.0, alpha = 0.5, beta = 0.5;
  bool apply_softmax = true;
  const char* reduction = "mean";  ///< reduction over classes: "mean", "sum" or "none"
  bool ignore_background = false;
  Axes axis = std::nullopt;  ///< axes of the pixels; default all but the first and the last
};
/// Computes the Dice loss (Tversky loss with alpha and beta).
/// Shapes    predictions and targets [batch, ..., classes]
/// Source    Milletari, Navab and Ahmadi, "V-Net" (2016); Salehi et al., "Tversky loss function" (2017)
Array dice_loss(const Operand& predictions, const Operand& targets, const DiceOptions& options = {});
struct GeneralizedDiceOptions {
  double smooth = 1.0;
  bool apply_softmax = true, ignore_background = false;
};
/// Computes the generalized Dice loss, which weights classes by their inverse squared frequency.
Array multiclass_generalized_dice_loss(const Operand& predictions, const Operand& targets,
                                       const GeneralizedDiceOptions& options = {});
struct BinaryDiceOptions {
  double smooth = 1.0;
  bool apply_sigmoid = true;
};
/// Computes the Dice loss of two classes, from one logit for each pixel.
Array binary_dice_loss(const Operand& predictions, const Operand& targets, const BinaryDiceOptions& options = {});

}  // namespace hilo::optim
