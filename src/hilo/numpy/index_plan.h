// SPDX-License-Identifier: Apache-2.0
// numpy/index_plan.h -- the one translation of NumPy's indices into slice, reverse, gather, scatter. Not for users.
#pragma once

#include <span>

#include "hilo/array/array.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::numpy {

/// Where numbers outside of their axis go: an error for x[9], to the mode of x.at(9).
enum class OutsideNumbers : uint8_t { kError, kToMode };

/// What some indices mean for an array: the elements at `indices`, windows of gather.slice_sizes, in the order of the
/// result; then `reversed` dimensions run backwards, and `shape` gives axes of extent 1 their place.
struct IndexPlan {
  std::vector<hlo::SliceRange> slices;  ///< one a dimension, where `is_static`: then no gather is needed
  bool is_static = false;
  Array indices = Array(0);  ///< [..., k]
  hlo::GatherAttributes gather;
  std::vector<int64_t> gathered;  ///< the gather's or slice's shape, taken axes dropped
  std::vector<int64_t> reversed;
  std::vector<int64_t> shape;  ///< the result's
};

/// Errors    as numpy::at
IndexPlan plan_index(const Array& x, std::span<const Indexer> indices, OutsideNumbers outside);
/// The same as a gather in any case: where scatters write.
IndexPlan plan_places(const Array& x, std::span<const Indexer> indices);

/// x[indices], as Array's operators read.
Array read_at(const Array& x, std::span<const Indexer> indices);

/// Refuses more indices than x has axes; reads no value.
void check_index_count(const Array& x, std::span<const Indexer> indices);

/// Errors    INVALID_ARGUMENT for a request to change the array itself
void refuse_in_place(std::string_view function, bool inplace);

/// s32 (or s64 for what is wider), negative ones counted from the end of an axis of this extent.
Array wrapped_index(const Array& index, int64_t extent);
/// Errors    INVALID_ARGUMENT unless its type is an integer's
void check_integer_index(std::string_view what, const Array& index);
/// Where a mask is true, in row-major order: an array of positions for each of its axes.
/// Errors    of reading a value: which elements are read must be known, as in JAX
std::vector<Array> true_positions(const Array& mask);

}  // namespace hilo::numpy
