// SPDX-License-Identifier: Apache-2.0
// optim/clipping.h -- transformations that bound or repair updates.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

/// Clips each element to [-max_delta, max_delta].
GradientTransformation clip(double max_delta);
/// Scales each array so that its root mean square is at most `threshold`.
GradientTransformation clip_by_block_rms(double threshold);
/// Scales all arrays by one factor so that their joint norm is at most `max_norm`.
/// Example    const auto tx = clip_by_global_norm(1.0);
///            const Array g = numpy::array({3.0, 4.0});
///            tx.update(g, tx.init(g)).first  // [0.6 0.8]
GradientTransformation clip_by_global_norm(double max_norm);
struct AdaptiveClipOptions {
  double eps = 1e-3;  ///< minimum norm of a parameter
  numpy::Axes axis = std::nullopt;
};
/// Clips the gradient of each unit to `clipping` times the norm of the unit's parameters.
/// Source    Brock et al., "High-performance large-scale image recognition without normalization" (2021)
GradientTransformation adaptive_grad_clip(double clipping, const AdaptiveClipOptions& options = {});
/// Replaces NaNs by 0; the state's field found_nan reports where.
GradientTransformation zero_nans();
/// Limits updates so that parameters stay nonnegative.
GradientTransformation keep_params_nonnegative();

/// Clips gradients with a leading batch axis: scales each example's gradients to a joint norm of at most l2_norm_clip.
/// Returns their sums, and the number of clipped examples.
std::pair<Leaves, Array> per_example_global_norm_clip(const Leaves& grads, double l2_norm_clip,
                                                      numpy::Line line = numpy::Line::current());
struct LayerClipOptions {
  bool uniform = true;  ///< equal bounds for all arrays; else proportional to the root of their sizes
};
/// Clips the gradients of each example with a bound for each array; returns sums and counts for each array.
std::pair<Leaves, Leaves> per_example_layer_norm_clip(const Leaves& grads, double global_l2_norm_clip,
                                                      const LayerClipOptions& options = {},
                                                      numpy::Line line = numpy::Line::current());
/// Clips and sums the gradients of examples, adds noise, and averages.
/// Source    Abadi et al., "Deep learning with differential privacy" (2016)
GradientTransformation differentially_private_aggregate(double l2_norm_clip, double noise_multiplier, int64_t seed);

}  // namespace hilo::optim
