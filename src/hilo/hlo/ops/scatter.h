// SPDX-License-Identifier: Apache-2.0
// hlo/ops/scatter.h -- the scatter op, variadic: updates whose window is not in bounds are dropped.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/types/index_mode.h"

namespace hilo::hlo {

/// Operands: n arrays, indices, n updates. to_apply has n current values and n updates as parameters.
struct ScatterAttributes : Attributes {
  Int64List update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims,
      scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  /// How the surrounding program treated indices out of bounds. The op drops such updates in any case. With
  /// kPromiseInBounds and kClip (indices were clamped before) none exist.
  IndexMode index_mode = IndexMode::kUnspecified;
  ComputationPtr to_apply;
};

/// Returns the dimension numbers under the names that gather and scatter share. They refer to the attributes.
IndexedAccess access_of(const ScatterAttributes& attributes);

/// Returns whether many floats are added to few elements. Then sums use a wider type (long_sums.h)
/// and are rounded once, because each element receives many updates. Otherwise the body is applied update by update.
bool sums_many(const ScatterAttributes& attributes, const Shape& array, const Shape& updates);

}  // namespace hilo::hlo
