// SPDX-License-Identifier: Apache-2.0
// optim/factored.cc -- scalings that store less than one number for each parameter (Adafactor, SM3), and L-BFGS, which
// stores more.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/optim/leaves.h"
#include "hilo/optim/scaling.h"

namespace hilo::optim {

using namespace leaves;  // arithmetic of leaves

namespace {

/// Returns the two greatest axes of a shape, the second greatest first, if the second moment is to be factored.
std::optional<std::pair<int64_t, int64_t>> factored_axes(std::span<const int64_t> shape, const FactoredRmsOptions& o) {
  if (!o.factored || shape.size() < 2) return std::nullopt;
  std::vector<int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t d) { return shape[d]; });
  const int64_t second = order[order.size() - 2], first = order.back();
  if (shape[second] < o.min_dim_size_to_factor) return std::nullopt;
  return std::pair(second, first);
}

Array zeros_without(const Array& x, int64_t axis) {
  Dimensions shape(x.shape());
  shape.erase(shape.begin() + axis);
  return numpy::zeros(shape, x.dtype());
}
Array unused(const Array& x) { return numpy::zeros({1}, x.dtype()); }

struct Factored {
  Array update, row, column, full;
};
Factored factored_step(const Array& g, const Array& row, const Array& column, const Array& full, const Array& p,
                       const Array& decay, const FactoredRmsOptions& o) {
  const Array squares = abs_squared(g) + o.epsilon, rest = 1.0 - decay;
  const auto axes = factored_axes(p.shape(), o);
  if (!axes) {
    const Array v = numpy::astype(decay * full + rest * squares, p.dtype());
    return {g * numpy::power(v, -0.5), unused(p), unused(p), v};
  }
  const auto [d1, d0] = *axes;
  const Array v_row = numpy::astype(decay * row + rest * numpy::mean(squares, d0), p.dtype());
  const Array v_column = numpy::astype(decay * column + rest * numpy::mean(squares, d1), p.dtype());
  const Array mean = numpy::mean(v_row, {.axis = d1 > d0 ? d1 - 1 : d1, .keepdims = true});
  const Array by_row = numpy::power(v_row / mean, -0.5), by_column = numpy::power(v_column, -0.5);
  return {g * numpy::expand_dims(by_row, d0) * numpy::expand_dims(by_column, d1), v_row, v_column, unused(p)};
}

}  // namespace

GradientTransformation scale_by_factored_rms(const FactoredRmsOptions& o) {
  constexpr const char* kName = "scale_by_factored_rms";
  return {[=](const Parameters& p) {
            OptState state{kName, {{"count", {no_steps()}}, {"v_row", {}}, {"v_col", {}}, {"v", {}}}};
            for (const Array& a : p.arrays) {
              const auto axes = factored_axes(a.shape(), o);
              state.fields["v_row"].push_back(axes ? zeros_without(a, axes->second) : unused(a));
              state.fields["v_col"].push_back(axes ? zeros_without(a, axes->first) : unused(a));
              state.fields["v"].push_back(axes ? unused(a) : numpy::zeros_like(a));
            }
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Leaves& params = params_of(kName, inputs);
            const Array count = field(state, kName, "count")[0];
            const Array t = numpy::astype(count - o.step_offset + 1, ElementType::kF32);
            const Array decay = 1.0 - numpy::power(t, -o.decay_rate);
            OptState next{kName, {{"count", {leaves::safe_increment(count)}}, {"v_row", {}}, {"v_col", {}}, {"v", {}}}};
            Leaves out;
            for (size_t i = 0; i < updates.size(); ++i) {
              const Factored step =
                  factored_step(updates[i], field(state, kName, "v_row")[i], field(state, kName, "v_col")[i],
                                field(state, kName, "v")[i], params[i], decay, o);
              out.push_back(step.update);
              next.fields["v_row"].push_back(step.row);
              next.fields["v_col"].push_back(step.column);
              next.fields["v"].push_back(step.full);
            }
            return Updated{out, next};
          }};
}

namespace {

/// Reduces all axes but one, with extent 1.
Array along(const Array& v, const Array& like, int64_t axis) {
  Dimensions shape(std::vector<int64_t>(like.shape().size(), 1));
  shape[axis] = like.shape(axis);
  return numpy::reshape(v, shape);
}
std::vector<int64_t> other_axes(int64_t axis, int64_t rank) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis) out.push_back(d);
  return out;
}

}  // namespace

GradientTransformation scale_by_sm3(const Sm3Options& o) {
  constexpr const char* kName = "scale_by_sm3";
  return {
      [=](const Parameters& p) {
        OptState state{kName, {{"mu", {}}, {"nu", zeros_like(p.arrays)}}};
        for (const Array& a : p.arrays)
          for (int64_t d = 0; d < a.ndim(); ++d) state.fields["mu"].push_back(numpy::zeros({a.shape(d)}, a.dtype()));
        return state;
      },
      [=](const Leaves& updates, const OptState& state, const Given&) {
        const Leaves& before = field(state, kName, "mu");
        const double own = o.b2 != 1.0 ? 1.0 - o.b2 : 1.0;
        OptState next{kName, {{"mu", {}}, {"nu", {}}}};
        Leaves scaled;
        size_t first = 0;
        for (const Array& g : updates) {
          if (g.ndim() == 0)
            or_throw(invalid_argument(at_user_line(kName) + ": it requires parameters of one dimension or more; got a "
                                                            "scalar"));
          Array least = along(before.at(first), g, 0);
          for (int64_t d = 1; d < g.ndim(); ++d)
            least = numpy::minimum(least, along(before.at(first + static_cast<size_t>(d)), g, d));
          first += g.ndim();
          const Array sum = own * numpy::square(g) + o.b2 * least;
          for (int64_t d = 0; d < g.ndim(); ++d)
            next.fields["mu"].push_back(g.ndim() < 2 ? sum : numpy::max(sum, other_axes(d, g.ndim())));
          scaled.push_back(g * numpy::where(sum > 0, 1 / numpy::sqrt(sum + o.eps), 0.0));
        }
        next.fields["nu"] = update_moment(scaled, field(state, kName, "nu"), o.b1, 1);
        return Updated{next.fields["nu"], next};
      }};
}

namespace {

/// Returns row `i` of each array.
Leaves rows_at(const Leaves& stacked, const Array& i) {
  return map([&](const Array& x) { return numpy::take(x, i, 0); }, stacked);
}
Leaves plus_scaled(const Leaves& x, const Array& factor, const Leaves& y) {
  return map([&](const Array& a, const Array& b) { return numpy::astype(a + factor * b, a.dtype()); }, x, y);
}

/// The two-loop recursion of L-BFGS over the stored steps: newest to oldest, then back.
Leaves by_memory(Leaves v, const Leaves& steps, const Leaves& changes, const Array& weights, const Array& scale,
                 const Array& newest_next) {
  const int64_t size = weights.shape(0);
  Leaves alphas(static_cast<size_t>(size));
  const auto place = [&](int64_t k) { return (newest_next + k) % size; };
  for (int64_t k = size - 1; k >= 0; --k) {
    const Array i = place(k), alpha = numpy::take(weights, i, 0) * real_vdot(rows_at(steps, i), v);
    v = plus_scaled(v, -alpha, rows_at(changes, i));
    alphas[k] = alpha;
  }
  v = map([&](const Array& x) { return scale * x; }, v);
  for (int64_t k = 0; k < size; ++k) {
    const Array i = place(k), beta = numpy::take(weights, i, 0) * real_vdot(rows_at(changes, i), v);
    v = plus_scaled(v, alphas[k] - beta, rows_at(steps, i));
  }
  return v;
}

Leaves differences(const Leaves& x, const Leaves& y) {
  return map([](const Array& a, const Array& b) { return a - b; }, x, y);
}

}  // namespace

GradientTransformation scale_by_lbfgs(const LbfgsMemory& o) {
  constexpr const char* kName = "scale_by_lbfgs";
  if (o.memory_size < 1)
    or_throw(
        invalid_argument(fmt::format("{}: memory_size must be 1 or more; got {}", at_user_line(kName), o.memory_size)));
  return {[=](const Parameters& p) {
            const Leaves stacked = map(
                [&](const Array& a) {
                  Dimensions shape(a.shape());
                  shape.insert(shape.begin(), o.memory_size);
                  return numpy::zeros(shape, a.dtype());
                },
                p.arrays);
            return OptState{kName,
                            {{"count", {no_steps()}},
                             {"params", zeros_like(p.arrays)},
                             {"updates", zeros_like(p.arrays)},
                             {"diff_params_memory", stacked},
                             {"diff_updates_memory", stacked},
                             {"weights_memory", {numpy::zeros({o.memory_size})}}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Leaves& params = params_of(kName, inputs);
            const Array count = field(state, kName, "count")[0], some = count > 0;
            const auto if_some = [&](const Array& x) { return numpy::where(some, x, numpy::zeros_like(x)); };
            const Leaves step = differences(params, field(state, kName, "params"));
            const Leaves change = differences(updates, field(state, kName, "updates"));
            const Array product = real_vdot(change, step);
            const Array weight = if_some(numpy::where(product == 0.0, 0.0, 1.0 / product));
            const Leaves kept_step = map(if_some, step), kept_change = map(if_some, change);
            const Array last = (count - 1) % o.memory_size;
            const auto put = [&](const Array& all, const Array& one) { return all.at(last).set(one); };
            const Leaves steps = map(put, field(state, kName, "diff_params_memory"), kept_step);
            const Leaves changes = map(put, field(state, kName, "diff_updates_memory"), kept_change);
            const Array weights = put(field(state, kName, "weights_memory")[0], weight);
            Array scale = 1.0;
            if (o.scale_init_precond) {
              const Array top = real_vdot(kept_change, kept_step), below = squared_norm(kept_change);
              const Array first = numpy::minimum(1.0, 1.0 / numpy::sqrt(squared_norm(updates)));
              scale = numpy::where(some, numpy::where(below > 0.0, top / below, 1.0), first);
            }
            const Leaves out = by_memory(updates, steps, changes, weights, scale, count % o.memory_size);
            return Updated{out, OptState{kName,
                                         {{"count", {leaves::safe_increment(count)}},
                                          {"params", params},
                                          {"updates", updates},
                                          {"diff_params_memory", steps},
                                          {"diff_updates_memory", changes},
                                          {"weights_memory", {weights}}}}};
          }};
}

}  // namespace hilo::optim
