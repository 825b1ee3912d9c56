// SPDX-License-Identifier: Apache-2.0
// lax/indexing.h -- gather and scatter with JAX's index modes, and what their rules share. Not for users.
#pragma once

#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/trace/trace.h"

namespace hilo::lax {

/// The scatter that writes where `g` reads, and the gather that reads where `s` writes windows of `updates`.
hlo::ScatterAttributes scatter_of(const hlo::GatherAttributes& g);
hlo::GatherAttributes gather_of(const hlo::ScatterAttributes& s, const Array& operand, const Array& updates);

/// The gather that reads, along `dimension` of an array of these sizes, where an index array of the same rank says: all
/// other dimensions are batch dimensions.
hlo::GatherAttributes gather_along(std::span<const int64_t> sizes, int64_t dimension);
/// x along `dimension` at `positions`, of the same rank, all of them inside.
Array take_along(const Array& x, const Array& positions, int64_t dimension);

/// Each index moved to where the whole window is inside, as HLO's gather does.
Array clamp_indices(const hlo::GatherAttributes& g, const Array& operand, const Array& indices);
/// pred, one a window: is all of it inside? Of the shape of the indices less their vector axis.
Array windows_inside(const hlo::GatherAttributes& g, const Array& operand, const Array& indices);
/// A value a window, spread over an array whose dimensions `window_dims` are the windows' own.
Array spread_over_windows(const Array& per_window, const Shape& shape, const std::vector<int64_t>& window_dims);

/// jax.lax.gather. Unspecified means kFillOrDrop; `fill_value` (a scalar) is by default NaN, the least of a signed type,
/// the greatest of an unsigned one, true.
Array gather(const Array& x, const Array& indices, hlo::GatherAttributes attributes, IndexMode mode,
             const std::optional<Array>& fill_value = std::nullopt);

/// What a scatter under `mode` writes with: says the mode in the attributes, unspecified being kFillOrDrop, and returns the
/// indices, moved inside if they are to be.
Array scatter_indices(hlo::ScatterAttributes& s, const Array& x, const Array& indices, const Array& updates,
                      IndexMode mode);

/// jax.lax.scatter, scatter_add, ...: `opcode` as in ops::scatter. Unspecified means kFillOrDrop.
Array scatter(const Array& x, const Array& indices, const Array& updates, hlo::ScatterAttributes attributes,
              IndexMode mode, std::optional<hlo::Opcode> opcode);

}  // namespace hilo::lax
