// SPDX-License-Identifier: Apache-2.0
// optim/leaves.h -- arithmetic on lists of leaves, and helpers of transformations. Internal.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/optim/base.h"

namespace hilo::optim::leaves {

/// Applies f(a, ...) to each leaf.
template <typename F, typename... Rest>
Leaves map(F&& f, const Leaves& first, const Rest&... rest) {
  Leaves out;
  out.reserve(first.size());
  for (size_t i = 0; i < first.size(); ++i) out.push_back(f(first[i], rest[i]...));
  return out;
}
Leaves zeros_like(const Leaves& x, numpy::Dtype dtype = std::nullopt);
Leaves full_like(const Leaves& x, const Array& value);
/// Converts to `dtype`, if specified.
Leaves cast(const Leaves& x, numpy::Dtype dtype);

/// Returns |x|^2 as a real array.
Array abs_squared(const Array& x);
/// Returns the sum of squares of all leaves.
Array squared_norm(const Leaves& x);
/// Returns the real part of the sum of conj(x) * y over all leaves.
Array real_vdot(const Leaves& x, const Leaves& y);
/// Returns the norm, but at least `least`; without NaN in its derivative there.
Array safe_norm(const Array& x, double least);
Array safe_root_mean_squares(const Array& x, double least);

/// Computes (1 - decay) * g^order + decay * t, a moving average of powers. The second function uses absolute values of
/// complex gradients.
Leaves update_moment(const Leaves& gradients, const Leaves& moments, double decay, int order);
Leaves update_squares(const Leaves& gradients, const Leaves& moments, double decay);
/// Computes moment / (1 - decay^count).
Leaves bias_correction(const Leaves& moment, double decay, const Array& count);

/// Returns the s32 scalar 0; the second function returns count + 1, saturated at the maximum.
Array no_steps();
Array safe_increment(const Array& count);

/// Returns a stateless transformation of each leaf, or of all leaves with the arguments of update.
GradientTransformation of_each(const char* name, std::function<Array(const Array&)> f);
GradientTransformation of_all(const char* name, std::function<Leaves(const Leaves&, const Given&)> f);
/// Returns the parameters.
/// Errors    INVALID_ARGUMENT if none were passed
const Leaves& params_of(const char* name, const Given& inputs);
/// Returns field `name` of the state of `transformation`.
/// Errors    INVALID_ARGUMENT if the state lacks it
const Leaves& field(const OptState& state, const char* transformation, const char* name);
/// Errors    INVALID_ARGUMENT for a state of another transformation
void check_state(const OptState& state, const char* name, size_t inner);

}  // namespace hilo::optim::leaves
