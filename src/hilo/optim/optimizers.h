// SPDX-License-Identifier: Apache-2.0
// optim/optimizers.h -- optax's optimizers: chains of scalings, with its names and defaults.
#pragma once

#include "hilo/optim/combining.h"
#include "hilo/optim/linesearch.h"
#include "hilo/optim/scaling.h"

namespace hilo::optim {

struct MaskOptions {
  std::optional<Mask> mask = std::nullopt;
};
/// Adds weight_decay * params to the updates of the parameters that `mask` selects.
GradientTransformation add_decayed_weights(const ScalarOrSchedule& weight_decay = 0.0, const MaskOptions& options = {});

struct SgdOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  std::optional<double> momentum = std::nullopt;
  bool nesterov = false;
  Dtype accumulator_dtype = std::nullopt;
};
/// Stochastic gradient descent, with optional momentum.
/// Example    const auto tx = sgd(0.1);
///            const Array params = numpy::array({1.0, 2.0});
///            tx.update(numpy::array({1.0, -1.0}), tx.init(params)).first  // [-0.1 0.1]
GradientTransformation sgd(const ScalarOrSchedule& learning_rate, const SgdOptions& options = {});
template <int = 0>
GradientTransformation sgd(const ScalarOrSchedule& learning_rate, double momentum, bool nesterov = false) {
  return sgd(learning_rate, SgdOptions{.momentum = momentum, .nesterov = nesterov});
}

struct AdamOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;                ///< type of the first moment; default that of the parameters
  std::optional<bool> nesterov = std::nullopt;  ///< default: true for nadam and nadamw only
};
/// The Adam optimizer with bias correction.
/// Example    const auto tx = adam(1e-3);
///            const Array params = numpy::array({1.0, 2.0});
///            tx.update(numpy::array({0.5, -2.0}), tx.init(params)).first  // [-0.001 0.001]
/// Source     Kingma and Ba, "Adam: a method for stochastic optimization" (2015)
GradientTransformation adam(const ScalarOrSchedule& learning_rate, const AdamOptions& options = {});
template <int = 0>
GradientTransformation adam(const ScalarOrSchedule& learning_rate, double b1, double b2 = 0.999, double eps = 1e-8) {
  return adam(learning_rate, AdamOptions{.b1 = b1, .b2 = b2, .eps = eps});
}
/// Adam with Nesterov momentum.
GradientTransformation nadam(const ScalarOrSchedule& learning_rate, const AdamOptions& options = {});
struct AdamwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  ScalarOrSchedule weight_decay = 1e-4;
  std::optional<Mask> mask = std::nullopt;      ///< parameters with weight decay; default all
  std::optional<bool> nesterov = std::nullopt;  ///< default: true for nadam and nadamw only
};
/// Adam with decoupled weight decay.
/// Example    const auto tx = adamw(1e-3, {.weight_decay = 0.1});
///            const Array params = numpy::array({1.0, 2.0});
///            tx.update(numpy::array({0.5, -2.0}), tx.init(params), params).first  // [-0.0011 0.0008]
/// Source     Loshchilov and Hutter, "Decoupled weight decay regularization" (2019)
GradientTransformation adamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& options = {});
/// adamw with Nesterov momentum.
GradientTransformation nadamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& options = {});
/// Adam with the maximum of all second moments so far.
/// Source    Reddi, Kale and Kumar, "On the convergence of Adam and beyond" (2018)
GradientTransformation amsgrad(const ScalarOrSchedule& learning_rate, const AmsgradOptions& options = {});
/// Adam with the infinity norm in place of the second moment.
GradientTransformation adamax(const ScalarOrSchedule& learning_rate, const AdamaxOptions& options = {});
struct AdamaxwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-8;
  ScalarOrSchedule weight_decay = 1e-4;
  std::optional<Mask> mask = std::nullopt;
};
/// adamax with decoupled weight decay.
GradientTransformation adamaxw(const ScalarOrSchedule& learning_rate, const AdamaxwOptions& options = {});
struct AdanwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.98, b2 = 0.92, b3 = 0.99, eps = 1e-8, eps_root = 1e-8;
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> mask = std::nullopt;
};
/// Adaptive Nesterov momentum.
/// Source    Xie et al., "Adan: adaptive Nesterov momentum algorithm" (2022)
GradientTransformation adan(const ScalarOrSchedule& learning_rate, const AdanwOptions& options = {});
/// Adam with the variance of the gradients around their mean as second moment.
/// Source    Zhuang et al., "AdaBelief optimizer" (2020)
GradientTransformation adabelief(const ScalarOrSchedule& learning_rate, const BeliefOptions& options = {});
/// Adam with additive updates of the second moment.
/// Source    Zaheer et al., "Adaptive methods for nonconvex optimization" (2018)
GradientTransformation yogi(const ScalarOrSchedule& learning_rate, const YogiOptions& options = {});
/// Adam with a rectified learning rate in the first steps.
/// Source    Liu et al., "On the variance of the adaptive learning rate and beyond" (2020)
GradientTransformation radam(const ScalarOrSchedule& learning_rate, const RadamOptions& options = {});
struct LambOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-6, eps_root = 0.0;
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> mask = std::nullopt;
};
/// Adam with steps scaled by the norm of each layer's parameters, for large batches.
/// Source    You et al., "Large batch optimization for deep learning" (2020)
GradientTransformation lamb(const ScalarOrSchedule& learning_rate, const LambOptions& options = {});
struct LarsOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> weight_decay_mask = Mask(true);
  double trust_coefficient = 1e-3, eps = 0.0;
  Mask trust_ratio_mask = true;
  double momentum = 0.9;
  bool nesterov = false;
};
/// Momentum with steps scaled by the norm of each layer's parameters.
/// Source    You, Gitman and Ginsburg, "Large batch training of convolutional networks" (2017)
GradientTransformation lars(const ScalarOrSchedule& learning_rate, const LarsOptions& options = {});
struct LionwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.9, b2 = 0.99;
  Dtype mu_dtype = std::nullopt;
  ScalarOrSchedule weight_decay = 1e-3;
  std::optional<Mask> mask = std::nullopt;
};
/// Uses the sign of interpolated momentum as the step, with weight decay.
/// Source    Chen et al., "Symbolic discovery of optimization algorithms" (2023)
GradientTransformation lion(const ScalarOrSchedule& learning_rate, const LionwOptions& options = {});
struct NovogradwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double b1 = 0.9, b2 = 0.25, eps = 1e-6, eps_root = 0.0, weight_decay = 0.0;
};
/// Normalizes gradients by a second moment for each layer.
/// Source    Ginsburg et al., "Stochastic gradient methods with layer-wise adaptive moments" (2019)
GradientTransformation novograd(const ScalarOrSchedule& learning_rate, const NovogradwOptions& options = {});

struct AdagradOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double initial_accumulator_value = 0.1, eps = 1e-7;
};
/// Divides gradients by the root of the sum of all squared gradients.
/// Source    Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning" (2011)
GradientTransformation adagrad(const ScalarOrSchedule& learning_rate, const AdagradOptions& options = {});
struct AdadeltawOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double rho = 0.9, eps = 1e-6;
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> weight_decay_mask = std::nullopt;
};
/// Scales gradients by the ratio of two moving averages: of earlier steps and of gradients.
/// Source    Zeiler, "ADADELTA: an adaptive learning rate method" (2012)
GradientTransformation adadelta(const std::optional<ScalarOrSchedule>& learning_rate = std::nullopt,
                                const AdadeltawOptions& options = {});
struct AdafactorOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  int64_t min_dim_size_to_factor = 128;
  double decay_rate = 0.8;
  int64_t decay_offset = 0;
  bool multiply_by_parameter_scale = true;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<double> momentum = std::nullopt;
  Dtype dtype_momentum = ElementType::kF32;
  std::optional<ScalarOrSchedule> weight_decay_rate = std::nullopt;
  double eps = 1e-30;
  bool factored = true;
  std::optional<Mask> weight_decay_mask = std::nullopt;
};
/// Adam with a factored second moment: for a matrix, stores only the means of its rows and columns.
/// Source    Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost" (2018)
GradientTransformation adafactor(const std::optional<ScalarOrSchedule>& learning_rate = std::nullopt,
                                 const AdafactorOptions& options = {});
struct RmspropOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< if not passed by position
  double decay = 0.9, eps = 1e-8, initial_scale = 0.0;
  bool eps_in_sqrt = true, centered = false;
  std::optional<double> momentum = std::nullopt;
  bool nesterov = false, bias_correction = false;
};
/// Divides gradients by the root of a moving average of their squares; `centered` subtracts the mean.
GradientTransformation rmsprop(const ScalarOrSchedule& learning_rate, const RmspropOptions& options = {});
/// Increases the step of a parameter while its gradient keeps its sign, and decreases it when the sign changes.
GradientTransformation rprop(double learning_rate, const RpropOptions& options = {});
struct MomentumOptions {
  double momentum = 0.9;
};
/// Adagrad that stores only the maxima of squared gradients along each axis.
/// Source    Anil et al., "Memory-efficient adaptive optimization" (2019)
GradientTransformation sm3(double learning_rate, const MomentumOptions& options = {});
struct FromageOptions {
  double min_norm = 1e-6;
};
/// Scales each step by the norm of the layer's parameters, and shrinks the parameters accordingly.
/// Source    Bernstein et al., "On the distance between two neural networks and the stability of learning" (2020)
GradientTransformation fromage(const ScalarOrSchedule& learning_rate, const FromageOptions& options = {});
/// Uses the sign of the gradient as the step.
GradientTransformation sign_sgd(const ScalarOrSchedule& learning_rate);
struct SignumOptions {
  double beta = 0.9;
  Dtype accumulator_dtype = std::nullopt;
};
/// Uses the sign of the momentum as the step.
GradientTransformation signum(const ScalarOrSchedule& learning_rate, const SignumOptions& options = {});
struct NoisySgdOptions {
  double eta = 0.01, gamma = 0.55;
  int64_t seed = 0;
};
/// Gradient descent with decaying noise.
GradientTransformation noisy_sgd(const ScalarOrSchedule& learning_rate, const NoisySgdOptions& options = {});
template <int = 0>
GradientTransformation noisy_sgd(const ScalarOrSchedule& learning_rate, double eta, double gamma = 0.55) {
  return noisy_sgd(learning_rate, NoisySgdOptions{.eta = eta, .gamma = gamma});
}
/// Gradient descent with a prediction of the next gradient.
GradientTransformation optimistic_gradient_descent(const ScalarOrSchedule& learning_rate,
                                                   const OptimisticOptions& options = {});
struct OptimisticAdamOptions {
  std::optional<double> optimism = std::nullopt;  ///< default: the learning rate
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  bool nesterov = true;
};
/// Adam with a prediction of the next gradient.
GradientTransformation optimistic_adam(double learning_rate, const OptimisticAdamOptions& options = {});
struct OptimisticAdamV2Options {
  double alpha = 1.0, beta = 1.0, b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  bool nesterov = true;
};
/// Adam with a prediction of the next gradient, with separate factors for both terms.
GradientTransformation optimistic_adam_v2(const ScalarOrSchedule& learning_rate,
                                          const OptimisticAdamV2Options& options = {});
struct PolyakSgdOptions {
  double max_learning_rate = 1.0;
  ScalarOrSchedule scaling = 1.0;
  double f_min = 0.0, eps = 0.0;
  const char* variant = "sps";
};
/// Gradient descent with Polyak's step size. Call update(..., {.value = loss}).
GradientTransformation polyak_sgd(const PolyakSgdOptions& options = {});
struct DpsgdOptions {
  std::optional<double> momentum = std::nullopt;
  bool nesterov = false;
};
/// Gradient descent with differential privacy. Takes the gradients of each example, with a leading batch axis.
GradientTransformation dpsgd(const ScalarOrSchedule& learning_rate, double l2_norm_clip, double noise_multiplier,
                             int64_t seed, const DpsgdOptions& options = {});
struct LbfgsOptions {
  int64_t memory_size = 10;
  bool scale_init_precond = true;
  /// Line search for the length of a step; nullopt uses the learning rate.
  std::optional<GradientTransformation> linesearch = scale_by_zoom_linesearch(20, {.initial_guess_strategy = "one"});
};
/// Limited-memory BFGS. With a line search, update needs {.value = loss, .grad = gradients, .value_fn = loss function}.
/// Source    Nocedal, "Updating quasi-Newton matrices with limited storage" (1980)
GradientTransformation lbfgs(const std::optional<ScalarOrSchedule>& learning_rate, const LbfgsOptions& options = {});
inline GradientTransformation lbfgs(const LbfgsOptions& options = {}) { return lbfgs(std::nullopt, options); }

namespace detail {
/// Errors    INVALID_ARGUMENT without a learning rate
ScalarOrSchedule required_rate(const char* function, const std::optional<ScalarOrSchedule>& learning_rate);
}  // namespace detail
// All arguments by name: adam({.learning_rate = 1e-3, .b1 = 0.8}).
#define HILO_ALL_BY_NAME(name, Options)                                        \
  template <std::same_as<Options> Named = Options>                             \
  GradientTransformation name(const Named& options) {                          \
    return name(detail::required_rate(#name, options.learning_rate), options); \
  }
// Learning rate in the state: inject_hyperparams(adam)({.learning_rate = 1e-3}). An overload for each optimizer,
// because a template cannot take the name of overloaded functions.
#define HILO_RATE_BY_NAME(name, Options)                                                                    \
  HILO_ALL_BY_NAME(name, Options)                                                                           \
  inline RateInjected<Options> inject_hyperparams(                                                          \
      GradientTransformation (*optimizer)(const ScalarOrSchedule& learning_rate, const Options& options)) { \
    return {optimizer};                                                                                     \
  }
HILO_RATE_BY_NAME(sgd, SgdOptions)
HILO_RATE_BY_NAME(adam, AdamOptions)
HILO_RATE_BY_NAME(adamw, AdamwOptions)
HILO_RATE_BY_NAME(adamaxw, AdamaxwOptions)
HILO_RATE_BY_NAME(adan, AdanwOptions)
HILO_RATE_BY_NAME(lamb, LambOptions)
HILO_RATE_BY_NAME(lars, LarsOptions)
HILO_RATE_BY_NAME(lion, LionwOptions)
HILO_RATE_BY_NAME(novograd, NovogradwOptions)
HILO_RATE_BY_NAME(adagrad, AdagradOptions)
HILO_RATE_BY_NAME(rmsprop, RmspropOptions)
HILO_ALL_BY_NAME(nadam, AdamOptions)
HILO_ALL_BY_NAME(nadamw, AdamwOptions)
#undef HILO_ALL_BY_NAME
#undef HILO_RATE_BY_NAME

}  // namespace hilo::optim
