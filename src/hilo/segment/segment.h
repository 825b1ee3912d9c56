// SPDX-License-Identifier: Apache-2.0
// segment/segment.h -- jax.ops: sums and the like of the rows of each segment. hilo::ops has the wrappers of hilo's own ops
// too (trace/ops.h), which users don't see.
#pragma once

#include "hilo/lax/gather.h"
#include "hilo/numpy/numpy.h"

namespace hilo::ops {

struct SegmentOptions {
  std::optional<int64_t> num_segments = std::nullopt;  ///< by default the greatest id and one more, which must be known
  bool indices_are_sorted = false;                     ///< the caller's promise
  bool unique_indices = false;                         ///< the caller's promise
  std::optional<int64_t> bucket_size = std::nullopt;   ///< so many rows are combined first, then what they make
  lax::GatherScatterMode mode = {};                    ///< rows with an id outside are dropped by default
};
// Result i combines the rows data[j] with segment_ids[j] == i. Of no rows: 0, 1, the greatest value, the least.
//   Shapes     data[n, ...], segment_ids[n] -> [num_segments, ...]
//   Errors     INVALID_ARGUMENT for ids that aren't n integers, or a size below 0; ConcretizationError without num_segments
//              where the ids aren't known
//   Gradient   of data; of segment_prod for unique ids
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
HILO_SEGMENT(segment_sum)
HILO_SEGMENT(segment_prod)
HILO_SEGMENT(segment_min)
HILO_SEGMENT(segment_max)
#undef HILO_SEGMENT

}  // namespace hilo::ops
