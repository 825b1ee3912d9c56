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

/// Computes where the elements of a gather's result come from. The array and the slices aren't empty.
class GatherSources {
 public:
  GatherSources(const GatherAttributes& attributes, const Shape& array, const Literal& indices, const Shape& result);

  /// Returns the number of the array's element, in row-major order, for an index of the result.
  int64_t operator()(std::span<const int64_t> index) const;

 private:
  const GatherAttributes& attributes_;
  StartReader reader_;
  std::vector<int64_t> last_starts_;     ///< by dimension of the array: of a slice in bounds
  std::vector<int64_t> window_, batch_;  ///< dimensions of the array, and of the result
  std::vector<int64_t> strides_;         ///< of the array
};

}  // namespace hilo::hlo
