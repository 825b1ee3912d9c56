// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/clipping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hilo/optim/leaves.h"
#include "hilo/random/random.h"

namespace hilo::optim {

using namespace leaves;  // arithmetic of leaves

GradientTransformation clip(double max_delta) {
  return of_each("clip", [=](const Array& u) { return numpy::clip(u, -max_delta, max_delta); });
}

GradientTransformation clip_by_block_rms(double threshold) {
  return of_each("clip_by_block_rms", [=](const Array& u) {
    return u / numpy::maximum(1.0, numpy::sqrt(numpy::mean(abs_squared(u))) / threshold);
  });
}

GradientTransformation clip_by_global_norm(double max_norm) {
  return of_all("clip_by_global_norm", [=](const Leaves& updates, const Given&) {
    const Array norm = numpy::sqrt(squared_norm(updates)), small = norm < max_norm;
    return map([&](const Array& u) { return numpy::where(small, u, u / numpy::astype(norm, u.dtype()) * max_norm); },
               updates);
  });
}

namespace {

/// Returns the norm of each unit, broadcast to its elements.
Array unitwise_norm(const Array& x, const numpy::Axes& axis) {
  numpy::Axes axes = axis;
  if (!axes && numpy::squeeze(x).ndim() > 1) {
    if (x.ndim() > 5)
      or_throw(invalid_argument(fmt::format("{}: parameters have 1 to 5 dimensions; got {}. Hint: specify the axis",
                                            at_user_line("adaptive_grad_clip"), x.aval_shape().to_string())));
    std::vector<int64_t> reduced(x.ndim() <= 3 ? 1 : static_cast<size_t>(x.ndim()) - 1);
    std::iota(reduced.begin(), reduced.end(), 0);
    axes = reduced;
  }
  const Array sum = numpy::sum(abs_squared(x), {.axis = axes, .keepdims = true});
  return numpy::broadcast_to(numpy::sqrt(sum), x.shape());
}

}  // namespace

GradientTransformation adaptive_grad_clip(double clipping, const AdaptiveClipOptions& o) {
  return of_all("adaptive_grad_clip", [=](const Leaves& updates, const Given& inputs) {
    return map(
        [&](const Array& g, const Array& p) {
          const Array norm = unitwise_norm(g, o.axis);
          const Array most = clipping * numpy::maximum(unitwise_norm(p, o.axis), o.eps);
          return numpy::where(norm < most, g, g * (most / numpy::maximum(norm, 1e-6)));
        },
        updates, params_of("adaptive_grad_clip", inputs));
  });
}

GradientTransformation zero_nans() {
  constexpr const char* kName = "zero_nans";
  return {[=](const Parameters& p) {
            return OptState{
                kName,
                {{"found_nan", map([](const Array&) { return numpy::zeros({}, ElementType::kPred); }, p.arrays)}}};
          },
          [=](const Leaves& updates, const OptState&, const Given&) {
            const Leaves found = map([](const Array& u) { return numpy::any(numpy::isnan(u)); }, updates);
            const auto repaired = [](const Array& u) { return numpy::where(numpy::isnan(u), numpy::zeros_like(u), u); };
            return Updated{map(repaired, updates), OptState{kName, {{"found_nan", found}}}};
          }};
}

GradientTransformation keep_params_nonnegative() {
  return of_all("keep_params_nonnegative", [](const Leaves& updates, const Given& inputs) {
    return map([](const Array& u, const Array& p) { return numpy::where(p + u < 0.0, -p, u); }, updates,
               params_of("keep_params_nonnegative", inputs));
  });
}

namespace {

void check_batched(const char* what, const Leaves& grads) {
  for (const Array& g : grads) {
    if (g.ndim() >= 1 && g.shape(0) == grads[0].shape(0)) continue;
    or_throw(invalid_argument(fmt::format("{}: gradients must have a leading batch axis of one extent; got {} and {}",
                                          at_user_line(what), grads[0].aval_shape().to_string(),
                                          g.aval_shape().to_string())));
  }
}

std::pair<Leaves, Array> clipped_sums(const Leaves& grads, double most) {
  Array squares = 0.0;
  for (const Array& g : grads) squares = squares + numpy::sum(numpy::reshape(abs_squared(g), {g.shape(0), -1}), 1);
  const Array factors = numpy::nan_to_num(numpy::minimum(most / numpy::sqrt(squares), 1.0), {.nan = Array(1.0)});
  return {map([&](const Array& g) { return numpy::tensordot(factors, g, 1); }, grads), numpy::sum(factors < 1.0)};
}

}  // namespace

std::pair<Leaves, Array> per_example_global_norm_clip(const Leaves& grads, double l2_norm_clip, numpy::Line line) {
  const UserLocation here(line);
  check_batched("per_example_global_norm_clip", grads);
  return clipped_sums(grads, l2_norm_clip);
}

std::pair<Leaves, Leaves> per_example_layer_norm_clip(const Leaves& grads, double global_l2_norm_clip,
                                                      const LayerClipOptions& options, numpy::Line line) {
  const UserLocation here(line);
  check_batched("per_example_layer_norm_clip", grads);
  const auto size_of = [](const Array& g) {
    return static_cast<double>(g.size()) / static_cast<double>(std::max<int64_t>(g.shape(0), 1));
  };
  double total = 0;
  for (const Array& g : grads) total += size_of(g);
  std::pair<Leaves, Leaves> out;
  for (const Array& g : grads) {
    const double share = options.uniform ? 1.0 / static_cast<double>(grads.size()) : size_of(g) / total;
    const auto [sums, count] = clipped_sums({g}, global_l2_norm_clip * std::sqrt(share));
    out.first.push_back(sums[0]);
    out.second.push_back(count);
  }
  return out;
}

GradientTransformation differentially_private_aggregate(double l2_norm_clip, double noise_multiplier, int64_t seed) {
  constexpr const char* kName = "differentially_private_aggregate";
  return {[=](const Parameters&) { return OptState{kName, {{"rng_key", {random::key(seed).data}}}}; },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            check_batched(kName, updates);
            const Leaves sums = clipped_sums(updates, l2_norm_clip).first;
            const std::vector<random::Key> keys =
                random::split(random::Key{field(state, kName, "rng_key")[0]}, std::ssize(updates) + 1);
            size_t next = 1;
            const Leaves out = map(
                [&](const Array& sum) {
                  const Array noise = random::normal(keys[next++], Dimensions(sum.shape()), sum.dtype());
                  return (sum + l2_norm_clip * noise_multiplier * noise) / static_cast<double>(updates[0].shape(0));
                },
                sums);
            return Updated{out, OptState{kName, {{"rng_key", {keys[0].data}}}}};
          }};
}

}  // namespace hilo::optim
