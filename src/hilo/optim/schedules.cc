// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "hilo/numpy/numpy.h"
#include "hilo/optim/leaves.h"

namespace hilo::optim {

namespace {

void check_scales(const char* what, const std::map<int64_t, double>& boundaries_and_scales) {
  for (const auto& [boundary, scale] : boundaries_and_scales) {
    if (!(scale >= 0))
      or_throw(invalid_argument(
          fmt::format("{}: scales must not be negative; got {} at {}", at_user_line(what), scale, boundary)));
  }
}
void check_steps(const char* what, int64_t steps) {
  if (steps <= 0)
    or_throw(invalid_argument(fmt::format("{}: wanted 1 step or more; got {}", at_user_line(what), steps)));
}

}  // namespace

Schedule constant_schedule(double value) {
  return [=](const Array&) { return Array(value); };
}

Schedule polynomial_schedule(double init_value, double end_value, double power, int64_t transition_steps,
                             const TransitionOptions& options) {
  if (transition_steps <= 0) return constant_schedule(init_value);
  const int64_t begin = std::max<int64_t>(options.transition_begin, 0);
  return [=](const Array& count) {
    const Array left = 1 - numpy::clip(count - begin, 0, transition_steps) / transition_steps;
    return (init_value - end_value) * (power == 1 ? left : numpy::power(left, power)) + end_value;
  };
}

Schedule linear_schedule(double init_value, double end_value, int64_t transition_steps,
                         const TransitionOptions& options) {
  return polynomial_schedule(init_value, end_value, 1, transition_steps, options);
}

Schedule exponential_decay(double init_value, int64_t transition_steps, double decay_rate,
                           const ExponentialDecayOptions& o) {
  if (transition_steps <= 0 || decay_rate == 0) return constant_schedule(init_value);
  const int64_t begin = std::max<int64_t>(o.transition_begin, 0);
  return [=](const Array& count) {
    const Array since = count - begin, part = since / transition_steps;
    const Array power = numpy::power(decay_rate, o.staircase ? numpy::floor(part) : part);
    const Array value = numpy::where(since <= 0, init_value, init_value * power);
    if (!o.end_value) return value;
    return decay_rate < 1.0 ? numpy::maximum(value, *o.end_value) : numpy::minimum(value, *o.end_value);
  };
}

Schedule cosine_decay_schedule(double init_value, int64_t decay_steps, const CosineDecayOptions& o) {
  check_steps("cosine_decay_schedule", decay_steps);
  return [=](const Array& count) {
    const double steps = static_cast<double>(decay_steps);
    const Array cosine = 0.5 * (1 + numpy::cos(std::numbers::pi * numpy::minimum(count, steps) / steps));
    const Array decayed = o.exponent == 1 ? cosine : numpy::power(cosine, o.exponent);
    return init_value * ((1 - o.alpha) * decayed + o.alpha);
  };
}

Schedule piecewise_constant_schedule(double init_value, const std::map<int64_t, double>& boundaries_and_scales) {
  check_scales("piecewise_constant_schedule", boundaries_and_scales);
  return [=](const Array& count) {
    Array value = init_value;
    for (const auto& [boundary, scale] : boundaries_and_scales) {
      const Array before = numpy::maximum(0.0, numpy::sign(boundary - count));
      value = value * before + (1 - before) * scale * value;
    }
    return value;
  };
}

Schedule piecewise_interpolate_schedule(std::string_view interpolate_type, double init_value,
                                        const std::map<int64_t, double>& boundaries_and_scales) {
  if (interpolate_type != "linear" && interpolate_type != "cosine")
    or_throw(invalid_argument(fmt::format("{}: type '{}' is unknown; wanted linear or cosine",
                                          at_user_line("piecewise_interpolate_schedule"), interpolate_type)));
  check_scales("piecewise_interpolate_schedule", boundaries_and_scales);
  std::vector<double> bounds = {0}, values = {init_value};
  for (const auto& [boundary, scale] : boundaries_and_scales) {
    bounds.push_back(static_cast<double>(boundary));
    values.push_back(values.back() * scale);
  }
  const bool cosine = interpolate_type == "cosine";
  return [=](const Array& count) {
    Array value = numpy::where(count >= bounds.back(), numpy::astype(values.back(), default_float()), 0.0);
    for (size_t i = 0; i + 1 < bounds.size(); ++i) {
      const Array part = (count - bounds[i]) / std::max(bounds[i + 1] - bounds[i], 1.0);
      const double first = values[i], last = values[i + 1];
      const Array between = cosine ? last + (first - last) / 2.0 * (numpy::cos(std::numbers::pi * part) + 1)
                                   : (last - first) * part + first;
      value = numpy::where((count >= bounds[i]) & (count < bounds[i + 1]), value + between, value);
    }
    return value;
  };
}

Schedule linear_onecycle_schedule(int64_t transition_steps, double peak_value, const LinearOnecycleOptions& o) {
  check_steps("linear_onecycle_schedule", transition_steps);
  const auto at = [&](double part) { return static_cast<int64_t>(part * static_cast<double>(transition_steps)); };
  std::map<int64_t, double> scales;  // a later boundary replaces an equal one
  scales[at(o.pct_start)] = o.div_factor;
  scales[at(o.pct_final)] = 1.0 / o.div_factor;
  scales[transition_steps] = 1.0 / o.final_div_factor;
  return piecewise_interpolate_schedule("linear", peak_value / o.div_factor, scales);
}

Schedule cosine_onecycle_schedule(int64_t transition_steps, double peak_value, const CosineOnecycleOptions& o) {
  check_steps("cosine_onecycle_schedule", transition_steps);
  std::map<int64_t, double> scales;
  scales[static_cast<int64_t>(o.pct_start * static_cast<double>(transition_steps))] = o.div_factor;
  scales[transition_steps] = 1.0 / (o.div_factor * o.final_div_factor);
  return piecewise_interpolate_schedule("cosine", peak_value / o.div_factor, scales);
}

Schedule warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps) {
  return linear_schedule(init_value, peak_value, warmup_steps);
}

Schedule warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps, int64_t decay_steps,
                                      const WarmupCosineOptions& o) {
  const double alpha = peak_value == 0 ? 0.0 : o.end_value / peak_value;
  return join_schedules(
      {linear_schedule(init_value, peak_value, warmup_steps),
       cosine_decay_schedule(peak_value, decay_steps - warmup_steps, {.alpha = alpha, .exponent = o.exponent})},
      {warmup_steps});
}

Schedule warmup_exponential_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
                                           int64_t transition_steps, double decay_rate,
                                           const ExponentialDecayOptions& options) {
  return join_schedules({linear_schedule(init_value, peak_value, warmup_steps),
                         exponential_decay(peak_value, transition_steps, decay_rate, options)},
                        {warmup_steps});
}

namespace {
Schedule warmup_cosine_of(const std::map<std::string, double>& arguments) {
  std::map<std::string, double> all = {{"end_value", 0.0}, {"exponent", 1.0}};
  for (const auto& [name, value] : arguments) all[name] = value;
  for (const char* name : {"init_value", "peak_value", "warmup_steps", "decay_steps"}) {
    if (all.contains(name) && all.size() == 6) continue;
    or_throw(invalid_argument(at_user_line("sgdr_schedule") +
                              ": wanted init_value, peak_value, warmup_steps, decay_steps and perhaps end_value and "
                              "exponent for each cosine"));
  }
  return warmup_cosine_decay_schedule(all["init_value"], all["peak_value"], static_cast<int64_t>(all["warmup_steps"]),
                                      static_cast<int64_t>(all["decay_steps"]),
                                      {.end_value = all["end_value"], .exponent = all["exponent"]});
}
}  // namespace

Schedule sgdr_schedule(const std::vector<std::map<std::string, double>>& cosine_kwargs) {
  std::vector<Schedule> schedules;
  std::vector<int64_t> boundaries;
  int64_t step = 0;
  for (const std::map<std::string, double>& arguments : cosine_kwargs) {
    if (!schedules.empty()) boundaries.push_back(step);
    schedules.push_back(warmup_cosine_of(arguments));
    step += static_cast<int64_t>(arguments.at("decay_steps"));
  }
  return join_schedules(schedules, boundaries);
}

Schedule join_schedules(const std::vector<Schedule>& schedules, const std::vector<int64_t>& boundaries) {
  if (schedules.size() != boundaries.size() + 1)
    or_throw(invalid_argument(fmt::format("{}: wanted one schedule more than boundaries; got {} and {}",
                                          at_user_line("join_schedules"), schedules.size(), boundaries.size())));
  return [=](const Array& step) {
    Array out = schedules[0](step);
    for (size_t i = 0; i < boundaries.size(); ++i)
      out = numpy::where(step < boundaries[i], out, schedules[i + 1](step - boundaries[i]));
    return out;
  };
}

OptState WrappedSchedule::init() const { return {"WrappedSchedule", {{"count", {leaves::no_steps()}}}}; }
OptState WrappedSchedule::update(const OptState& state) const {
  const Array& count = leaves::field(state, "WrappedSchedule", "count")[0];
  return {"WrappedSchedule", {{"count", {leaves::safe_increment(count)}}}};
}
Array WrappedSchedule::operator()(const OptState& state) const {
  return schedule_fn(leaves::field(state, "WrappedSchedule", "count")[0]);
}

}  // namespace hilo::optim
