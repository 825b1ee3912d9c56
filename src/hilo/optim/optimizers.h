// SPDX-License-Identifier: Apache-2.0
// optim/optimizers.h -- optax's optimisers: chains of the scalings, with its names and defaults.
#pragma once

#include "hilo/optim/combining.h"
#include "hilo/optim/linesearch.h"
#include "hilo/optim/scaling.h"

namespace hilo::optim {

struct MaskOptions {
  std::optional<Mask> mask = std::nullopt;
};
/// updates + weight_decay * params, for the parameters that `mask` chooses.
GradientTransformation add_decayed_weights(const ScalarOrSchedule& weight_decay = 0.0, const MaskOptions& options = {});

struct SgdOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  std::optional<double> momentum = std::nullopt;
  bool nesterov = false;
  Dtype accumulator_dtype = std::nullopt;
};
/// Gradient descent, with momentum if asked for.
GradientTransformation sgd(const ScalarOrSchedule& learning_rate, const SgdOptions& options = {});
template <int = 0>
GradientTransformation sgd(const ScalarOrSchedule& learning_rate, double momentum, bool nesterov = false) {
  return sgd(learning_rate, SgdOptions{.momentum = momentum, .nesterov = nesterov});
}

struct AdamOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;                ///< of the running mean
  std::optional<bool> nesterov = std::nullopt;  ///< by default of nadam and nadamw only
};
/// Adam with bias correction; nadam has Nesterov's momentum.
GradientTransformation adam(const ScalarOrSchedule& learning_rate, const AdamOptions& options = {});
template <int = 0>
GradientTransformation adam(const ScalarOrSchedule& learning_rate, double b1, double b2 = 0.999, double eps = 1e-8) {
  return adam(learning_rate, AdamOptions{.b1 = b1, .b2 = b2, .eps = eps});
}
GradientTransformation nadam(const ScalarOrSchedule& learning_rate, const AdamOptions& options = {});
struct AdamwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  ScalarOrSchedule weight_decay = 1e-4;
  std::optional<Mask> mask = std::nullopt;      ///< which parameters decay, else all
  std::optional<bool> nesterov = std::nullopt;  ///< by default of nadam and nadamw only
};
/// Adam with decay apart from the gradient. Source    Loshchilov and Hutter, "Decoupled weight decay regularization" (2019)
GradientTransformation adamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& options = {});
GradientTransformation nadamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& options = {});
GradientTransformation amsgrad(const ScalarOrSchedule& learning_rate, const AmsgradOptions& options = {});
GradientTransformation adamax(const ScalarOrSchedule& learning_rate, const AdamaxOptions& options = {});
struct AdamaxwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-8;
  ScalarOrSchedule weight_decay = 1e-4;
  std::optional<Mask> mask = std::nullopt;
};
GradientTransformation adamaxw(const ScalarOrSchedule& learning_rate, const AdamaxwOptions& options = {});
struct AdanwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.98, b2 = 0.92, b3 = 0.99, eps = 1e-8, eps_root = 1e-8;
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> mask = std::nullopt;
};
GradientTransformation adan(const ScalarOrSchedule& learning_rate, const AdanwOptions& options = {});
GradientTransformation adabelief(const ScalarOrSchedule& learning_rate, const BeliefOptions& options = {});
GradientTransformation yogi(const ScalarOrSchedule& learning_rate, const YogiOptions& options = {});
GradientTransformation radam(const ScalarOrSchedule& learning_rate, const RadamOptions& options = {});
struct LambOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.9, b2 = 0.999, eps = 1e-6, eps_root = 0.0;
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> mask = std::nullopt;
};
/// Source    You et al., "Large batch optimization for deep learning" (2020)
GradientTransformation lamb(const ScalarOrSchedule& learning_rate, const LambOptions& options = {});
struct LarsOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> weight_decay_mask = Mask(true);
  double trust_coefficient = 1e-3, eps = 0.0;
  Mask trust_ratio_mask = true;
  double momentum = 0.9;
  bool nesterov = false;
};
/// Source    You, Gitman and Ginsburg, "Large batch training of convolutional networks" (2017)
GradientTransformation lars(const ScalarOrSchedule& learning_rate, const LarsOptions& options = {});
struct LionwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.9, b2 = 0.99;
  Dtype mu_dtype = std::nullopt;
  ScalarOrSchedule weight_decay = 1e-3;
  std::optional<Mask> mask = std::nullopt;
};
GradientTransformation lion(const ScalarOrSchedule& learning_rate, const LionwOptions& options = {});
struct NovogradwOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double b1 = 0.9, b2 = 0.25, eps = 1e-6, eps_root = 0.0, weight_decay = 0.0;
};
GradientTransformation novograd(const ScalarOrSchedule& learning_rate, const NovogradwOptions& options = {});

struct AdagradOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double initial_accumulator_value = 0.1, eps = 1e-7;
};
/// Each parameter's step over the root of the sum of its squared gradients.
/// Source    Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning" (2011)
GradientTransformation adagrad(const ScalarOrSchedule& learning_rate, const AdagradOptions& options = {});
struct AdadeltawOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double rho = 0.9, eps = 1e-6;
  ScalarOrSchedule weight_decay = 0.0;
  std::optional<Mask> weight_decay_mask = std::nullopt;
};
/// Steps by the ratio of running means: of earlier steps over gradients.
/// Source    Zeiler, "ADADELTA: an adaptive learning rate method" (2012)
GradientTransformation adadelta(const std::optional<ScalarOrSchedule>& learning_rate = std::nullopt,
                                const AdadeltawOptions& options = {});
struct AdafactorOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
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
/// Keeps, of a matrix's squared gradients, means of rows and columns alone.
/// Source    Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost" (2018)
GradientTransformation adafactor(const std::optional<ScalarOrSchedule>& learning_rate = std::nullopt,
                                 const AdafactorOptions& options = {});
struct RmspropOptions {
  std::optional<ScalarOrSchedule> learning_rate = std::nullopt;  ///< where it isn't given by position
  double decay = 0.9, eps = 1e-8, initial_scale = 0.0;
  bool eps_in_sqrt = true, centered = false;
  std::optional<double> momentum = std::nullopt;
  bool nesterov = false, bias_correction = false;
};
/// Gradients over the root of a running mean of their squares, about their mean if centered.
GradientTransformation rmsprop(const ScalarOrSchedule& learning_rate, const RmspropOptions& options = {});
/// Steps that grow while a gradient keeps its sign and shrink where it turns.
GradientTransformation rprop(double learning_rate, const RpropOptions& options = {});
struct MomentumOptions {
  double momentum = 0.9;
};
/// Keeps, of squared gradients, the greatest of each row and column alone.
/// Source    Anil et al., "Memory-efficient adaptive optimization" (2019)
GradientTransformation sm3(double learning_rate, const MomentumOptions& options = {});
struct FromageOptions {
  double min_norm = 1e-6;
};
/// Source    Bernstein et al., "On the distance between two neural networks and the stability of learning" (2020)
GradientTransformation fromage(const ScalarOrSchedule& learning_rate, const FromageOptions& options = {});
GradientTransformation sign_sgd(const ScalarOrSchedule& learning_rate);
struct SignumOptions {
  double beta = 0.9;
  Dtype accumulator_dtype = std::nullopt;
};
GradientTransformation signum(const ScalarOrSchedule& learning_rate, const SignumOptions& options = {});
struct NoisySgdOptions {
  double eta = 0.01, gamma = 0.55;
  int64_t seed = 0;
};
GradientTransformation noisy_sgd(const ScalarOrSchedule& learning_rate, const NoisySgdOptions& options = {});
template <int = 0>
GradientTransformation noisy_sgd(const ScalarOrSchedule& learning_rate, double eta, double gamma = 0.55) {
  return noisy_sgd(learning_rate, NoisySgdOptions{.eta = eta, .gamma = gamma});
}
GradientTransformation optimistic_gradient_descent(const ScalarOrSchedule& learning_rate,
                                                   const OptimisticOptions& options = {});
struct OptimisticAdamOptions {
  std::optional<double> optimism = std::nullopt;  ///< by default the learning rate
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  bool nesterov = true;
};
GradientTransformation optimistic_adam(double learning_rate, const OptimisticAdamOptions& options = {});
struct OptimisticAdamV2Options {
  double alpha = 1.0, beta = 1.0, b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  bool nesterov = true;
};
GradientTransformation optimistic_adam_v2(const ScalarOrSchedule& learning_rate,
                                          const OptimisticAdamV2Options& options = {});
struct PolyakSgdOptions {
  double max_learning_rate = 1.0;
  ScalarOrSchedule scaling = 1.0;
  double f_min = 0.0, eps = 0.0;
  const char* variant = "sps";
};
/// Needs update(..., {.value = loss}).
GradientTransformation polyak_sgd(const PolyakSgdOptions& options = {});
struct DpsgdOptions {
  std::optional<double> momentum = std::nullopt;
  bool nesterov = false;
};
/// Takes the gradients of each example, with a batch axis in front.
GradientTransformation dpsgd(const ScalarOrSchedule& learning_rate, double l2_norm_clip, double noise_multiplier,
                             int64_t seed, const DpsgdOptions& options = {});
struct LbfgsOptions {
  int64_t memory_size = 10;
  bool scale_init_precond = true;
  /// Of the step's length; none: it is the learning rate.
  std::optional<GradientTransformation> linesearch = scale_by_zoom_linesearch(20, {.initial_guess_strategy = "one"});
};
/// With a line search update needs {.value = loss, .grad = gradients, .value_fn = loss function}.
/// Source    Nocedal, "Updating quasi-Newton matrices with limited storage" (1980)
GradientTransformation lbfgs(const std::optional<ScalarOrSchedule>& learning_rate, const LbfgsOptions& options = {});
inline GradientTransformation lbfgs(const LbfgsOptions& options = {}) { return lbfgs(std::nullopt, options); }

namespace detail {
/// Errors    INVALID_ARGUMENT where it isn't given
ScalarOrSchedule given_rate(const char* function, const std::optional<ScalarOrSchedule>& learning_rate);
}  // namespace detail
// All by name: adam({.learning_rate = 1e-3, .b1 = 0.8}).
#define HILO_ALL_BY_NAME(name, Options)                                     \
  template <std::same_as<Options> Named = Options>                          \
  GradientTransformation name(const Named& options) {                       \
    return name(detail::given_rate(#name, options.learning_rate), options); \
  }
// The rate in the state: inject_hyperparams(adam)({.learning_rate = 1e-3}). A template can't take a name of several functions.
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
