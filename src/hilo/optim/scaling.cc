// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/optim/leaves.h"
#include "hilo/optim/noise.h"
#include "hilo/random/random.h"

namespace hilo::optim {

using namespace leaves;  // arithmetic of leaves

GradientTransformation scale(const Array& step_size) {
  return of_each("scale", [step_size](const Array& g) { return step_size * g; });
}

GradientTransformation scale_by_learning_rate(const std::optional<ScalarOrSchedule>& learning_rate,
                                              const LearningRateOptions& options) {
  if (!learning_rate) return identity();
  const double sign = options.flip_sign ? -1 : 1;
  if (learning_rate->is_schedule())
    return scale_by_schedule([=](const Array& count) { return sign * learning_rate->at(count); });
  return learning_rate->number() ? scale(sign * *learning_rate->number()) : scale(sign * learning_rate->value());
}

GradientTransformation scale_by_schedule(Schedule step_size_fn) {
  constexpr const char* kName = "scale_by_schedule";
  return {[=](const Parameters&) { return OptState{kName, {{"count", {no_steps()}}}}; },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Array count = field(state, kName, "count")[0], step = step_size_fn(count);
            return Updated{map([&](const Array& g) { return numpy::astype(step, g.dtype()) * g; }, updates),
                           OptState{kName, {{"count", {leaves::safe_increment(count)}}}}};
          }};
}

GradientTransformation scale_by_sign() {
  return of_each("scale_by_sign", [](const Array& g) { return numpy::sign(g); });
}

GradientTransformation scale_by_rss(const RssOptions& o) {
  constexpr const char* kName = "scale_by_rss";
  return {[=](const Parameters& p) {
            return OptState{kName, {{"sum_of_squares", full_like(p.arrays, o.initial_accumulator_value)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves sum = map([](const Array& g, const Array& t) { return abs_squared(g) + t; }, updates,
                                   field(state, kName, "sum_of_squares"));
            const auto scaled = [&](const Array& t, const Array& g) {
              return numpy::where(t > 0, 1 / numpy::sqrt(t + o.eps), 0.0) * g;
            };
            return Updated{map(scaled, sum, updates), OptState{kName, {{"sum_of_squares", sum}}}};
          }};
}

namespace {

/// Implements scale_by_rms, and with `centered` scale_by_stddev.
GradientTransformation by_rms(const char* name, const RmsOptions& o, bool centered) {
  return {[=](const Parameters& p) {
            OptState state{name, {{"nu", full_like(p.arrays, o.initial_scale)}}};
            if (centered) state.fields["mu"] = zeros_like(p.arrays);
            if (o.bias_correction) state.fields["count"] = {no_steps()};
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            OptState next = state;
            const Leaves nu = update_squares(updates, field(state, name, "nu"), o.decay);
            const Leaves mu = centered ? update_moment(updates, field(state, name, "mu"), o.decay, 1) : Leaves();
            Leaves variance = nu, mean = mu;
            if (o.bias_correction) {
              const Array count = leaves::safe_increment(field(state, name, "count")[0]);
              variance = bias_correction(nu, o.decay, count);
              mean = bias_correction(mu, o.decay, count);
              next.fields["count"] = {count};
            }
            if (centered) {
              variance = map([](const Array& n, const Array& m) { return n - abs_squared(m); }, variance, mean);
              next.fields["mu"] = mu;
            }
            next.fields["nu"] = nu;
            const auto scaled = [&](const Array& n, const Array& g) {
              const Array root = o.eps_in_sqrt ? numpy::sqrt(n + o.eps) : numpy::sqrt(n) + o.eps;
              return 1 / root * g;
            };
            return Updated{map(scaled, variance, updates), next};
          }};
}

}  // namespace

GradientTransformation scale_by_rms(const RmsOptions& options) { return by_rms("scale_by_rms", options, false); }
GradientTransformation scale_by_stddev(const RmsOptions& options) { return by_rms("scale_by_stddev", options, true); }

GradientTransformation scale_by_distance_over_gradients(const DistanceOptions& o) {
  constexpr const char* kName = "scale_by_distance_over_gradients";
  const auto norm = [](const Array& x) { return numpy::sqrt(numpy::sum(abs_squared(x))); };
  return {[=](const Parameters& p) {
            const auto first = [&](const Array& x) { return o.reps_rel * (1.0 + norm(x)); };
            const auto none = [](const Array&) { return numpy::zeros({1}); };
            return OptState{kName,
                            {{"max_dist", map(first, p.arrays)},
                             {"grad_sum_of_squares", map(none, p.arrays)},
                             {"init_params", cast(p.arrays, o.param_dtype)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Leaves& from = field(state, kName, "init_params");
            const auto farther = [&](const Array& d, const Array& p, const Array& first) {
              return numpy::maximum(d, norm(p - first));
            };
            const Leaves farthest = map(farther, field(state, kName, "max_dist"), params_of(kName, inputs), from);
            const Leaves sum = map([](const Array& s, const Array& g) { return s + numpy::sum(abs_squared(g)); },
                                   field(state, kName, "grad_sum_of_squares"), updates);
            const auto scaled = [&](const Array& g, const Array& d, const Array& s) {
              return o.global_scale * (d / numpy::sqrt(s + o.eps)) * g;
            };
            return Updated{
                map(scaled, updates, farthest, sum),
                OptState{kName, {{"max_dist", farthest}, {"grad_sum_of_squares", sum}, {"init_params", from}}}};
          }};
}

GradientTransformation scale_by_adadelta(const AdadeltaOptions& o) {
  constexpr const char* kName = "scale_by_adadelta";
  return {[=](const Parameters& p) {
            return OptState{kName, {{"e_g", zeros_like(p.arrays)}, {"e_x", zeros_like(p.arrays)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves e_g = update_moment(updates, field(state, kName, "e_g"), o.rho, 2);
            const Leaves out =
                map([&](const Array& g, const Array& now,
                        const Array& before) { return numpy::sqrt(before + o.eps) / numpy::sqrt(now + o.eps) * g; },
                    updates, e_g, field(state, kName, "e_x"));
            const Leaves e_x = update_moment(out, field(state, kName, "e_x"), o.rho, 2);
            return Updated{out, OptState{kName, {{"e_g", e_g}, {"e_x", e_x}}}};
          }};
}

GradientTransformation scale_by_rprop(double learning_rate, const RpropOptions& o) {
  constexpr const char* kName = "scale_by_rprop";
  return {[=](const Parameters& p) {
            return OptState{
                kName, {{"step_sizes", full_like(p.arrays, learning_rate)}, {"prev_updates", zeros_like(p.arrays)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves& before = field(state, kName, "prev_updates");
            const Leaves sign = map([](const Array& g, const Array& p) { return g * p; }, updates, before);
            const Leaves sizes = map(
                [&](const Array& s, const Array& size) {
                  const Array moved = size * numpy::where(s > 0, o.eta_plus, o.eta_minus);
                  return numpy::where(s == 0, size, numpy::clip(moved, o.min_step_size, o.max_step_size));
                },
                sign, field(state, kName, "step_sizes"));
            const auto unless_turned = [](const Array& s, const Array& x) {
              return numpy::where(s < 0, numpy::zeros_like(x), x);
            };
            const Leaves steps =
                map([](const Array& size, const Array& g) { return size * numpy::sign(g); }, sizes, updates);
            const Leaves stored = map(unless_turned, sign, steps);
            return Updated{map(unless_turned, sign, before),  // signs of the previous step, as in optax
                           OptState{kName, {{"step_sizes", sizes}, {"prev_updates", stored}}}};
          }};
}

GradientTransformation scale_by_optimistic_gradient(const OptimisticOptions& o) {
  constexpr const char* kName = "scale_by_optimistic_gradient";
  return {
      [=](const Parameters& p) {
        return OptState{kName,
                        {{"is_initial_step", {numpy::astype(Array(true), ElementType::kPred)}},
                         {"previous_gradient", zeros_like(p.arrays)}}};
      },
      [=](const Leaves& updates, const OptState& state, const Given&) {
        const Array first = field(state, kName, "is_initial_step")[0];
        const Leaves out =
            map([&](const Array& g,
                    const Array& before) { return (o.alpha + o.beta) * g - o.beta * numpy::where(first, g, before); },
                updates, field(state, kName, "previous_gradient"));
        return Updated{
            out, OptState{kName, {{"is_initial_step", {numpy::zeros_like(first)}}, {"previous_gradient", updates}}}};
      }};
}

GradientTransformation scale_by_param_block_norm(const MinScaleOptions& o) {
  return of_all("scale_by_param_block_norm", [=](const Leaves& updates, const Given& inputs) {
    return map([&](const Array& u, const Array& p) { return u * leaves::safe_norm(p, o.min_scale); }, updates,
               params_of("scale_by_param_block_norm", inputs));
  });
}
GradientTransformation scale_by_param_block_rms(const MinScaleOptions& o) {
  return of_all("scale_by_param_block_rms", [=](const Leaves& updates, const Given& inputs) {
    return map([&](const Array& u, const Array& p) { return u * leaves::safe_root_mean_squares(p, o.min_scale); },
               updates, params_of("scale_by_param_block_rms", inputs));
  });
}

GradientTransformation scale_by_trust_ratio(const TrustRatioOptions& o) {
  return of_all("scale_by_trust_ratio", [=](const Leaves& updates, const Given& inputs) {
    return map(
        [&](const Array& u, const Array& p) {
          const Array param_norm = leaves::safe_norm(p, o.min_norm), update_norm = leaves::safe_norm(u, o.min_norm);
          const Array ratio = o.trust_coefficient * param_norm / (update_norm + o.eps);
          return u * numpy::where((param_norm == 0.0) | (update_norm == 0.0), numpy::astype(1.0, p.dtype()), ratio);
        },
        updates, params_of("scale_by_trust_ratio", inputs));
  });
}

GradientTransformation scale_by_polyak(const PolyakOptions& o) {
  const std::string variant = o.variant;
  if (variant != "sps" && variant != "sps+")
    or_throw(invalid_argument(
        fmt::format("{}: variant '{}' is unknown; wanted sps or sps+", at_user_line("scale_by_polyak"), variant)));
  return of_all("scale_by_polyak", [=](const Leaves& updates, const Given& inputs) {
    if (!inputs.value)
      or_throw(invalid_argument(at_user_line("scale_by_polyak") +
                                ": it needs the loss. Hint: update(updates, state, params, {.value = loss})"));
    const Array norm = squared_norm(updates);
    Array gap = numpy::astype(*inputs.value - o.f_min, norm.dtype());
    if (variant == "sps+") gap = numpy::maximum(gap, 0.0);
    const Array limit = numpy::minimum(gap / (norm + o.eps), o.max_learning_rate);
    const Array step = numpy::where(norm + o.eps <= numpy::finfo(default_float()).eps, 0.0, limit);
    return map([&](const Array& u) { return step * u; }, updates);
  });
}

GradientTransformation normalize_by_update_norm(const UpdateNormOptions& o) {
  return of_all("normalize_by_update_norm", [=](const Leaves& updates, const Given&) {
    const Array norm = (numpy::sqrt(squared_norm(updates)) + o.eps) / o.scale_factor;
    return map([&](const Array& g) { return g / norm; }, updates);
  });
}

GradientTransformation centralize() {
  return of_each("centralize", [](const Array& g) {
    if (g.ndim() < 2) return g;
    std::vector<int64_t> axes(static_cast<size_t>(g.ndim()) - 1);
    std::iota(axes.begin(), axes.end(), 1);
    return g - numpy::mean(g, {.axis = axes, .keepdims = true});
  });
}

GradientTransformation trace(double decay, const TraceOptions& o) {
  constexpr const char* kName = "trace";
  return {[=](const Parameters& p) { return OptState{kName, {{"trace", zeros_like(p.arrays, o.accumulator_dtype)}}}; },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const auto add = [&](const Array& g, const Array& t) { return g + decay * t; };
            const Leaves sum = map(add, updates, field(state, kName, "trace"));
            return Updated{o.nesterov ? map(add, updates, sum) : sum,
                           OptState{kName, {{"trace", cast(sum, o.accumulator_dtype)}}}};
          }};
}

GradientTransformation ema(double decay, const EmaOptions& o) {
  constexpr const char* kName = "ema";
  return {[=](const Parameters& p) {
            return OptState{kName, {{"count", {no_steps()}}, {"ema", zeros_like(p.arrays, o.accumulator_dtype)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves mean = update_moment(updates, field(state, kName, "ema"), decay, 1);
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            return Updated{o.debias ? bias_correction(mean, decay, count) : mean,
                           OptState{kName, {{"count", {count}}, {"ema", cast(mean, o.accumulator_dtype)}}}};
          }};
}

GradientTransformation apply_every(int64_t k) {
  constexpr const char* kName = "apply_every";
  if (k < 1) or_throw(invalid_argument(fmt::format("{}: k must be 1 or more; got {}", at_user_line(kName), k)));
  return {[=](const Parameters& p) {
            return OptState{kName, {{"count", {no_steps()}}, {"grad_acc", zeros_like(p.arrays)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Array count = field(state, kName, "count")[0], c = count % k;
            const Leaves sum = map([&](const Array& g, const Array& so_far) { return (c != 0) * so_far + g; }, updates,
                                   field(state, kName, "grad_acc"));
            return Updated{map([&](const Array& s) { return (c == k - 1) * s; }, sum),
                           OptState{kName, {{"count", {leaves::safe_increment(count) % k}}, {"grad_acc", sum}}}};
          }};
}

GradientTransformation add_noise(double eta, double gamma, const NoiseOptions& options) {
  if (options.key.has_value() == options.seed.has_value())
    or_throw(invalid_argument("add_noise: wanted a key or a seed; got " + std::string(options.key ? "both" : "none")));
  return add_noise(eta, gamma, options.key ? *options.key : random::key(*options.seed));
}
GradientTransformation add_noise(double eta, double gamma, const random::Key& key) {
  constexpr const char* kName = "add_noise";
  return {[=](const Parameters&) { return OptState{kName, {{"count", {no_steps()}}, {"rng_key", {key.data}}}}; },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            const Array deviation = numpy::sqrt(eta / numpy::power(count, gamma));
            const std::vector<random::Key> keys = random::split(random::Key{field(state, kName, "rng_key")[0]});
            const std::vector<random::Key> each = random::split(keys[1], std::ssize(updates));
            size_t next = 0;
            const Leaves out = map(
                [&](const Array& u) {
                  return u + deviation * random::normal(each[next++], Dimensions(u.shape()), u.dtype());
                },
                updates);
            return Updated{out, OptState{kName, {{"count", {count}}, {"rng_key", {keys[0].data}}}}};
          }};
}
GradientTransformation add_noise(double eta, double gamma, int64_t seed) {
  return add_noise(eta, gamma, random::key(seed));
}

}  // namespace hilo::optim
