// SPDX-License-Identifier: Apache-2.0
// lax/gather.h -- gather and scatter as XLA has them: windows of an array at places that an index array names.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hilo/array/array.h"
#include "hilo/types/index_mode.h"

namespace hilo::lax {

/// Which dimensions of a gather are what. An index vector is along the last dimension of start_indices.
/// Source    the XLA operation semantics of Gather
struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims;           ///< of the result: those of a window
  std::vector<int64_t> collapsed_slice_dims;  ///< of the operand: extent 1 in a window, not in the result
  std::vector<int64_t> start_index_map;       ///< the operand's dimension of each component of an index vector
  std::vector<int64_t> operand_batching_dims = {}, start_indices_batching_dims = {};
};
/// Which dimensions of a scatter are what.
struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims;            ///< of the updates: those of a window
  std::vector<int64_t> inserted_window_dims;          ///< of the operand: not in a window
  std::vector<int64_t> scatter_dims_to_operand_dims;  ///< the operand's dimension of each component of an index vector
  std::vector<int64_t> operand_batching_dims = {}, scatter_indices_batching_dims = {};
};

/// What a window that isn't wholly inside means, as IndexMode says, or by JAX's word: "fill", "drop", "clip",
/// "promise_in_bounds".
class GatherScatterMode {
 public:
  static const GatherScatterMode CLIP, FILL_OR_DROP, PROMISE_IN_BOUNDS;

  constexpr GatherScatterMode(IndexMode mode = IndexMode::kUnspecified) : mode_(mode) {}  // modes convert
  /// Errors    INVALID_ARGUMENT for another word
  GatherScatterMode(const char* word, std::source_location location = std::source_location::current());
  constexpr IndexMode mode() const { return mode_; }

 private:
  IndexMode mode_;
};
inline constexpr GatherScatterMode GatherScatterMode::CLIP = IndexMode::kClip,
                                   GatherScatterMode::FILL_OR_DROP = IndexMode::kFillOrDrop,
                                   GatherScatterMode::PROMISE_IN_BOUNDS = IndexMode::kPromiseInBounds;

struct GatherOptions {
  bool unique_indices = false;      ///< the caller's promise
  bool indices_are_sorted = false;  ///< the caller's promise
  GatherScatterMode mode = {};      ///< promise_in_bounds by default
  std::optional<Array> fill_value = std::nullopt;
};
/// The windows of `slice_sizes` at each index vector. Outside, under fill, stands fill_value: by default NaN, the least of a
/// signed type, the greatest of an unsigned one, true.
/// Errors    INVALID_ARGUMENT for numbers that don't fit the shapes
/// Gradient  of the operand
Array gather(const Operand& operand, const Operand& start_indices, const GatherDimensionNumbers& dimension_numbers,
             const Dimensions& slice_sizes, const GatherOptions& options = {});

struct ScatterOptions {
  bool indices_are_sorted = false;  ///< the caller's promise
  bool unique_indices = false;      ///< the caller's promise; derivatives of scatter_mul need it
  GatherScatterMode mode = {};      ///< what is outside is dropped by default
};
// The operand with windows of `updates` put at each index vector: written (of equal indices one wins), added, subtracted,
// multiplied, or the lesser or greater of both.
// Errors    INVALID_ARGUMENT for numbers that don't fit the shapes, or types that differ
// Gradient  of operand and updates
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
/// The operand with func(x) in place of x at each index vector, once for each time that it is named. `func` takes and gives
/// scalars, and closes over no arrays.
/// Gradient  none
Array scatter_apply(const Operand& operand, const Operand& scatter_indices,
                    const std::function<Array(const Array&)>& func, const ScatterDimensionNumbers& dimension_numbers,
                    const ScatterApplyOptions& options = {});

}  // namespace hilo::lax
