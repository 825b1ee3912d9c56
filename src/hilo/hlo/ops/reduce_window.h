// SPDX-License-Identifier: Apache-2.0
// hlo/ops/reduce_window.h -- the reduce-window op, variadic: reduces every window that slides over the arrays.
#pragma once

#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

/// Operands: n arrays, n initial values. to_apply has n accumulators and n elements as parameters. As in XLA, padding
/// and the gaps between dilated elements are ignored, and the initial value is used once.
struct ReduceWindowAttributes : Attributes {
  Window window;
  ComputationPtr to_apply;
};

/// A cumulative reduction by reduce-window: result i is the reduction of elements 0..i of a line.
struct Cumulative {
  int64_t dimension = 0;
  bool reverse = false;  ///< of elements i..n-1
};

/// Returns the cumulative reduction if `window` over an array of `sizes` is one: as long as the dimension, with stride
/// 1, and padding of all but one of its elements at one end. Windows of one element don't count.
std::optional<Cumulative> cumulative_of(const Window& window, std::span<const int64_t> sizes);

/// Returns whether each step of a reduction is rounded to the array's type, as in its body and in XLA. Sums and
/// products over longer windows use a wider type, so that errors don't grow.
bool is_short_window(const Window& window);

/// Returns the window of a cumulative reduction.
Window cumulative_window(const Cumulative& cumulative, std::span<const int64_t> sizes);

/// Sets the strategy of a dimension along which an op is cumulative. Each device reduces its shard, and one number per
/// line carries the result of the shards before it. Reducers without a neutral value need the whole dimension.
void run_on_parts(LocalBuilder& builder, int64_t dimension, std::optional<ReducerKind> kind);

}  // namespace hilo::hlo
