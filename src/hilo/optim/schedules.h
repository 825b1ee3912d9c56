// SPDX-License-Identifier: Apache-2.0
// optim/schedules.h -- optax's schedules: numbers that follow the count of steps.
#pragma once

#include "hilo/optim/base.h"

namespace hilo::optim {

/// The same value at every step.
Schedule constant_schedule(double value);
struct TransitionOptions {
  int64_t transition_begin = 0;  ///< steps before anything changes
};
/// From init_value to end_value in transition_steps, as (1 - t)^power.
Schedule polynomial_schedule(double init_value, double end_value, double power, int64_t transition_steps,
                             const TransitionOptions& options = {});
Schedule linear_schedule(double init_value, double end_value, int64_t transition_steps,
                         const TransitionOptions& options = {});
struct PolynomialSchedule {
  Required<double> init_value, end_value, power;
  Required<int64_t> transition_steps;
  int64_t transition_begin = 0;
};
inline Schedule polynomial_schedule(const PolynomialSchedule& o) {
  return polynomial_schedule(o.init_value.value, o.end_value.value, o.power.value, o.transition_steps.value,
                             {.transition_begin = o.transition_begin});
}
struct LinearSchedule {
  Required<double> init_value, end_value;
  Required<int64_t> transition_steps;
  int64_t transition_begin = 0;
};
inline Schedule linear_schedule(const LinearSchedule& o) {
  return linear_schedule(o.init_value.value, o.end_value.value, o.transition_steps.value,
                         {.transition_begin = o.transition_begin});
}
struct ExponentialDecayOptions {
  int64_t transition_begin = 0;
  bool staircase = false;                          ///< changes each transition_steps, else continuously
  std::optional<double> end_value = std::nullopt;  ///< where the decay ends
};
/// init_value * decay_rate^(count / transition_steps)
Schedule exponential_decay(double init_value, int64_t transition_steps, double decay_rate,
                           const ExponentialDecayOptions& options = {});
/// exponential_decay by name.
struct ExponentialDecay {
  Required<double> init_value;
  Required<int64_t> transition_steps;
  Required<double> decay_rate;
  int64_t transition_begin = 0;
  bool staircase = false;
  std::optional<double> end_value = std::nullopt;
};
inline Schedule exponential_decay(const ExponentialDecay& o) {
  return exponential_decay(
      o.init_value.value, o.transition_steps.value, o.decay_rate.value,
      {.transition_begin = o.transition_begin, .staircase = o.staircase, .end_value = o.end_value});
}
struct CosineDecayOptions {
  double alpha = 0.0;  ///< the last value, as a part of the first
  double exponent = 1.0;
};
/// Half a cosine from init_value down, in decay_steps.
/// Source    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017)
/// Errors    INVALID_ARGUMENT for decay_steps below 1
Schedule cosine_decay_schedule(double init_value, int64_t decay_steps, const CosineDecayOptions& options = {});
inline Schedule cosine_decay_schedule(double init_value, int64_t decay_steps, double alpha, double exponent = 1.0) {
  return cosine_decay_schedule(init_value, decay_steps, CosineDecayOptions{.alpha = alpha, .exponent = exponent});
}
/// cosine_decay_schedule by name.
struct CosineDecaySchedule {
  Required<double> init_value;
  Required<int64_t> decay_steps;
  double alpha = 0.0, exponent = 1.0;
};
inline Schedule cosine_decay_schedule(const CosineDecaySchedule& o) {
  return cosine_decay_schedule(o.init_value.value, o.decay_steps.value, {.alpha = o.alpha, .exponent = o.exponent});
}
/// init_value times the scales of all boundaries that have been passed.
/// Errors    INVALID_ARGUMENT for a negative scale
Schedule piecewise_constant_schedule(double init_value, const std::map<int64_t, double>& boundaries_and_scales = {});
/// piecewise_constant_schedule by name.
struct PiecewiseConstantSchedule {
  Required<double> init_value;
  std::map<int64_t, double> boundaries_and_scales = {};
};
inline Schedule piecewise_constant_schedule(const PiecewiseConstantSchedule& o) {
  return piecewise_constant_schedule(o.init_value.value, o.boundaries_and_scales);
}
/// The same values at the boundaries, and "linear" or "cosine" between.
Schedule piecewise_interpolate_schedule(std::string_view interpolate_type, double init_value,
                                        const std::map<int64_t, double>& boundaries_and_scales = {});
struct LinearOnecycleOptions {
  double pct_start = 0.3, pct_final = 0.85, div_factor = 25.0, final_div_factor = 1e4;
};
/// Up to the peak, down again, and on to nearly nothing.
/// Source    Smith and Topin, "Super-convergence" (2019)
Schedule linear_onecycle_schedule(int64_t transition_steps, double peak_value,
                                  const LinearOnecycleOptions& options = {});
struct CosineOnecycleOptions {
  double pct_start = 0.3, div_factor = 25.0, final_div_factor = 1e4;
};
Schedule cosine_onecycle_schedule(int64_t transition_steps, double peak_value,
                                  const CosineOnecycleOptions& options = {});
Schedule warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps);
struct WarmupCosineOptions {
  double end_value = 0.0, exponent = 1.0;
};
/// Linearly to the peak, then half a cosine; decay_steps count the warm-up too.
Schedule warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps, int64_t decay_steps,
                                      const WarmupCosineOptions& options = {});
/// warmup_cosine_decay_schedule by name.
struct WarmupCosineDecaySchedule {
  Required<double> init_value, peak_value;
  Required<int64_t> warmup_steps, decay_steps;
  double end_value = 0.0, exponent = 1.0;
};
inline Schedule warmup_cosine_decay_schedule(const WarmupCosineDecaySchedule& o) {
  return warmup_cosine_decay_schedule(o.init_value.value, o.peak_value.value, o.warmup_steps.value, o.decay_steps.value,
                                      {.end_value = o.end_value, .exponent = o.exponent});
}
Schedule warmup_exponential_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
                                           int64_t transition_steps, double decay_rate,
                                           const ExponentialDecayOptions& options = {});
/// Several of warmup_cosine_decay_schedule in a row, each of a map with the names of its arguments.
/// Errors    INVALID_ARGUMENT for another name, or one that lacks
Schedule sgdr_schedule(const std::vector<std::map<std::string, double>>& cosine_kwargs);
/// schedules[i] from boundaries[i - 1] on, which counts from there.
/// Errors    INVALID_ARGUMENT unless there is one schedule more than boundaries
Schedule join_schedules(const std::vector<Schedule>& schedules, const std::vector<int64_t>& boundaries);

/// A schedule with a state of its own, which counts the steps.
struct WrappedSchedule {
  Schedule schedule_fn;

  OptState init() const;
  OptState update(const OptState& state) const;
  /// Errors    INVALID_ARGUMENT for another's state
  Array operator()(const OptState& state) const;
};

}  // namespace hilo::optim
