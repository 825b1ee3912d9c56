// SPDX-License-Identifier: Apache-2.0
// segment/segment.h -- jax.ops: reductions of rows by segment. hilo::ops also has the internal wrappers of hilo's ops
// (trace/ops.h).
#pragma once

#include "hilo/lax/gather.h"
#include "hilo/numpy/numpy.h"

namespace hilo::ops {

struct SegmentOptions {
  /// number of segments; default the greatest id plus 1, which must be known
  std::optional<int64_t> num_segments = std::nullopt;
  bool indices_are_sorted = false;  ///< promise that the ids are sorted
  bool unique_indices = false;      ///< promise that no id occurs twice
  /// number of rows that are reduced to a partial result each; the partial results are then combined
  std::optional<int64_t> bucket_size = std::nullopt;
  lax::GatherScatterMode mode = {};  ///< treatment of ids out of bounds; by default these rows are dropped
};
#define HILO_SEGMENT(name)                                                                         \
  Array name(const Operand& data, const Operand& segment_ids, const SegmentOptions& options = {}); \
  template <int = 0>                                                                               \
  Array name(const Operand& data, const Operand& segment_ids, std::optional<int64_t> num_segments, \
             bool indices_are_sorted = false, bool unique_indices = false) {                       \
    return name(data, segment_ids,                                                                 \
                SegmentOptions{.num_segments = num_segments,                                       \
                               .indices_are_sorted = indices_are_sorted,                           \
                               .unique_indices = unique_indices});                                 \
  }                                                                                                \
  template <int = 0>                                                                               \
  Array name(const Operand& data, const Operand& segment_ids, std::optional<int64_t> num_segments, \
             SegmentOptions options) {                                                             \
    options.num_segments = num_segments;                                                           \
    return name(data, segment_ids, options);                                                       \
  }
/// Sums rows by segment: result i is the sum of the rows data[j] with segment_ids[j] == i; 0 for no rows.
/// Shapes     data[n, ...], segment_ids[n] -> [num_segments, ...]
/// Errors     INVALID_ARGUMENT unless the ids are n integers, or for a negative size; ConcretizationError for traced
///            ids without num_segments
/// Example    segment_sum(numpy::array({1, 2, 3}), numpy::array({0, 0, 1}))  // [3 3]
HILO_SEGMENT(segment_sum)
/// Multiplies rows by segment; 1 for no rows.
/// Gradient   for unique ids only
HILO_SEGMENT(segment_prod)
/// Returns the minimum of rows by segment; the greatest value of the type for no rows.
HILO_SEGMENT(segment_min)
/// Returns the maximum of rows by segment; the least value of the type for no rows.
/// Example    segment_max(numpy::array({1, 5, 3}), numpy::array({0, 0, 2}), 3)  // [ 5 -2147483648 3]
HILO_SEGMENT(segment_max)
#undef HILO_SEGMENT

}  // namespace hilo::ops
