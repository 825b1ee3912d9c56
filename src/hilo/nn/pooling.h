// SPDX-License-Identifier: Apache-2.0
// nn/pooling.h -- pooling as in flax.linen: [batch..., spatial..., features].
#pragma once

#include "hilo/lax/window.h"

namespace hilo::nn {

// Returns the maximum (minimum) of each window over the spatial dimensions. Leading dimensions are batches and may be
// missing. Strides are 1 by default.
// Shapes     [batch..., spatial..., features]
// Types      max_pool and min_pool: real numbers; avg_pool: floats
// Errors     INVALID_ARGUMENT for lists whose length is not the rank of the window, or an array with too few dimensions
// Example    max_pool(numpy::arange(16.0f).reshape({1, 4, 4, 1}), {2, 2}, {2, 2}).ravel()  // [ 5. 7. 13. 15.]
Array max_pool(const Operand& inputs, const std::vector<int64_t>& window_shape,
               const std::vector<int64_t>& strides = {}, const lax::Padding& padding = "VALID");
Array min_pool(const Operand& inputs, const std::vector<int64_t>& window_shape,
               const std::vector<int64_t>& strides = {}, const lax::Padding& padding = "VALID");
/// Returns the mean of each window. With `count_include_pad` the divisor is the size of the window, else the number of
/// its elements inside the array.
Array avg_pool(const Operand& inputs, const std::vector<int64_t>& window_shape,
               const std::vector<int64_t>& strides = {}, const lax::Padding& padding = "VALID",
               bool count_include_pad = true);

}  // namespace hilo::nn
