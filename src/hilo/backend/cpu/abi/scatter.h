// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/scatter.h -- what a compiled scatter looks like to who calls it, and what is said to have it compiled.
#pragma once

#include <vector>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

/// A place in the arrays and one in the updates, in elements.
struct ScatterPlace {
  int64_t array, update;
};

/// A component of the index vectors.
struct ScatterComponent {
  int64_t at;            ///< its offset in the vector
  int64_t array_stride;  ///< of its dimension
  uint64_t last;         ///< the last start that is in bounds
};

/// Updates whose index vectors stand at even distances, and what of each a call is to make.
struct ScatterStretch {
  void* const* arrays;
  const void* const* updates;
  const void* indices;                 ///< the first vector's
  const ScatterComponent* components;  ///< as many as the kernel was made for
  int64_t count, index_stride;
  ScatterPlace first, stride;     ///< the first window at index 0, and from each to the next
  int64_t rows_begin, rows_size;  ///< windows that start elsewhere in the array are left out
  const ScatterPlace* pieces;     ///< stretches of a window that are contiguous, by their offsets from its start
  int64_t piece_count;
  int64_t run;  ///< elements of a piece
};

/// Reads index vectors, drops windows that don't fit and combines the others with the array.
using ScatterFunction = void (*)(const ScatterStretch& stretch);

/// The most index vectors of a call that lists its windows.
inline constexpr int64_t kMostScatterUpdates = 256;

struct ScatterKernelSpec {
  hlo::ComputationPtr body;
  std::vector<ElementType> types;         ///< of the arrays, and of all that the body takes
  std::vector<ElementType> update_types;  ///< of what is combined with them, in memory
  ElementType index_type;
  // As in the calls. Strides of 0 and 1 are written into the code, all else is read from the call.
  std::vector<ScatterComponent> components;
  int64_t index_stride;
  ScatterPlace stride;
  int64_t run;       ///< calls may say less of one of more than 4096 bytes
  bool many_pieces;  ///< false: calls have one piece, whose offsets are 0
  /// A call lists its windows first, so that the processor neither guesses which are its own nor waits for the memory of
  /// one after the other. Else windows of all rows are updated as soon as they are known.
  bool listed;
  bool far;  ///< the arrays are larger than the cache: what is listed, and single elements, are asked for ahead of time
  bool
      pairs;  ///< two arrays of f64, each element of the first before its twin; few windows that follow each other are the same
};

}  // namespace hilo::cpu
