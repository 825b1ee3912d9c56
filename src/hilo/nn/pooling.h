// SPDX-License-Identifier: Apache-2.0
// nn/pooling.h -- pooling, as flax.linen has it: batch dimensions, spatial dimensions, features.
#pragma once

#include "hilo/lax/window.h"

namespace hilo::nn {

// Windows of `window_shape` over the dimensions before the last, which are its features; what stands before them are
// batches. A batch may be missing. Strides are 1 by default.
//   Types      max_pool and min_pool: real numbers; avg_pool: floats
//   Errors     INVALID_ARGUMENT for lists that don't match the window's rank, or an array of too few dimensions
//   Example    max_pool(images, {2, 2}, {2, 2})   f32[n,h,w,c] -> f32[n,h/2,w/2,c]
Array max_pool(const Operand& inputs, const std::vector<int64_t>& window_shape,
               const std::vector<int64_t>& strides = {}, const lax::Padding& padding = "VALID");
Array min_pool(const Operand& inputs, const std::vector<int64_t>& window_shape,
               const std::vector<int64_t>& strides = {}, const lax::Padding& padding = "VALID");
/// With `count_include_pad` the sum is divided by the window's size, else by how many elements of it are in the array.
Array avg_pool(const Operand& inputs, const std::vector<int64_t>& window_shape,
               const std::vector<int64_t>& strides = {}, const lax::Padding& padding = "VALID",
               bool count_include_pad = true);

}  // namespace hilo::nn
