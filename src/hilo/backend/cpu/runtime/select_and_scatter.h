// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/select_and_scatter.h -- the gradient of max and min pooling. Finds per window the position of the
// selected element for all lanes at once, then adds once per lane. Windows of one batch run in order, so equal
// positions give the same bits in every run.
#pragma once

#include "hilo/backend/cpu/runtime/windows.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu::runtime {

/// Units: batches. Scratch: an int64 a dimension.
struct SelectAndScatterProblem {
  Windows windows;
  ElementType type{};
  hlo::ComparisonDirection order{};  ///< of the chosen element and the next: whether the chosen one stays
};

/// Any selection and any combination, as compiled functions of scalars: Call::code has both. Units: batches. Scratch:
/// scratch_bytes().
struct SelectAndScatterCompiledProblem {
  Windows windows;
  int64_t width = 0;  ///< bytes of an element

  size_t scratch_bytes() const {
    return Scratch::bytes_for<int64_t>(windows.dimensions.size) +
           Scratch::bytes_for<int64_t>(static_cast<size_t>(windows.most_sources));
  }
};

}  // namespace hilo::cpu::runtime
