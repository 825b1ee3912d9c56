// SPDX-License-Identifier: Apache-2.0
// hlo/ops/gather.h -- the gather op: out-of-bounds starts are clamped.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/types/index_mode.h"

namespace hilo::hlo {

/// Operands: array, start indices.
struct GatherAttributes : Attributes {
  Int64List offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Int64List slice_sizes;
  bool indices_are_sorted = false;
  /// How the surrounding program treats indices out of bounds. The op clamps them in any case. Derivatives use it: with
  /// kPromiseInBounds and kFillOrDrop (followed by a select), indices out of bounds contribute no cotangent.
  IndexMode index_mode = IndexMode::kUnspecified;
};

/// Returns the dimension numbers under the names that gather and scatter share. They refer to the attributes.
IndexedAccess access_of(const GatherAttributes& attributes);

}  // namespace hilo::hlo
