// SPDX-License-Identifier: Apache-2.0
// lax/gather.h -- XLA's gather and scatter: windows of an array at positions from an index array.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hilo/array/array.h"
#include "hilo/types/index_mode.h"

namespace hilo::lax {

/// The roles of the dimensions of a gather. The last dimension of start_indices holds the index vectors.
/// Source     the XLA operation semantics of Gather
struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims;  ///< dimensions of the result that belong to a window
  /// dimensions of the operand with size 1 in a window, which the result lacks
  std::vector<int64_t> collapsed_slice_dims;
  std::vector<int64_t> start_index_map;  ///< dimension of the operand for each component of an index vector
  std::vector<int64_t> operand_batching_dims = {}, start_indices_batching_dims = {};
};
/// The roles of the dimensions of a scatter.
struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims;    ///< dimensions of the updates that belong to a window
  std::vector<int64_t> inserted_window_dims;  ///< dimensions of the operand that a window lacks
  /// dimension of the operand for each component of an index vector
  std::vector<int64_t> scatter_dims_to_operand_dims;
  std::vector<int64_t> operand_batching_dims = {}, scatter_indices_batching_dims = {};
};

/// Handling of windows that are partly out of bounds: an IndexMode, or JAX's name: "fill", "drop", "clip",
/// "promise_in_bounds".
class GatherScatterMode {
 public:
  static const GatherScatterMode CLIP, FILL_OR_DROP, PROMISE_IN_BOUNDS;

  constexpr GatherScatterMode(IndexMode mode = IndexMode::kUnspecified) : mode_(mode) {}  // converts implicitly
  /// Converts JAX's name of a mode.
  /// Errors     INVALID_ARGUMENT for another name
  GatherScatterMode(const char* word, std::source_location location = std::source_location::current());
  constexpr IndexMode mode() const { return mode_; }

 private:
  IndexMode mode_;
};
inline constexpr GatherScatterMode GatherScatterMode::CLIP = IndexMode::kClip,
                                   GatherScatterMode::FILL_OR_DROP = IndexMode::kFillOrDrop,
                                   GatherScatterMode::PROMISE_IN_BOUNDS = IndexMode::kPromiseInBounds;

struct GatherOptions {
  bool unique_indices = false;      ///< promised by the caller
  bool indices_are_sorted = false;  ///< promised by the caller
  GatherScatterMode mode = {};      ///< default: promise_in_bounds
  std::optional<Array> fill_value = std::nullopt;
};
/// Reads the window of `slice_sizes` at each index vector: jax.lax.gather. Under mode fill, windows out of bounds are
/// filled with fill_value: by default NaN, the minimum of a signed type, the maximum of an unsigned one, true.
/// Errors     INVALID_ARGUMENT for dimension numbers that don't fit the shapes
/// Gradient   of the operand
/// Example    const GatherDimensionNumbers rows = {
///                .offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}};
///            gather(numpy::arange(6).reshape({3, 2}), numpy::array({{2}, {0}}), rows, {1, 2})  // [[4 5] [0 1]]
Array gather(const Operand& operand, const Operand& start_indices, const GatherDimensionNumbers& dimension_numbers,
             const Dimensions& slice_sizes, const GatherOptions& options = {});

struct ScatterOptions {
  bool indices_are_sorted = false;  ///< promised by the caller
  bool unique_indices = false;      ///< promised by the caller; derivatives of scatter_mul require it
  GatherScatterMode mode = {};      ///< default: windows out of bounds are dropped
};
// Combine windows of `updates` with the operand at each index vector: jax.lax.scatter and others. scatter writes (of
// duplicate indices, one wins); the others add, subtract, multiply, or take the minimum or maximum.
// Errors     INVALID_ARGUMENT for dimension numbers that don't fit the shapes, or types that differ
// Gradient   of operand and updates
#define HILO_SCATTER(name)                                                                   \
  Array name(const Operand& operand, const Operand& scatter_indices, const Operand& updates, \
             const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
HILO_SCATTER(scatter)
HILO_SCATTER(scatter_add)
HILO_SCATTER(scatter_sub)
HILO_SCATTER(scatter_mul)
HILO_SCATTER(scatter_min)
HILO_SCATTER(scatter_max)
#undef HILO_SCATTER

struct ScatterApplyOptions {
  Dimensions update_shape = {};
  bool indices_are_sorted = false;
  bool unique_indices = false;
  GatherScatterMode mode = {};
};
/// Replaces x by func(x) at each index vector, once for each occurrence: jax.lax.scatter_apply. `func` maps scalars to
/// scalars and must not capture arrays.
/// Gradient   none
Array scatter_apply(const Operand& operand, const Operand& scatter_indices,
                    const std::function<Array(const Array&)>& func, const ScatterDimensionNumbers& dimension_numbers,
                    const ScatterApplyOptions& options = {});

}  // namespace hilo::lax
