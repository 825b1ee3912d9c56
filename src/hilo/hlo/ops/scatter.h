// SPDX-License-Identifier: Apache-2.0
// hlo/ops/scatter.h -- the scatter op, variadic: updates whose window is not in bounds are dropped.
#pragma once

#include <optional>

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

/// Computes which elements of the arrays a scatter's updates change.
class ScatterTargets {
 public:
  ScatterTargets(const ScatterAttributes& attributes, const Shape& array, const Literal& indices, const Shape& update);

  /// Returns the number of the array's element, in row-major order, for an index of the update; nullopt if it is
  /// dropped.
  std::optional<int64_t> operator()(std::span<const int64_t> index) const;

 private:
  const ScatterAttributes& attributes_;
  StartReader reader_;
  std::vector<int64_t> last_starts_;     ///< by dimension of the array: of a window in bounds
  std::vector<int64_t> window_, batch_;  ///< dimensions of the array, and of the update
  std::vector<int64_t> strides_;         ///< of the array
};

/// Returns whether many floats are added to few elements. Then sums use a wider type (long_sums.h)
/// and are rounded once, because each element receives many updates. Otherwise the body is applied update by update.
bool sums_many(const ScatterAttributes& attributes, const Shape& array, const Shape& updates);

}  // namespace hilo::hlo
