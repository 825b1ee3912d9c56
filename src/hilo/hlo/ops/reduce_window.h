// SPDX-License-Identifier: Apache-2.0
// hlo/ops/reduce_window.h -- the reduce-window op, variadic: a reduction of every window that slides over the arrays.
#pragma once

#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

/// Operands: n arrays, n initial values. to_apply takes n accumulators and n elements. What lies in padding or between
/// dilated elements takes no part, as in XLA; the initial value counts once.
struct ReduceWindowAttributes : Attributes {
  Window window;
  ComputationPtr to_apply;
};

/// A reduce-window whose results are the running reductions of a line: result i is that of elements 0..i.
struct Cumulative {
  int64_t dimension = 0;
  bool reverse = false;  ///< of elements i..n-1
};

/// Whether `window` over an array of `sizes` is that: as long as the dimension, in steps of 1, with all but one of its
/// elements in the padding at one end. Windows of one element are none.
std::optional<Cumulative> cumulative_of(const Window& window, std::span<const int64_t> sizes);

/// Whether each step of a reduction is rounded to the array's type, as its body says and XLA does. Sums and products over
/// longer windows are kept in a wider one, where error doesn't grow.
bool is_short_window(const Window& window);

/// The window that does it.
Window cumulative_window(const Cumulative& cumulative, std::span<const int64_t> sizes);

/// The way of a dimension along which an op runs: each device runs along its part, and a number a line brings what is before it.
/// Reducers without a neutral value need the dimension whole.
void run_on_parts(LocalBuilder& builder, int64_t dimension, std::optional<ReducerKind> kind);

const OpDef& reduce_window_op();

}  // namespace hilo::hlo
