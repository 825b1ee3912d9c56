// SPDX-License-Identifier: Apache-2.0
// backend/cpu/abi/scatter.h -- the interface between a compiled scatter and its callers, and the description from which
// it is compiled.
#pragma once

#include <vector>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

/// An offset in the arrays and one in the updates, in elements.
struct ScatterPlace {
  int64_t array, update;
};

/// One component of the index vectors.
struct ScatterComponent {
  int64_t at;            ///< its offset in the vector
  int64_t array_stride;  ///< stride of its dimension
  uint64_t last;         ///< the last start that is in bounds
};

/// Updates whose index vectors have one stride, and the part of each window that a call updates.
struct ScatterCall {
  void* const* arrays;
  const void* const* updates;
  const void* indices;                 ///< the first vector's
  const ScatterComponent* components;  ///< the number that the kernel was compiled for
  int64_t count, index_stride;
  ScatterPlace first, stride;  ///< position of the first window at index 0, and the step from each window to the next
  int64_t rows_begin, rows_size;  ///< windows that start elsewhere in the array are skipped
  const ScatterPlace* pieces;     ///< contiguous parts of a window, by their offsets from its start
  int64_t piece_count;
  int64_t run;  ///< elements per piece
};

/// Reads index vectors, drops windows that don't fit and combines the others with the array.
using ScatterFunction = void (*)(const ScatterCall& call);

/// Maximum number of index vectors in a call that lists its windows.
inline constexpr int64_t kMaxScatterUpdates = 256;

struct ScatterKernelSpec {
  hlo::ComputationPtr body;
  std::vector<ElementType> types;         ///< of the arrays, and of all parameters of the body
  std::vector<ElementType> update_types;  ///< of the updates, in memory
  ElementType index_type;
  // As in the calls. Strides of 0 and 1 are constants in the code; other values are read from the call.
  std::vector<ScatterComponent> components;
  int64_t index_stride;
  ScatterPlace stride;
  int64_t run;       ///< calls may have a shorter one if it has more than 4096 bytes
  bool many_pieces;  ///< false: calls have one piece, with offset 0
  /// Whether a call first lists its windows. The processor then doesn't have to predict which windows are in this call,
  /// and the loads from memory overlap. Otherwise each window is updated as soon as it is known.
  bool listed;
  bool far;    ///< whether the arrays are larger than the cache: listed windows and single elements are prefetched
  bool pairs;  ///< two arrays of f64, each element of the first next to its twin; few consecutive windows are equal
};

}  // namespace hilo::cpu
