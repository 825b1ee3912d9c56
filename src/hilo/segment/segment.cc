// SPDX-License-Identifier: Apache-2.0
#include "hilo/segment/segment.h"

#include <fmt/format.h>

#include "hilo/array/refuse.h"
#include "hilo/lax/reductions.h"
#include "hilo/trace/ops.h"

namespace hilo::ops {
namespace {

/// The combination of rows: the reduction op, its initial value, and the reduction of the buckets.
struct Combination {
  const char* name;
  Array (*scatter)(const Operand&, const Operand&, const Operand&, const lax::ScatterDimensionNumbers&,
                   const lax::ScatterOptions&);
  Array (*identity)(ElementType);
  Array (*reduce)(const Operand&, const Dimensions&);
};

/// Returns the greatest id plus 1.
int64_t count_of(const Array& ids) { return ids.size() == 0 ? 0 : numpy::max(ids).item<int64_t>() + 1; }

/// Returns ids with bucket numbers in front, a bucket for each `size` rows: [n, 2]. Without a size, the ids alone: [n,
/// 1].
Array places(const Array& ids, const std::optional<int64_t>& bucket_size) {
  const Array column = numpy::expand_dims(ids, 1);
  if (!bucket_size) return column;
  const Array row = ops::iota(ids.aval_shape(), 0);
  const Array bucket = ops::div(row, ops::full_like(row, static_cast<double>(*bucket_size)));
  return numpy::concatenate({numpy::expand_dims(bucket, 1), column}, 1);
}

Array combined(const Combination& how, const Operand& data, const Operand& segment_ids, const SegmentOptions& options) {
  const UserLocation here(data.location());
  const Array &x = data.array(), &ids = segment_ids.array();
  if (ids.ndim() != 1 || !is_integer(ids.dtype()) || x.ndim() < 1 || x.shape(0) != ids.shape(0))
    refuse(how.name, fmt::format("wanted an integer id for each row; got {} and {}", x.aval_shape().to_string(),
                                 ids.aval_shape().to_string()));
  const int64_t segments = options.num_segments ? *options.num_segments : count_of(ids);
  if (segments < 0) refuse(how.name, fmt::format("num_segments must not be negative; got {}", segments));
  if (options.bucket_size && *options.bucket_size < 1)
    refuse(how.name, fmt::format("bucket_size must be at least 1; got {}", *options.bucket_size));
  std::vector<int64_t> shape = {segments};
  lax::ScatterDimensionNumbers numbers = {{}, {0}, {0}};
  if (options.bucket_size) {
    shape.insert(shape.begin(), (x.shape(0) + *options.bucket_size - 1) / *options.bucket_size);
    numbers = {{}, {0, 1}, {0, 1}};
  }
  shape.insert(shape.end(), x.shape().begin() + 1, x.shape().end());
  for (int64_t d = 1; d < x.ndim(); ++d) numbers.update_window_dims.push_back(d);
  const Array start = numpy::broadcast_to(how.identity(x.dtype()), shape);
  const Array out = how.scatter(start, places(ids, options.bucket_size), x, numbers,
                                {.indices_are_sorted = options.indices_are_sorted,
                                 .unique_indices = options.unique_indices,
                                 .mode = options.mode});
  return options.bucket_size ? how.reduce(out, {0}) : out;
}

Array zero(ElementType type) { return scalar(0, type); }
Array one(ElementType type) { return scalar(1, type); }

}  // namespace

Array segment_sum(const Operand& data, const Operand& segment_ids, const SegmentOptions& options) {
  return combined({"segment_sum", lax::scatter_add, zero, lax::reduce_sum}, data, segment_ids, options);
}
Array segment_prod(const Operand& data, const Operand& segment_ids, const SegmentOptions& options) {
  return combined({"segment_prod", lax::scatter_mul, one, lax::reduce_prod}, data, segment_ids, options);
}
Array segment_min(const Operand& data, const Operand& segment_ids, const SegmentOptions& options) {
  return combined({"segment_min", lax::scatter_min, highest, lax::reduce_min}, data, segment_ids, options);
}
Array segment_max(const Operand& data, const Operand& segment_ids, const SegmentOptions& options) {
  return combined({"segment_max", lax::scatter_max, lowest, lax::reduce_max}, data, segment_ids, options);
}

}  // namespace hilo::ops
