// SPDX-License-Identifier: Apache-2.0
// lax/indexing.h -- gather and scatter with JAX's index modes, and helpers of their rules. Not for users.
#pragma once

#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/trace/trace.h"

namespace hilo::lax {

/// Return the scatter that writes where `g` reads, and the gather that reads where `s` writes windows of `updates`.
hlo::ScatterAttributes scatter_of(const hlo::GatherAttributes& g);
hlo::GatherAttributes gather_of(const hlo::ScatterAttributes& s, const Array& operand, const Array& updates);

/// Returns the gather that reads along `dimension` of an array of these sizes at the positions of an index array of the
/// same rank. All other dimensions are batch dimensions.
hlo::GatherAttributes gather_along(std::span<const int64_t> sizes, int64_t dimension);
/// Returns x along `dimension` at `positions`, which have the same rank and are in bounds.
Array take_along(const Array& x, const Array& positions, int64_t dimension);

/// Moves each index so that the whole window is in bounds, as HLO's gather does.
Array clamp_indices(const hlo::GatherAttributes& g, const Array& operand, const Array& indices);
/// Returns a pred per window: whether all of it is in bounds. Its shape is that of the indices without their vector
/// axis.
Array windows_inside(const hlo::GatherAttributes& g, const Array& operand, const Array& indices);
/// Broadcasts a value per window to an array whose dimensions `window_dims` belong to the windows.
Array spread_over_windows(const Array& per_window, const Shape& shape, const std::vector<int64_t>& window_dims);

/// Implements jax.lax.gather. Unspecified mode: kFillOrDrop. `fill_value` (a scalar) defaults to NaN, the minimum of a
/// signed type, the maximum of an unsigned one, or true.
Array gather(const Array& x, const Array& indices, hlo::GatherAttributes attributes, IndexMode mode,
             const std::optional<Array>& fill_value = std::nullopt);

/// Returns the indices for a scatter under `mode`, moved into bounds if required, and sets the mode in the attributes.
/// Unspecified mode: kFillOrDrop.
Array scatter_indices(hlo::ScatterAttributes& s, const Array& x, const Array& indices, const Array& updates,
                      IndexMode mode);

/// Implements jax.lax.scatter, scatter_add, ...: `opcode` as in ops::scatter. Unspecified mode: kFillOrDrop.
Array scatter(const Array& x, const Array& indices, const Array& updates, hlo::ScatterAttributes attributes,
              IndexMode mode, std::optional<hlo::Opcode> opcode);

}  // namespace hilo::lax
