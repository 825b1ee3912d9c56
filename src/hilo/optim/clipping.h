// SPDX-License-Identifier: Apache-2.0
// optim/clipping.h -- transformations that bound updates, and repair them.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

/// Each element into [-max_delta, max_delta].
GradientTransformation clip(double max_delta);
/// Each array so that its root mean square is at most `threshold`.
GradientTransformation clip_by_block_rms(double threshold);
/// All arrays by one factor, so that their norm together is at most `max_norm`.
GradientTransformation clip_by_global_norm(double max_norm);
struct AdaptiveClipOptions {
  double eps = 1e-3;  ///< the least norm of a parameter
  numpy::Axes axis = std::nullopt;
};
/// Each unit's gradient to `clipping` times the norm of its parameters. Source    Brock et al., "High-performance large-scale
/// image recognition without normalization" (2021)
GradientTransformation adaptive_grad_clip(double clipping, const AdaptiveClipOptions& options = {});
/// NaN becomes 0; the state's found_nan says where there was one.
GradientTransformation zero_nans();
/// Updates that would make a parameter negative make it 0.
GradientTransformation keep_params_nonnegative();

/// Gradients with a batch axis in front: each example's is scaled so that its norm over all arrays is at most l2_norm_clip;
/// gives their sums, and how many were scaled.
std::pair<Leaves, Array> per_example_global_norm_clip(const Leaves& grads, double l2_norm_clip,
                                                      numpy::Line line = numpy::Line::current());
struct LayerClipOptions {
  bool uniform = true;  ///< equal norms, or by the root of each array's size
};
/// The same with a bound for each array; counts for each array.
std::pair<Leaves, Leaves> per_example_layer_norm_clip(const Leaves& grads, double global_l2_norm_clip,
                                                      const LayerClipOptions& options = {},
                                                      numpy::Line line = numpy::Line::current());
/// Gradients of examples, clipped, summed, with noise, averaged. Source    Abadi et al., "Deep learning with differential
/// privacy" (2016)
GradientTransformation differentially_private_aggregate(double l2_norm_clip, double noise_multiplier, int64_t seed);

}  // namespace hilo::optim
