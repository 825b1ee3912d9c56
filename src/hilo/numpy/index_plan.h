// SPDX-License-Identifier: Apache-2.0
// numpy/index_plan.h -- translates NumPy's indices into slice, reverse, gather and scatter. Internal.
#pragma once

#include <span>

#include "hilo/array/array.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::numpy {

/// Treatment of numbers out of bounds: an error for x[9], or the index mode for x.at(9).
enum class OutsideNumbers : uint8_t { kError, kToMode };

/// The translation of indices for one array: gathers windows of gather.slice_sizes at `indices`, in the order of the
/// result. Then the `reversed` dimensions are reversed, and a reshape to `shape` inserts axes of extent 1.
struct IndexPlan {
  std::vector<hlo::SliceRange> slices;  ///< one for each dimension, if `is_static`; no gather is needed then
  bool is_static = false;
  Array indices = Array(0);  ///< [..., k]
  hlo::GatherAttributes gather;
  std::vector<int64_t> gathered;  ///< shape of the result of gather or slice, with indexed axes dropped
  std::vector<int64_t> reversed;
  std::vector<int64_t> shape;  ///< shape of the result
};

/// Errors    as numpy::at
IndexPlan plan_index(const Array& x, std::span<const Indexer> indices, OutsideNumbers outside);
/// Returns the same plan, but always as a gather: the positions that scatters write.
IndexPlan plan_places(const Array& x, std::span<const Indexer> indices);

/// Returns x[indices], as the operators of Array do.
Array read_at(const Array& x, std::span<const Indexer> indices);

/// Errors    INVALID_ARGUMENT for more indices than x has axes; reads no value
void check_index_count(const Array& x, std::span<const Indexer> indices);

/// Errors    INVALID_ARGUMENT if `inplace` is true
void refuse_in_place(std::string_view function, bool inplace);

/// Returns indices as s32 (s64 for wider types); negative ones count from the end of an axis of this extent.
Array wrapped_index(const Array& index, int64_t extent);
/// Errors    INVALID_ARGUMENT if the type is not an integer type
void check_integer_index(std::string_view what, const Array& index);
/// Returns the positions where a mask is true, in row-major order: an array for each of its axes.
/// Errors    those of reading a value: the mask must be known, as in JAX
std::vector<Array> true_positions(const Array& mask);

}  // namespace hilo::numpy
