// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/reduce.h -- reductions by a compiled function of scalars.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"

namespace hilo::cpu::runtime {

/// Reduces n arrays, whose sizes and strides are split in those of the results and those of the reduced elements.
/// Units: elements of a result. Scratch: scratch_bytes().
struct ReduceCompiledProblem {
  List<int64_t> outer_sizes, outer_strides, reduced_sizes, reduced_strides;
  List<int64_t> from_widths, widths;  ///< bytes of an element of the arrays, and of the results

  size_t scratch_bytes() const;
};

}  // namespace hilo::cpu::runtime
