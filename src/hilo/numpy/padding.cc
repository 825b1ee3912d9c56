// SPDX-License-Identifier: Apache-2.0
// numpy/padding.cc -- pad in all modes, axis by axis; repeat and tile.
#include <algorithm>
#include <map>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

struct Width {
  int64_t before, after;
};

Width width_of(const PadWidth& widths, const Array& x, int64_t axis) {
  const std::vector<std::vector<int64_t>>& pairs = widths.pairs();
  if (pairs.size() != 1 && std::ssize(pairs) != x.ndim())
    or_throw(invalid_argument(at_user_line("pad") + ": pad_width has " + std::to_string(pairs.size()) +
                              " pairs; wanted one, or one for each axis of " + x.aval_shape().to_string()));
  const std::vector<int64_t>& pair = pairs[pairs.size() == 1 ? 0 : static_cast<size_t>(axis)];
  if (pair.empty() || pair.size() > 2)
    or_throw(invalid_argument(at_user_line("pad") + ": a width is {before, after}; got " + dimensions_to_string(pair)));
  return {pair.front(), pair.back()};
}

/// Returns a value for each end of an axis: from a scalar, {before, after}, or [axes, 2].
std::pair<Array, Array> ends_of(const std::optional<Array>& values, const Array& x, int64_t axis) {
  const Array typed = ops::convert_element_type(values ? *values : Array(0), x.dtype());
  const Array all_ends = spread_to(typed, std::vector<int64_t>{x.ndim(), 2});
  return {all_ends(axis, 0), all_ends(axis, 1)};
}

Array part(const Array& x, int64_t axis, int64_t start, int64_t stop) { return slice(x, start, stop, 1, axis); }

/// Repeats `one`, of extent 1 along the axis, `count` times.
Array repeated(const Array& one, int64_t axis, int64_t count) {
  Shape dims(one.shape());
  dims[axis] = count;
  return spread_to(one, dims);
}

/// Pads both ends of one axis in one mode.
using PadAxis = Array (*)(const Array& x, int64_t axis, Width width, const PadOptions& options);

Array pad_constant(const Array& x, int64_t axis, Width w, const PadOptions& options) {
  const auto [before, after] = ends_of(options.constant_values, x, axis);
  std::vector<hlo::PaddingDimension> low(x.ndim()), high(static_cast<size_t>(x.ndim()));
  low[axis].low = w.before;
  high[axis].high = w.after;
  return ops::pad(ops::pad(x, before, low), after, high);
}

Array pad_edge(const Array& x, int64_t axis, Width w, const PadOptions&) {
  const int64_t n = x.shape(axis);
  return concatenate(
      {repeated(part(x, axis, 0, 1), axis, w.before), x, repeated(part(x, axis, n - 1, n), axis, w.after)}, axis);
}

Array pad_linear_ramp(const Array& x, int64_t axis, Width w, const PadOptions& options) {
  const auto [before, after] = ends_of(options.end_values, x, axis);
  const int64_t n = x.shape(axis);
  const LinspaceOptions open = {.endpoint = false, .dtype = x.dtype(), .axis = axis};
  const Array first = squeeze(part(x, axis, 0, 1), axis), last = squeeze(part(x, axis, n - 1, n), axis);
  return concatenate({linspace(before, first, w.before, open), x, flip(linspace(after, last, w.after, open), axis)},
                     axis);
}

template <Array (*kStatistic)(const Array&, int64_t)>
Array pad_statistic(const Array& x, int64_t axis, Width w, const PadOptions& options) {
  const int64_t n = x.shape(axis);
  Width length = {n, n};
  if (options.stat_length) length = width_of(*options.stat_length, x, axis);
  if (length.before < 1 || length.after < 1)
    or_throw(invalid_argument(at_user_line("pad") + ": stat_length of 0 yields no value for padding"));
  const auto value = [&](const Array& of) {
    const Array v = kStatistic(of, axis);
    return ops::convert_element_type(is_integer(x.dtype()) && is_floating(v.dtype()) ? ops::round_to_even(v) : v,
                                     x.dtype());
  };
  const Array before = value(part(x, axis, 0, std::min(n, length.before)));
  const Array after = value(part(x, axis, std::max<int64_t>(0, n - length.after), n));
  return concatenate({repeated(before, axis, w.before), x, repeated(after, axis, w.after)}, axis);
}
Array greatest_of(const Array& x, int64_t axis) { return max(x, axis, true); }
Array least_of(const Array& x, int64_t axis) { return min(x, axis, true); }
Array mean_of(const Array& x, int64_t axis) { return mean(x, axis, true); }
Array median_of(const Array& x, int64_t axis) { return median(x, {.axis = axis, .keepdims = true}); }

/// Mirrors one end repeatedly until the padding is long enough. Leaves out `offset` elements at the edge.
Array mirrored(Array x, int64_t axis, int64_t padding, int64_t period, int64_t offset, bool before, bool odd) {
  const auto edge_of = [&](const Array& of) {
    const int64_t n = of.shape(axis);
    return before ? part(of, axis, 0, 1) : part(of, axis, n - 1, n);
  };
  Array edge = edge_of(x);
  while (padding > 0) {
    const int64_t count = std::min(padding, period), n = x.shape(axis);
    padding -= count;
    const Array near = before ? part(x, axis, offset, offset + count) : part(x, axis, n - count - offset, n - offset);
    Array turned = flip(near, axis);
    if (odd) {
      turned = ops::sub(spread_to(ops::add(edge, edge), turned.shape()), turned);
      edge = edge_of(turned);
    }
    x = before ? concatenate({turned, x}, axis) : concatenate({x, turned}, axis);
  }
  return x;
}

Array pad_mirrored(const Array& x, int64_t axis, Width w, const PadOptions& options, int64_t offset) {
  const std::string_view type = options.reflect_type;
  if (type != "even" && type != "odd")
    or_throw(
        invalid_argument(at_user_line("pad") + ": reflect_type is even or odd; got \"" + std::string(type) + "\""));
  const int64_t period = x.shape(axis) - offset;
  if (period == 0) return pad_edge(x, axis, w, options);
  return mirrored(mirrored(x, axis, w.before, period, offset, true, type == "odd"), axis, w.after, period, offset,
                  false, type == "odd");
}
Array pad_reflect(const Array& x, int64_t axis, Width w, const PadOptions& options) {
  return pad_mirrored(x, axis, w, options, 1);
}
Array pad_symmetric(const Array& x, int64_t axis, Width w, const PadOptions& options) {
  return pad_mirrored(x, axis, w, options, 0);
}

Array pad_wrap(const Array& x, int64_t axis, Width w, const PadOptions&) {
  const int64_t n = x.shape(axis), times = (w.before + n - 1) / n + 1 + (w.after + n - 1) / n;
  const Array many = concatenate(std::vector<Array>(times, x), axis);
  const int64_t start = (w.before + n - 1) / n * n - w.before;
  return part(many, axis, start, start + w.before + n + w.after);
}

Array pad_empty(const Array& x, int64_t axis, Width w, const PadOptions&) { return pad_constant(x, axis, w, {}); }

PadAxis pad_axis_of(const std::string& mode) {
  static const std::map<std::string, PadAxis> kModes = {
      {"constant", pad_constant},
      {"edge", pad_edge},
      {"empty", pad_empty},
      {"linear_ramp", pad_linear_ramp},
      {"maximum", pad_statistic<greatest_of>},
      {"mean", pad_statistic<mean_of>},
      {"median", pad_statistic<median_of>},
      {"minimum", pad_statistic<least_of>},
      {"reflect", pad_reflect},
      {"symmetric", pad_symmetric},
      {"wrap", pad_wrap},
  };
  const auto found = kModes.find(mode);
  if (found != kModes.end()) return found->second;
  std::string names;
  for (const auto& [name, f] : kModes) names += (names.empty() ? "" : ", ") + name;
  throw Error(invalid_argument(at_user_line("pad") + ": unknown mode \"" + mode + "\"; wanted one of " + names));
}

/// Returns the source position of each position of the result.
std::vector<int32_t> repeated_positions(const Array& repeats, int64_t extent) {
  const std::vector<int64_t> counts = repeats.to_vector<int64_t>();
  if (counts.size() != 1 && std::ssize(counts) != extent)
    or_throw(invalid_argument(at_user_line("repeat") + ": repeats must have one number, or one for each of " +
                              std::to_string(extent) + " elements; got " + repeats.aval_shape().to_string()));
  std::vector<int32_t> positions;
  for (int64_t i = 0; i < extent; ++i) {
    const int64_t count = counts[counts.size() == 1 ? 0 : static_cast<size_t>(i)];
    if (count < 0) or_throw(invalid_argument(at_user_line("repeat") + ": repeats must not be negative"));
    positions.insert(positions.end(), count, static_cast<int32_t>(i));
  }
  return positions;
}

}  // namespace

namespace {

/// Rejects options that the mode does not use.
void check_options(const PadOptions& options) {
  const std::string_view mode = options.mode;
  const auto refuse = [&](bool is_set, const char* name) {
    if (is_set)
      or_throw(invalid_argument(at_user_line("pad") + ": mode \"" + std::string(mode) + "\" takes no " + name));
  };
  refuse(options.constant_values && mode != "constant", "constant_values");
  refuse(options.end_values && mode != "linear_ramp", "end_values");
  const bool takes_length = mode == "maximum" || mode == "mean" || mode == "median" || mode == "minimum";
  refuse(options.stat_length && !takes_length, "stat_length");
}

}  // namespace

PadEnds::PadEnds(std::initializer_list<Array> ends) : optional(stack(std::vector<Array>(ends))) {}
PadEnds::PadEnds(std::initializer_list<std::initializer_list<Array>> pairs) {
  std::vector<Array> rows;
  for (const auto& pair : pairs) rows.push_back(stack(std::vector<Array>(pair)));
  emplace(stack(rows));
}

Array pad(const Operand& array, const PadWidth& pad_width, const PadOptions& options) {
  const UserLocation here(array.location());
  Array x = array.array();
  const PadAxis pad_axis = pad_axis_of(options.mode);
  check_options(options);
  for (int64_t axis = 0; axis < x.ndim(); ++axis) {
    const Width w = width_of(pad_width, x, axis);
    if (w.before < 0 || w.after < 0)
      or_throw(invalid_argument(at_user_line("pad") + ": index can't contain negative values; got {" +
                                std::to_string(w.before) + ", " + std::to_string(w.after) + "}"));
    if (w.before == 0 && w.after == 0) continue;
    const bool needs_elements = pad_axis != pad_constant && pad_axis != pad_empty;
    if (needs_elements && x.shape(axis) == 0)
      or_throw(invalid_argument(at_user_line("pad") + ": can't extend empty axis " + std::to_string(axis) +
                                " using modes other than constant or empty"));
    x = pad_axis(x, axis, w, options);
  }
  return with_weak_type(x, array.array().weak_type());
}

Array tile(const Operand& A, const Axes& reps) {
  const UserLocation here(A.location());
  if (!reps) return A.array();  // tile(x, {}) returns x
  const std::vector<int64_t> times = with_rank(*reps, static_cast<size_t>(A.array().ndim()));
  const std::vector<int64_t> dims = with_rank(A.array().shape(), times.size());
  Shape split, spread, whole;
  for (size_t d = 0; d < dims.size(); ++d) {
    split.insert(split.end(), {1, dims[d]});
    spread.insert(spread.end(), {std::max<int64_t>(times[d], 0), dims[d]});
    whole.push_back(std::max<int64_t>(times[d], 0) * dims[d]);
  }
  return ops::reshape(spread_to(ops::reshape(A.array(), split), spread), whole);
}

Array repeat(const Operand& a, int64_t repeats, std::optional<int64_t> axis) {
  const UserLocation here(a.location());
  if (repeats < 0) or_throw(invalid_argument(at_user_line("repeat") + ": repeats must not be negative"));
  const Array x = axis ? a.array() : ravel(a);
  if (x.ndim() == 0) return repeat(ravel(x), repeats, 0);
  const int64_t at = normal_axis(x, axis.value_or(0));
  Shape thin(x.shape()), wide(x.shape()), whole(x.shape());
  thin.insert(thin.begin() + at + 1, 1);
  wide.insert(wide.begin() + at + 1, repeats);
  whole[at] *= repeats;
  return ops::reshape(spread_to(ops::reshape(x, thin), wide), whole);
}

Array repeat(const Operand& a, int64_t repeats, const RepeatOptions& options) {
  const UserLocation here(a.location());
  if (!options.total_repeat_length) return repeat(a, repeats, options.axis);
  const Array x = options.axis ? a.array() : ravel(a);
  const Array each = full({x.shape(normal_axis(x, options.axis.value_or(0)))}, repeats, int32);
  return detail::repeat(a, each, options.axis, options.total_repeat_length);
}

Array detail::repeat(const Operand& a, const Array& repeats, std::optional<int64_t> axis,
                     std::optional<int64_t> total_repeat_length) {
  const UserLocation here(a.location());
  const Array x = axis ? a.array() : ravel(a);
  const int64_t at = normal_axis(x, axis.value_or(0)), extent = x.shape(at);
  if (!total_repeat_length) {
    const std::vector<int32_t> positions = repeated_positions(repeats, extent);
    if (extent == 0) return x;
    return take(x, Array::from_vector(positions, {std::ssize(positions)}), {.axis = at, .mode = "promise_in_bounds"});
  }
  if (extent == 0) return numpy::repeat(x, 0, at);
  const Array ends = cumsum(broadcast_to(ravel(repeats), {extent}));
  const Array positions = searchsorted(ends, arange(*total_repeat_length, ends.dtype()), {.side = "right"});
  return take(x, minimum(positions, extent - 1), {.axis = at, .mode = "promise_in_bounds"});
}

}  // namespace hilo::numpy
