// SPDX-License-Identifier: Apache-2.0
// optim/noise.h -- add_noise with a key; optim/scaling.h has the version with a seed.
#pragma once

#include "hilo/optim/scaling.h"
#include "hilo/random/random.h"

namespace hilo::optim {

/// Adds noise of variance eta / (1 + t)^gamma in step t.
GradientTransformation add_noise(double eta, double gamma, const random::Key& key);
/// The source of randomness: a key or a seed.
/// Errors    INVALID_ARGUMENT for none or both
struct NoiseOptions {
  std::optional<random::Key> key = std::nullopt;
  std::optional<int64_t> seed = std::nullopt;
};
GradientTransformation add_noise(double eta, double gamma, const NoiseOptions& options);

}  // namespace hilo::optim
