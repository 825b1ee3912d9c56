// SPDX-License-Identifier: Apache-2.0
// hlo/ops/gather.h -- the gather op: out-of-bounds starts are clamped.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// How JAX means indices to behave out of bounds; HLO's gather clamps and its scatter drops whatever this says.
enum class IndexMode : uint8_t { kUnspecified, kPromiseInBounds, kClip, kFillOrDrop };
inline constexpr std::string_view kIndexModeNames[] = {"", "promise_in_bounds", "clip", "fill_or_drop"};

/// Operands: array, start indices.
struct GatherAttributes : Attributes {
  Int64List offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Int64List slice_sizes;
  bool indices_are_sorted = false;
};

const OpDef& gather_op();

}  // namespace hilo::hlo
