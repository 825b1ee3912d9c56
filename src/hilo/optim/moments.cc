// SPDX-License-Identifier: Apache-2.0
// optim/moments.cc -- scalings with moving averages of moments: Adam and its variants.
#include <fmt/format.h>

#include "hilo/optim/leaves.h"
#include "hilo/optim/scaling.h"

namespace hilo::optim {

using namespace leaves;  // arithmetic of leaves

namespace {

/// Returns the state of a transformation with a step count and two lists of moments.
OptState two_moments(const char* name, Leaves mu, Leaves nu) {
  return {name, {{"count", {no_steps()}}, {"mu", std::move(mu)}, {"nu", std::move(nu)}}};
}

/// Computes b1 * m + (1 - b1) * g, both bias-corrected: the next mean if the gradient stays constant.
Leaves nesterov_mean(const Leaves& mu, const Leaves& updates, double b1, const Array& count) {
  return map([&](const Array& m, const Array& g) { return b1 * m + (1 - b1) * g; },
             bias_correction(mu, b1, leaves::safe_increment(count)), bias_correction(updates, b1, count));
}
Leaves corrected_mean(const Leaves& mu, const Leaves& updates, double b1, const Array& count, bool nesterov) {
  return nesterov ? nesterov_mean(mu, updates, b1, count) : bias_correction(mu, b1, count);
}

/// Computes m / (sqrt(v + eps_root) + eps).
Leaves over_root(const Leaves& mu, const Leaves& nu, double eps_root, double eps) {
  return map([&](const Array& m, const Array& v) { return m / (numpy::sqrt(v + eps_root) + eps); }, mu, nu);
}

Leaves cast_like(const Leaves& x, const Leaves& like) {
  return map([](const Array& a, const Array& b) { return numpy::astype(a, b.dtype()); }, x, like);
}

}  // namespace

GradientTransformation scale_by_adam(const ScaleByAdamOptions& o) {
  constexpr const char* kName = "scale_by_adam";
  return {
      [=](const Parameters& p) { return two_moments(kName, zeros_like(p.arrays, o.mu_dtype), zeros_like(p.arrays)); },
      [=](const Leaves& updates, const OptState& state, const Given&) {
        const Leaves mu = update_moment(updates, field(state, kName, "mu"), o.b1, 1);
        const Leaves nu = update_squares(updates, field(state, kName, "nu"), o.b2);
        const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
        const Leaves mean = corrected_mean(mu, updates, o.b1, count, o.nesterov);
        OptState next = two_moments(kName, cast(mu, o.mu_dtype), cast_like(nu, field(state, kName, "nu")));
        next.fields["count"] = {count};
        return Updated{over_root(mean, bias_correction(nu, o.b2, count), o.eps_root, o.eps), next};
      }};
}

GradientTransformation scale_by_amsgrad(const AmsgradOptions& o) {
  constexpr const char* kName = "scale_by_amsgrad";
  return {[=](const Parameters& p) {
            OptState state = two_moments(kName, zeros_like(p.arrays, o.mu_dtype), zeros_like(p.arrays));
            state.fields["nu_max"] = zeros_like(p.arrays);
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves mu = update_moment(updates, field(state, kName, "mu"), o.b1, 1);
            const Leaves nu = update_squares(updates, field(state, kName, "nu"), o.b2);
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            const Leaves mean = o.bias_correction_mu ? bias_correction(mu, o.b1, count) : mu;
            const Leaves nu_now = o.bias_correction_nu ? bias_correction(nu, o.b2, count) : nu;
            const Leaves greatest = map([](const Array& a, const Array& b) { return numpy::maximum(a, b); },
                                        field(state, kName, "nu_max"), nu_now);
            OptState next{kName, {{"count", {count}}, {"mu", cast(mu, o.mu_dtype)}, {"nu", nu}, {"nu_max", greatest}}};
            return Updated{over_root(mean, greatest, o.eps_root, o.eps), next};
          }};
}

GradientTransformation scale_by_adamax(const AdamaxOptions& o) {
  constexpr const char* kName = "scale_by_adamax";
  return {[=](const Parameters& p) { return two_moments(kName, zeros_like(p.arrays), zeros_like(p.arrays)); },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            const Leaves mu = update_moment(updates, field(state, kName, "mu"), o.b1, 1);
            const Leaves nu =
                map([&](const Array& g, const Array& t) { return numpy::maximum(numpy::abs(g) + o.eps, o.b2 * t); },
                    updates, field(state, kName, "nu"));
            const Leaves out =
                map([](const Array& m, const Array& v) { return m / v; }, bias_correction(mu, o.b1, count), nu);
            return Updated{out, OptState{kName, {{"count", {count}}, {"mu", mu}, {"nu", nu}}}};
          }};
}

GradientTransformation scale_by_adan(const AdanOptions& o) {
  constexpr const char* kName = "scale_by_adan";
  return {[=](const Parameters& p) {
            const Leaves zeros = zeros_like(p.arrays);
            return OptState{kName, {{"m", zeros}, {"v", zeros}, {"n", zeros}, {"g", zeros}, {"t", {no_steps()}}}};
          },
          [=](const Leaves& g, const OptState& state, const Given&) {
            const Array before = field(state, kName, "t")[0], t = leaves::safe_increment(before);
            const Leaves change =
                map([&](const Array& now,
                        const Array& then) { return numpy::where(before == 0, numpy::zeros_like(now), now - then); },
                    g, field(state, kName, "g"));
            const auto plus_scaled = [&](const Array& a, const Array& b) { return a + (1 - o.b2) * b; };
            const Leaves m = update_moment(g, field(state, kName, "m"), o.b1, 1);
            const Leaves v = update_moment(change, field(state, kName, "v"), o.b2, 1);
            const Leaves n = update_squares(map(plus_scaled, g, change), field(state, kName, "n"), o.b3);
            const Leaves u = map(plus_scaled, bias_correction(m, o.b1, t), bias_correction(v, o.b2, t));
            OptState next{kName, {{"m", m}, {"v", v}, {"n", n}, {"g", g}, {"t", {t}}}};
            return Updated{over_root(u, bias_correction(n, o.b3, t), o.eps_root, o.eps), next};
          }};
}

GradientTransformation scale_by_belief(const BeliefOptions& o) {
  constexpr const char* kName = "scale_by_belief";
  return {[=](const Parameters& p) { return two_moments(kName, zeros_like(p.arrays), zeros_like(p.arrays)); },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves mu = update_moment(updates, field(state, kName, "mu"), o.b1, 1);
            const Leaves error = map([](const Array& g, const Array& m) { return g - m; }, updates, mu);
            const Leaves nu = map([&](const Array& v) { return v + o.eps_root; },
                                  update_squares(error, field(state, kName, "nu"), o.b2));
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            const Leaves mean = corrected_mean(mu, updates, o.b1, count, o.nesterov);
            const Leaves out = map([&](const Array& m, const Array& v) { return m / (numpy::sqrt(v) + o.eps); }, mean,
                                   bias_correction(nu, o.b2, count));
            return Updated{out, OptState{kName, {{"count", {count}}, {"mu", mu}, {"nu", nu}}}};
          }};
}

GradientTransformation scale_by_yogi(const YogiOptions& o) {
  constexpr const char* kName = "scale_by_yogi";
  return {[=](const Parameters& p) {
            const Leaves initial = full_like(p.arrays, o.initial_accumulator_value);
            return two_moments(kName, initial, initial);
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves mu = update_moment(updates, field(state, kName, "mu"), o.b1, 1);
            const Leaves nu =
                map([&](const Array& g,
                        const Array& v) { return v - (1 - o.b2) * numpy::sign(v - abs_squared(g)) * abs_squared(g); },
                    updates, field(state, kName, "nu"));
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            return Updated{
                over_root(bias_correction(mu, o.b1, count), bias_correction(nu, o.b2, count), o.eps_root, o.eps),
                OptState{kName, {{"count", {count}}, {"mu", mu}, {"nu", nu}}}};
          }};
}

GradientTransformation scale_by_radam(const RadamOptions& o) {
  constexpr const char* kName = "scale_by_radam";
  const double limit = 2.0 / (1.0 - o.b2) - 1.0;
  return {[=](const Parameters& p) { return two_moments(kName, zeros_like(p.arrays), zeros_like(p.arrays)); },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves mu = update_moment(updates, field(state, kName, "mu"), o.b1, 1);
            const Leaves nu = update_squares(updates, field(state, kName, "nu"), o.b2);
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            const Array b2t = numpy::power(o.b2, count);
            const Array ro = limit - 2 * count * b2t / (1.0 - b2t);
            const Array r = numpy::sqrt((ro - 4.0) * (ro - 2.0) * limit / ((limit - 4.0) * (limit - 2.0) * ro));
            const Leaves out = map(
                [&](const Array& m, const Array& v) {
                  const Array scaled = numpy::astype(r, m.dtype()) * m / (numpy::sqrt(v + o.eps_root) + o.eps);
                  return numpy::where(ro >= o.threshold, scaled, m);
                },
                corrected_mean(mu, updates, o.b1, count, o.nesterov), bias_correction(nu, o.b2, count));
            return Updated{out, OptState{kName, {{"count", {count}}, {"mu", mu}, {"nu", nu}}}};
          }};
}

GradientTransformation scale_by_lion(const LionOptions& o) {
  constexpr const char* kName = "scale_by_lion";
  const std::string mode = o.mode;
  if (mode != "hard" && mode != "smooth" && mode != "refined")
    or_throw(invalid_argument(
        fmt::format("{}: mode '{}' is unknown; wanted hard, smooth or refined", at_user_line(kName), mode)));
  return {[=](const Parameters& p) {
            return OptState{kName, {{"count", {no_steps()}}, {"mu", zeros_like(p.arrays, o.mu_dtype)}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            const Leaves& before = field(state, kName, "mu");
            const Leaves out = map(
                [&](const Array& g, const Array& m) {
                  const Array x = (1.0 - o.b1) * g + o.b1 * m;
                  if (mode == "smooth") return numpy::tanh(o.smooth_beta * x);
                  if (mode == "refined") return numpy::where(numpy::abs(x) < 1.0, x, numpy::sign(x));
                  return numpy::sign(x);
                },
                updates, before);
            const Leaves mu = cast(update_moment(updates, before, o.b2, 1), o.mu_dtype);
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]);
            return Updated{out, OptState{kName, {{"count", {count}}, {"mu", mu}}}};
          }};
}

GradientTransformation scale_by_novograd(const NovogradOptions& o) {
  constexpr const char* kName = "scale_by_novograd";
  return {[=](const Parameters& p) {
            const auto scalar = [](const Array& a) { return numpy::zeros({}, a.dtype()); };
            return two_moments(kName, zeros_like(p.arrays, o.mu_dtype), map(scalar, p.arrays));
          },
          [=](const Leaves& updates, const OptState& state, const Given& given) {
            const Leaves& params = params_of(kName, given);
            const Array count = leaves::safe_increment(field(state, kName, "count")[0]), first = count == 1;
            const Leaves nu = map(
                [&](const Array& g, const Array& n) {
                  const Array square = numpy::sum(abs_squared(g));
                  return numpy::where(first, numpy::astype(square, n.dtype()), (1 - o.b2) * square + o.b2 * n);
                },
                updates, field(state, kName, "nu"));
            const Leaves mu = map(
                [&](const Array& g, const Array& p, const Array& m, const Array& n) {
                  const Array added = g / (numpy::sqrt(n + o.eps_root) + o.eps) + o.weight_decay * p;
                  return numpy::where(first, added, o.b1 * m + added);
                },
                updates, params, field(state, kName, "mu"), nu);
            const Leaves stored = cast(mu, o.mu_dtype);
            return Updated{stored, OptState{kName, {{"count", {count}}, {"mu", stored}, {"nu", nu}}}};
          }};
}

}  // namespace hilo::optim
