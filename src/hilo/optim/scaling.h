// SPDX-License-Identifier: Apache-2.0
// optim/scaling.h -- building blocks of optimizers: transformations that scale updates, with optax's names and
// defaults.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

using numpy::Dtype;

/// Multiplies updates by step_size.
GradientTransformation scale(const Array& step_size);
struct LearningRateOptions {
  bool flip_sign = true;
};
/// Multiplies updates by -learning_rate (or by learning_rate with flip_sign = false). Without a rate, returns the
/// updates unchanged.
GradientTransformation scale_by_learning_rate(const std::optional<ScalarOrSchedule>& learning_rate = std::nullopt,
                                              const LearningRateOptions& options = {});
/// Multiplies updates by a schedule.
GradientTransformation scale_by_schedule(Schedule step_size_fn);
/// Replaces updates by their signs.
GradientTransformation scale_by_sign();

struct ScaleByAdamOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;  ///< type of the first moment; default that of the parameters
  bool nesterov = false;
};
/// Scales updates as Adam does.
/// Source    Kingma and Ba, "Adam: a method for stochastic optimization" (2015); Dozat, "Incorporating Nesterov
///           momentum into Adam" (2016)
GradientTransformation scale_by_adam(const ScaleByAdamOptions& options = {});
struct AmsgradOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0;
  Dtype mu_dtype = std::nullopt;
  bool bias_correction_mu = true, bias_correction_nu = true;
};
/// Scales updates as AMSGrad does.
/// Source    Reddi, Kale and Kumar, "On the convergence of Adam and beyond" (2018)
GradientTransformation scale_by_amsgrad(const AmsgradOptions& options = {});
struct AdamaxOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8;
};
/// Scales updates as Adam with the infinity norm.
GradientTransformation scale_by_adamax(const AdamaxOptions& options = {});
struct AdanOptions {
  double b1 = 0.98, b2 = 0.92, b3 = 0.99, eps = 1e-8, eps_root = 0.0;
};
/// Scales updates as Adan does.
/// Source    Xie et al., "Adan: adaptive Nesterov momentum algorithm" (2022)
GradientTransformation scale_by_adan(const AdanOptions& options = {});
struct BeliefOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-16, eps_root = 1e-16;
  bool nesterov = false;
};
/// Scales updates as AdaBelief does.
/// Source    Zhuang et al., "AdaBelief optimizer" (2020)
GradientTransformation scale_by_belief(const BeliefOptions& options = {});
struct YogiOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-3, eps_root = 0.0, initial_accumulator_value = 1e-6;
};
/// Scales updates as Yogi does.
/// Source    Zaheer et al., "Adaptive methods for nonconvex optimization" (2018)
GradientTransformation scale_by_yogi(const YogiOptions& options = {});
struct RadamOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.0, threshold = 5.0;
  bool nesterov = false;
};
/// Scales updates as rectified Adam does.
/// Source    Liu et al., "On the variance of the adaptive learning rate and beyond" (2020)
GradientTransformation scale_by_radam(const RadamOptions& options = {});
struct LionOptions {
  double b1 = 0.9, b2 = 0.99;
  Dtype mu_dtype = std::nullopt;
  const char* mode = "hard";  ///< "hard": the sign; "smooth": tanh(smooth_beta x); "refined": x itself below 1
  double smooth_beta = 10.0;
};
/// Scales updates as Lion does.
/// Source    Chen et al., "Symbolic discovery of optimization algorithms" (2023)
GradientTransformation scale_by_lion(const LionOptions& options = {});
struct NovogradOptions {
  double b1 = 0.9, b2 = 0.25, eps = 1e-8, eps_root = 0.0, weight_decay = 0.0;
  Dtype mu_dtype = std::nullopt;
};
/// Scales updates as NovoGrad does.
/// Source    Ginsburg et al., "Stochastic gradient methods with layer-wise adaptive moments" (2019)
GradientTransformation scale_by_novograd(const NovogradOptions& options = {});

struct RssOptions {
  double initial_accumulator_value = 0.1, eps = 1e-7;
};
/// Divides updates by the root of the sum of all squares so far.
/// Source    Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011)
GradientTransformation scale_by_rss(const RssOptions& options = {});
struct RmsOptions {
  double decay = 0.9, eps = 1e-8, initial_scale = 0.0;
  bool eps_in_sqrt = true, bias_correction = false;
};
/// Divides updates by the root of the moving average of their squares.
GradientTransformation scale_by_rms(const RmsOptions& options = {});
/// Divides updates by the moving standard deviation.
GradientTransformation scale_by_stddev(const RmsOptions& options = {});
struct AdadeltaOptions {
  double rho = 0.9, eps = 1e-6;
};
/// Scales updates as Adadelta does.
/// Source    Zeiler, "ADADELTA: an adaptive learning rate method" (2012)
GradientTransformation scale_by_adadelta(const AdadeltaOptions& options = {});
struct RpropOptions {
  double eta_minus = 0.5, eta_plus = 1.2, min_step_size = 1e-6, max_step_size = 50.0;
};
/// Scales updates as Rprop does.
/// Source    Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning" (1993)
GradientTransformation scale_by_rprop(double learning_rate, const RpropOptions& options = {});
struct Sm3Options {
  double b1 = 0.9, b2 = 1.0, eps = 1e-8;
};
/// Scales updates as SM3 does.
/// Source    Anil et al., "Memory-efficient adaptive optimization" (2019)
GradientTransformation scale_by_sm3(const Sm3Options& options = {});
struct FactoredRmsOptions {
  bool factored = true;
  double decay_rate = 0.8;
  int64_t step_offset = 0;
  /// minimum of the second-largest extent for factoring; smaller matrices store all squares
  int64_t min_dim_size_to_factor = 128;
  double epsilon = 1e-30;
};
/// Scales updates by a second moment that is factored into a row and a column for matrices.
/// Source    Shazeer and Stern, "Adafactor" (2018)
GradientTransformation scale_by_factored_rms(const FactoredRmsOptions& options = {});
struct OptimisticOptions {
  double alpha = 1.0, beta = 1.0;
};
/// Computes (alpha + beta) * g - beta * (g of the previous step).
GradientTransformation scale_by_optimistic_gradient(const OptimisticOptions& options = {});
struct MinScaleOptions {
  double min_scale = 1e-3;
};
/// Multiplies updates by the norm of each parameter array.
GradientTransformation scale_by_param_block_norm(const MinScaleOptions& options = {});
/// Multiplies updates by the root mean square of each parameter array.
GradientTransformation scale_by_param_block_rms(const MinScaleOptions& options = {});
struct TrustRatioOptions {
  double min_norm = 0.0, trust_coefficient = 1.0, eps = 0.0;
};
/// Multiplies updates by the ratio of the parameter's norm and the update's norm.
GradientTransformation scale_by_trust_ratio(const TrustRatioOptions& options = {});
struct PolyakOptions {
  double f_min = 0.0, max_learning_rate = 1.0, eps = 0.0;
  const char* variant = "sps";  ///< "sps", or "sps+" for nonnegative steps
};
/// Scales updates by Polyak's step size. Call update(..., {.value = loss}).
/// Source    Loizou et al., "Stochastic Polyak step-size for SGD" (2021)
GradientTransformation scale_by_polyak(const PolyakOptions& options = {});
struct LbfgsMemory {
  int64_t memory_size = 10;
  bool scale_init_precond = true;
};
/// Multiplies updates by an approximation of the inverse Hessian from the last steps.
/// Source    Nocedal and Wright, "Numerical optimization", algorithm 7.4
GradientTransformation scale_by_lbfgs(const LbfgsMemory& options = {});
struct DistanceOptions {
  double reps_rel = 1e-6;  ///< initial distance, relative to 1 plus the norm of a parameter
  double eps = 1e-8;
  ElementType param_dtype = ElementType::kF32;  ///< type of the initial parameters in the state
  double global_scale = 1.0;
};
/// Scales updates by the maximum distance from the initial parameters, divided by the root of the sum of squares so
/// far. Needs no learning rate.
/// Source    Ivgi, Hinder and Carmon, "DoG is SGD's best friend" (2023)
GradientTransformation scale_by_distance_over_gradients(const DistanceOptions& options = {});
struct UpdateNormOptions {
  double scale_factor = 1.0, eps = 1e-6;
};
/// Divides updates by their joint norm, and multiplies them by a factor.
GradientTransformation normalize_by_update_norm(const UpdateNormOptions& options = {});
/// Subtracts the mean over all axes but the first from each gradient with two or more dimensions.
GradientTransformation centralize();

struct TraceOptions {
  bool nesterov = false;
  Dtype accumulator_dtype = std::nullopt;
};
/// Accumulates a decaying sum of updates: momentum.
GradientTransformation trace(double decay, const TraceOptions& options = {});
struct EmaOptions {
  bool debias = true;
  Dtype accumulator_dtype = std::nullopt;
};
/// Computes the exponential moving average of updates.
GradientTransformation ema(double decay, const EmaOptions& options = {});
/// Returns the sum of k updates every k steps, zeros in between.
GradientTransformation apply_every(int64_t k = 1);
/// Adds noise of variance eta / (1 + t)^gamma in step t, from a key that is created from `seed`.
GradientTransformation add_noise(double eta, double gamma, int64_t seed);

// The first option may be passed by position: scale_by_adam(0.8), scale_by_adam(0.8, {.eps = 1e-6}).
#define HILO_FIRST_NUMBER(name, Options, field)                       \
  template <Number T>                                                 \
  GradientTransformation name(T field, Options options = Options()) { \
    options.field = static_cast<double>(field);                       \
    return name(options);                                             \
  }
HILO_FIRST_NUMBER(scale_by_adam, ScaleByAdamOptions, b1)
HILO_FIRST_NUMBER(scale_by_amsgrad, AmsgradOptions, b1)
HILO_FIRST_NUMBER(scale_by_adamax, AdamaxOptions, b1)
HILO_FIRST_NUMBER(scale_by_adan, AdanOptions, b1)
HILO_FIRST_NUMBER(scale_by_belief, BeliefOptions, b1)
HILO_FIRST_NUMBER(scale_by_yogi, YogiOptions, b1)
HILO_FIRST_NUMBER(scale_by_radam, RadamOptions, b1)
HILO_FIRST_NUMBER(scale_by_lion, LionOptions, b1)
HILO_FIRST_NUMBER(scale_by_novograd, NovogradOptions, b1)
HILO_FIRST_NUMBER(scale_by_rss, RssOptions, initial_accumulator_value)
HILO_FIRST_NUMBER(scale_by_rms, RmsOptions, decay)
HILO_FIRST_NUMBER(scale_by_stddev, RmsOptions, decay)
HILO_FIRST_NUMBER(scale_by_adadelta, AdadeltaOptions, rho)
HILO_FIRST_NUMBER(scale_by_sm3, Sm3Options, b1)
HILO_FIRST_NUMBER(scale_by_param_block_norm, MinScaleOptions, min_scale)
HILO_FIRST_NUMBER(scale_by_param_block_rms, MinScaleOptions, min_scale)
#undef HILO_FIRST_NUMBER
template <std::integral T>
GradientTransformation scale_by_lbfgs(T memory_size, LbfgsMemory options = LbfgsMemory()) {
  options.memory_size = memory_size;
  return scale_by_lbfgs(options);
}
template <Number T>
GradientTransformation scale_by_adam(T b1, T b2, ScaleByAdamOptions options = ScaleByAdamOptions()) {
  options.b1 = static_cast<double>(b1), options.b2 = static_cast<double>(b2);
  return scale_by_adam(options);
}

}  // namespace hilo::optim
