// SPDX-License-Identifier: Apache-2.0
// optim/schedules.h -- optax's schedules: numbers as functions of the step count.
#pragma once

#include "hilo/optim/base.h"

namespace hilo::optim {

/// Returns the same value at every step.
Schedule constant_schedule(double value);
struct TransitionOptions {
  int64_t transition_begin = 0;  ///< number of steps before the first change
};
/// Goes from init_value to end_value in transition_steps steps, as (1 - t)^power.
/// Example    polynomial_schedule(1.0, 0.0, 2.0, 10)(5)  // 0.25
Schedule polynomial_schedule(double init_value, double end_value, double power, int64_t transition_steps,
                             const TransitionOptions& options = {});
/// Goes linearly from init_value to end_value in transition_steps steps.
/// Example    linear_schedule(1.0, 0.0, 10)(5)  // 0.5
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
  bool staircase = false;                          ///< whether the value changes only every transition_steps steps
  std::optional<double> end_value = std::nullopt;  ///< bound of the decay
};
/// Decays as init_value * decay_rate^(count / transition_steps).
/// Example    exponential_decay(1.0, 10, 0.5)(20)  // 0.25
Schedule exponential_decay(double init_value, int64_t transition_steps, double decay_rate,
                           const ExponentialDecayOptions& options = {});
/// The arguments of exponential_decay by name.
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
  double alpha = 0.0;  ///< final value, as a fraction of the initial one
  double exponent = 1.0;
};
/// Decays along half a cosine from init_value, in decay_steps steps.
/// Source     Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017)
/// Errors     INVALID_ARGUMENT for decay_steps below 1
/// Example    cosine_decay_schedule(1.0, 10)(5)  // 0.5
Schedule cosine_decay_schedule(double init_value, int64_t decay_steps, const CosineDecayOptions& options = {});
inline Schedule cosine_decay_schedule(double init_value, int64_t decay_steps, double alpha, double exponent = 1.0) {
  return cosine_decay_schedule(init_value, decay_steps, CosineDecayOptions{.alpha = alpha, .exponent = exponent});
}
/// The arguments of cosine_decay_schedule by name.
struct CosineDecaySchedule {
  Required<double> init_value;
  Required<int64_t> decay_steps;
  double alpha = 0.0, exponent = 1.0;
};
inline Schedule cosine_decay_schedule(const CosineDecaySchedule& o) {
  return cosine_decay_schedule(o.init_value.value, o.decay_steps.value, {.alpha = o.alpha, .exponent = o.exponent});
}
/// Returns init_value times the scales of all boundaries passed so far.
/// Errors     INVALID_ARGUMENT for a negative scale
/// Example    piecewise_constant_schedule(1.0, {{5, 0.1}})(7)  // 0.1
Schedule piecewise_constant_schedule(double init_value, const std::map<int64_t, double>& boundaries_and_scales = {});
/// The arguments of piecewise_constant_schedule by name.
struct PiecewiseConstantSchedule {
  Required<double> init_value;
  std::map<int64_t, double> boundaries_and_scales = {};
};
inline Schedule piecewise_constant_schedule(const PiecewiseConstantSchedule& o) {
  return piecewise_constant_schedule(o.init_value.value, o.boundaries_and_scales);
}
/// Interpolates between the values of piecewise_constant_schedule at the boundaries: "linear" or "cosine".
Schedule piecewise_interpolate_schedule(std::string_view interpolate_type, double init_value,
                                        const std::map<int64_t, double>& boundaries_and_scales = {});
struct LinearOnecycleOptions {
  double pct_start = 0.3, pct_final = 0.85, div_factor = 25.0, final_div_factor = 1e4;
};
/// Increases linearly to the peak, decreases again, and then decays to nearly 0.
/// Source    Smith and Topin, "Super-convergence" (2019)
Schedule linear_onecycle_schedule(int64_t transition_steps, double peak_value,
                                  const LinearOnecycleOptions& options = {});
struct CosineOnecycleOptions {
  double pct_start = 0.3, div_factor = 25.0, final_div_factor = 1e4;
};
/// Increases along a cosine to the peak, and decays along a cosine to nearly 0.
Schedule cosine_onecycle_schedule(int64_t transition_steps, double peak_value,
                                  const CosineOnecycleOptions& options = {});
/// Increases linearly to the peak, and stays there.
Schedule warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps);
struct WarmupCosineOptions {
  double end_value = 0.0, exponent = 1.0;
};
/// Increases linearly to the peak, then decays along half a cosine; decay_steps include the warm-up.
/// Example    warmup_cosine_decay_schedule(0.0, 1.0, 5, 15)(10)  // 0.5
Schedule warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps, int64_t decay_steps,
                                      const WarmupCosineOptions& options = {});
/// The arguments of warmup_cosine_decay_schedule by name.
struct WarmupCosineDecaySchedule {
  Required<double> init_value, peak_value;
  Required<int64_t> warmup_steps, decay_steps;
  double end_value = 0.0, exponent = 1.0;
};
inline Schedule warmup_cosine_decay_schedule(const WarmupCosineDecaySchedule& o) {
  return warmup_cosine_decay_schedule(o.init_value.value, o.peak_value.value, o.warmup_steps.value, o.decay_steps.value,
                                      {.end_value = o.end_value, .exponent = o.exponent});
}
/// Increases linearly to the peak, then decays exponentially.
Schedule warmup_exponential_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
                                           int64_t transition_steps, double decay_rate,
                                           const ExponentialDecayOptions& options = {});
/// Joins several warmup_cosine_decay_schedule, each specified by a map of its arguments.
/// Errors    INVALID_ARGUMENT for an unknown or missing name
Schedule sgdr_schedule(const std::vector<std::map<std::string, double>>& cosine_kwargs);
/// Joins schedules: schedules[i] applies from boundaries[i - 1] on, and counts from there.
/// Errors    INVALID_ARGUMENT unless there is one schedule more than boundaries
Schedule join_schedules(const std::vector<Schedule>& schedules, const std::vector<int64_t>& boundaries);

/// A schedule with its own state, which counts the steps.
struct WrappedSchedule {
  Schedule schedule_fn;

  OptState init() const;
  OptState update(const OptState& state) const;
  /// Errors    INVALID_ARGUMENT for a state of another transformation
  Array operator()(const OptState& state) const;
};

}  // namespace hilo::optim
