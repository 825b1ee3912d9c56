// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/moves.h -- data movement that access maps can't express, and concatenations of many operands.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"

namespace hilo::cpu::runtime {

/// Copies operand 0. Units: bytes.
struct CopyProblem {
  int64_t bytes = 0;
};

/// Fills the result with operand 1 and copies elements of operand 0. One unit. Scratch: an int64 a dimension.
struct PadProblem {
  int64_t width = 0;  ///< bytes of an element
  int64_t total = 0;  ///< elements of the result
  int64_t from_begin = 0, to_begin = 0;
  List<int64_t> counts, from_strides, to_strides;  ///< of the copied elements: one a dimension, at least one
};

/// Joins rows of the operands. Units: rows.
struct ConcatenateProblem {
  int64_t row_bytes = 0;  ///< of the result
  List<int64_t> pieces;   ///< bytes of a row of each operand
};

}  // namespace hilo::cpu::runtime
