// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/cumulative.h -- running reductions (a reduce-window as long as its dimension) in one pass.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// The array as [outer, length, inner], reduced along the middle.
struct RunningLines {
  int64_t outer = 1, length = 1, inner = 1;
  bool reverse = false;
};

/// Units: blocks().
struct CumulativeProblem {
  RunningLines lines;
  bool is_short = false;  ///< whether each step is rounded to the element type
  ElementType type{};
  hlo::ReducerKind kind{};

  /// Returns the number of groups of neighbouring lines.
  int64_t blocks() const;
};

/// Any reducer of n arrays, as a compiled function of scalars. Units: lines. Scratch: scratch_bytes().
struct CumulativeCompiledProblem {
  RunningLines lines;
  List<int64_t> widths;  ///< bytes of the elements of the arrays

  size_t scratch_bytes() const { return Scratch::bytes_for<void*>(2 * widths.size) + widths.size * sizeof(void*); }
};

}  // namespace hilo::cpu::runtime
