// SPDX-License-Identifier: Apache-2.0
// hlo/ops/indexed_access.h -- common parts of gather and scatter: windows of an array at positions from an index array.
#pragma once

#include <optional>

#include "hilo/hlo/ir/attributes.h"
#include "hilo/types/literal.h"

namespace hilo::hlo {

/// The dimension numbers under common names. `windows` is gather's result or scatter's update.
struct IndexedAccess {
  std::span<const int64_t> window_dims;   ///< of `windows`: offset_dims, update_window_dims
  std::span<const int64_t> removed_dims;  ///< of the array: collapsed_slice_dims, inserted_window_dims
  std::span<const int64_t> index_map;     ///< component of an index vector -> dimension of the array
  std::span<const int64_t> array_batching, indices_batching;
  int64_t index_vector_dim;
};

/// The names of IndexedAccess's lists in HLO text.
struct IndexedAccessNames {
  std::string_view window_dims, removed_dims, index_map, array_batching, indices_batching;
};

/// Checks all constraints that gather and scatter share.
Status check_indexed_access(const IndexedAccess& access, const IndexedAccessNames& names, const Shape& array,
                            const Shape& indices);

/// Returns the dimensions of `indices` without index_vector_dim.
std::vector<int64_t> batch_sizes_of(const IndexedAccess& access, const Shape& indices);

/// Returns the values of 0..rank-1 that are in neither list.
std::vector<int64_t> other_dimensions(int64_t rank, std::span<const int64_t> a, std::span<const int64_t> b = {});

/// Reads index vectors.
class StartReader {
 public:
  StartReader(const IndexedAccess& access, const Literal& indices, int64_t array_rank);

  /// Returns the start of the window of `batch`, an index over batch_sizes_of. Values beyond int64 saturate.
  std::vector<int64_t> start(std::span<const int64_t> batch) const;

 private:
  int64_t value_at(int64_t offset) const;
  IndexedAccess access_;
  const Literal& indices_;
  int64_t array_rank_;
  std::vector<int64_t> strides_;  // of `indices`, by batch dimension
  int64_t vector_stride_ = 0;     // between the components of one index vector
};

/// The elements of an array that the windows of a gather's result or a scatter's update are. Neither is empty.
class WindowElements {
 public:
  WindowElements(const IndexedAccess& access, const Shape& array, const Literal& indices, const Shape& windows);

  /// Returns the number of the array's element, in row-major order, for an index of `windows`. A window that isn't in
  /// bounds is moved by the first, as gather does; the second returns nullopt, as scatter drops it.
  int64_t clamped(std::span<const int64_t> index) const;
  std::optional<int64_t> in_bounds(std::span<const int64_t> index) const;

 private:
  std::vector<int64_t> start(std::span<const int64_t> index) const;
  int64_t element(std::vector<int64_t> start, std::span<const int64_t> index) const;

  IndexedAccess access_;
  StartReader reader_;
  std::vector<int64_t> window_;          ///< dimensions of the array, one for each of access_.window_dims
  std::vector<int64_t> batch_;           ///< dimensions of `windows`
  std::vector<int64_t> last_, strides_;  ///< by dimension of the array: the last start in bounds
};

/// Returns the dimensions of an array of `rank` that are in neither list, ascending.
Int64List others(int64_t rank, const Int64List& some, const Int64List& more = {});

/// Returns the index of `value` in the list.
std::optional<size_t> place_in(const Int64List& list, int64_t value);

}  // namespace hilo::hlo
