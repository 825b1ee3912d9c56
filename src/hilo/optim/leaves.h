// SPDX-License-Identifier: Apache-2.0
// optim/leaves.h -- arithmetic on lists of leaves, and what transformations are made of. Not for users.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/optim/base.h"

namespace hilo::optim::leaves {

/// f(a, ...) of each leaf.
template <typename F, typename... Rest>
Leaves map(F&& f, const Leaves& first, const Rest&... rest) {
  Leaves out;
  out.reserve(first.size());
  for (size_t i = 0; i < first.size(); ++i) out.push_back(f(first[i], rest[i]...));
  return out;
}
Leaves zeros_like(const Leaves& x, numpy::Dtype dtype = std::nullopt);
Leaves full_like(const Leaves& x, const Array& value);
/// As `dtype`, if one is asked for.
Leaves cast(const Leaves& x, numpy::Dtype dtype);

/// |x|^2, real.
Array abs_squared(const Array& x);
/// The sum of squares of all leaves.
Array squared_norm(const Leaves& x);
/// The real part of the sum of conj(x) y of all leaves.
Array real_vdot(const Leaves& x, const Leaves& y);
/// Not below `least`, and without NaN in its derivative there.
Array safe_norm(const Array& x, double least);
Array safe_root_mean_squares(const Array& x, double least);

/// (1 - decay) g^order + decay t: the running mean of powers; the second takes the size of complex gradients.
Leaves update_moment(const Leaves& gradients, const Leaves& moments, double decay, int order);
Leaves update_squares(const Leaves& gradients, const Leaves& moments, double decay);
/// moment / (1 - decay^count)
Leaves bias_correction(const Leaves& moment, double decay, const Array& count);

/// The scalar s32 0, and count + 1 that stays at the greatest value.
Array no_steps();
Array safe_increment(const Array& count);

/// A transformation without a state, of each leaf, or of all with what update is given.
GradientTransformation of_each(const char* name, std::function<Array(const Array&)> f);
GradientTransformation of_all(const char* name, std::function<Leaves(const Leaves&, const Given&)> f);
/// The parameters. Errors    INVALID_ARGUMENT where there are none
const Leaves& params_of(const char* name, const Given& given);
/// Field `name` of the state of `transformation`. Errors    INVALID_ARGUMENT where it has none
const Leaves& field(const OptState& state, const char* transformation, const char* name);
/// Refuses a state that isn't `name`'s.
void check_state(const OptState& state, const char* name, size_t inner);

}  // namespace hilo::optim::leaves
