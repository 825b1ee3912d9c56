// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/index_plan.h"

#include <algorithm>

#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

using IndexKind = Indexer::Kind;

/// One basic index, after masks and the ellipsis have been expanded.
struct Entry {
  enum class Kind : uint8_t { kNumber, kRange, kNewAxis, kArray, kNothing };  // kNothing: an ellipsis for no axes
  Kind kind;
  int64_t dimension = 0;  ///< dimension of x; unused for a new axis
  int64_t start = 0, step = 1, count = 0;
  Array array = Array(0);
};

/// Resolves a range as Python's slice.indices: first position and number of positions.
Entry entry_of(const Range& range, int64_t dimension, int64_t extent) {
  const int64_t step = range.step.value_or(1);
  if (step == 0) or_throw(invalid_argument(at_user_line("index") + ": a range's step is 0"));
  const auto position = [&](const std::optional<int64_t>& bound, int64_t absent) {
    if (!bound) return absent;
    const int64_t p = *bound < 0 ? *bound + extent : *bound;
    return step > 0 ? std::clamp<int64_t>(p, 0, extent) : std::clamp<int64_t>(p, -1, extent - 1);
  };
  const int64_t start = position(range.start, step > 0 ? 0 : extent - 1);
  const int64_t stop = position(range.stop, step > 0 ? extent : -1);
  const int64_t distance = step > 0 ? stop - start : start - stop;
  const int64_t count = distance <= 0 ? 0 : 1 + (distance - 1) / (step > 0 ? step : -step);
  return {Entry::Kind::kRange, dimension, start, step, count};
}

[[noreturn]] void refuse_count(const Array& x, int64_t count) {
  throw Error(invalid_argument(at_user_line("index") + ": Too many indices: array is " + std::to_string(x.ndim()) +
                               "-dimensional, but " + std::to_string(count) + " were indexed"));
}

bool is_mask(const Indexer& index) {
  return index.kind() == IndexKind::kArray && index.array().dtype() == ElementType::kPred;
}

int64_t axes_taken(const Indexer& index) {
  if (index.kind() == IndexKind::kNewAxis || index.kind() == IndexKind::kEllipsis || index.kind() == IndexKind::kAbsent)
    return 0;
  return is_mask(index) ? index.array().ndim() : 1;
}

void check_mask(const Array& x, const Array& mask, int64_t dimension) {
  const size_t begin = static_cast<size_t>(dimension), rank = static_cast<size_t>(mask.ndim());
  if (std::ranges::equal(mask.shape(), x.shape().subspan(begin, rank))) return;
  or_throw(invalid_argument(at_user_line("index") + ": boolean index did not match shape of indexed array; got " +
                            mask.aval_shape().to_string() + " for axis " + std::to_string(dimension) + " of " +
                            x.aval_shape().to_string()));
}

/// Converts a mask without axes to a new axis with one element or none.
Entry entry_of_flag(const Array& flag) {
  return {Entry::Kind::kArray,
          -1,
          0,
          1,
          0,
          Array::from_vector(std::vector<int32_t>(flag.item<bool>() ? 1 : 0, 0), {flag.item<bool>() ? 1 : 0})};
}

Entry entry_of_number(const Array& x, int64_t dimension, int64_t number, OutsideNumbers outside) {
  const int64_t extent = x.shape(dimension), position = number < 0 ? number + extent : number;
  if (position >= 0 && position < extent) return {Entry::Kind::kNumber, dimension, position, 1, 1};
  if (outside == OutsideNumbers::kToMode) {
    const bool fits = number >= INT32_MIN && number <= INT32_MAX;
    return {Entry::Kind::kArray,
            dimension,
            0,
            1,
            0,
            Array::from_vector<int32_t>({fits ? static_cast<int32_t>(number) : INT32_MAX}, {})};
  }
  throw Error(out_of_range(at_user_line("index") + ": " + std::to_string(number) + " is out of range for " +
                           x.aval_shape().to_string() + ", axis " + std::to_string(dimension)));
}

/// Returns one entry for each dimension of x, and the entries of new axes in between.
std::vector<Entry> entries_of(const Array& x, std::span<const Indexer> indices, OutsideNumbers outside) {
  int64_t indexed = 0, ellipses = 0;
  for (const Indexer& index : indices) {
    indexed += axes_taken(index);
    ellipses += index.kind() == IndexKind::kEllipsis ? 1 : 0;
  }
  if (indexed > x.ndim()) refuse_count(x, indexed);
  if (ellipses > 1)
    or_throw(invalid_argument(at_user_line("index") + ": an index can only have a single ellipsis ('...')"));
  std::vector<Entry> entries;
  int64_t d = 0;
  const auto take_whole = [&](int64_t count) {
    for (; count > 0; --count, ++d) entries.push_back(entry_of(Range{}, d, x.shape(d)));
  };
  for (const Indexer& index : indices) {
    switch (index.kind()) {
      case IndexKind::kAbsent: break;
      case IndexKind::kNewAxis: entries.push_back({Entry::Kind::kNewAxis}); break;
      case IndexKind::kEllipsis:
        if (x.ndim() == indexed) entries.push_back({Entry::Kind::kNothing});
        take_whole(x.ndim() - indexed);
        break;
      case IndexKind::kRange:
        entries.push_back(entry_of(index.range(), d, x.shape(d)));
        ++d;
        break;
      case IndexKind::kInteger:
        entries.push_back(entry_of_number(x, d, index.integer(), outside));
        ++d;
        break;
      case IndexKind::kArray:
        if (!is_mask(index)) {
          check_integer_index("index", index.array());
          entries.push_back({Entry::Kind::kArray, d++, 0, 1, 0, index.array()});
          break;
        }
        check_mask(x, index.array(), d);
        if (index.array().ndim() == 0) entries.push_back(entry_of_flag(index.array()));
        else
          for (Array& positions : true_positions(index.array()))
            entries.push_back({Entry::Kind::kArray, d++, 0, 1, 0, std::move(positions)});
        break;
    }
  }
  if (ellipses == 0) take_whole(x.ndim() - d);
  return entries;
}

/// Plans numbers and ranges as a slice, with a reverse for negative steps.
IndexPlan plan_slices(const Array& x, std::span<const Entry> entries) {
  IndexPlan plan;
  plan.is_static = true;
  for (const Entry& e : entries) {
    if (e.kind == Entry::Kind::kNothing) continue;
    if (e.kind == Entry::Kind::kNewAxis) {
      plan.shape.push_back(1);
      continue;
    }
    const int64_t last = e.start + e.step * std::max<int64_t>(e.count - 1, 0);
    const int64_t low = e.count == 0 ? 0 : std::min(e.start, last),
                  high = e.count == 0 ? 0 : std::max(e.start, last) + 1;
    plan.slices.push_back({low, high, e.step < 0 ? -e.step : e.step});
    if (e.kind == Entry::Kind::kNumber) continue;
    if (e.step < 0 && e.count > 1) plan.reversed.push_back(plan.gathered.size());
    plan.gathered.push_back(e.count);
    plan.shape.push_back(e.count);
  }
  (void)x;
  return plan;
}

/// Combines arrays, the numbers next to them and ranges with steps into one array of index vectors.
class GatherPlanner {
 public:
  GatherPlanner(const Array& x, std::span<const Entry> entries) : x_(x), entries_(entries) {}

  IndexPlan plan() {
    find_arrays();
    lay_out();
    write_components();
    return std::move(plan_);
  }

 private:
  bool joins(const Entry& e) const {  // NumPy treats numbers next to arrays as arrays
    return e.kind == Entry::Kind::kArray || (has_arrays_ && e.kind == Entry::Kind::kNumber);
  }

  void find_arrays() {
    has_arrays_ = std::ranges::any_of(entries_, [](const Entry& e) { return e.kind == Entry::Kind::kArray; });
    std::optional<size_t> first, last;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (!joins(entries_[i])) continue;
      if (!first) first = i;
      last = i;
      if (entries_[i].kind == Entry::Kind::kArray) common_ = broadcast_shapes(common_, entries_[i].array.shape());
    }
    if (!first) return;
    bool contiguous = true;
    for (size_t i = *first; i <= *last; ++i) contiguous &= joins(entries_[i]);
    arrays_at_ = contiguous ? *first : 0;
  }

  /// Orders the dimensions of the result: window dimensions, and dimensions of the index array.
  void lay_out() {
    steps_.assign(entries_.size(), -1);
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (has_arrays_ && i == arrays_at_) {
        common_begin_ = std::ssize(batch_);
        for (int64_t extent : common_) add_dimension(extent, true);
      }
      const Entry& e = entries_[i];
      if (joins(e) || e.kind == Entry::Kind::kNumber || e.kind == Entry::Kind::kNothing) continue;
      if (e.kind == Entry::Kind::kNewAxis) {
        plan_.shape.push_back(1);
        continue;
      }
      const bool window = e.step == 1 || e.step == -1;
      if (!window) steps_[i] = std::ssize(batch_);
      if (window && e.step < 0 && e.count > 1) plan_.reversed.push_back(plan_.gathered.size());
      add_dimension(e.count, !window);
    }
  }

  void add_dimension(int64_t extent, bool batch) {
    if (batch) batch_.push_back(extent);
    else plan_.gather.offset_dims.push_back(plan_.gathered.size());
    plan_.gathered.push_back(extent);
    plan_.shape.push_back(extent);
  }

  void write_components() {
    hlo::GatherAttributes& g = plan_.gather;
    g.slice_sizes.assign(x_.shape().begin(), x_.shape().end());
    for (size_t i = 0; i < entries_.size(); ++i) {
      const Entry& e = entries_[i];
      if (e.kind == Entry::Kind::kNewAxis || e.kind == Entry::Kind::kNothing || e.dimension < 0) continue;
      const size_t d = e.dimension;
      if (e.kind == Entry::Kind::kRange && steps_[i] < 0) {  // a window dimension
        const int64_t low = e.count == 0 ? 0 : std::min(e.start, e.start + e.step * (e.count - 1));
        g.slice_sizes[d] = e.count;
        if (e.count != x_.shape(e.dimension)) add_component(e.dimension, number(low), {});
        continue;
      }
      g.slice_sizes[d] = std::min<int64_t>(1, x_.shape(e.dimension));
      g.collapsed_slice_dims.push_back(e.dimension);
      if (e.kind == Entry::Kind::kNumber) add_component(e.dimension, number(e.start), {});
      else if (e.kind == Entry::Kind::kArray) add_component(e.dimension, spread(e), common_dimensions());
      else add_component(e.dimension, positions(e), {steps_[i]});
    }
    finish_indices();
  }

  static Array number(int64_t value) {
    return ops::full(hilo::Shape::scalar(ElementType::kS32), static_cast<double>(value));
  }

  Array spread(const Entry& e) const { return spread_to(wrapped_index(e.array, x_.shape(e.dimension)), common_); }

  static Array positions(const Entry& e) {
    const hilo::Shape shape = hilo::Shape::array(ElementType::kS32, {e.count});
    return ops::add(ops::mul(ops::iota(shape, 0), ops::full(shape, static_cast<double>(e.step))),
                    ops::full(shape, static_cast<double>(e.start)));
  }

  std::vector<int64_t> common_dimensions() const {
    std::vector<int64_t> dimensions;
    for (size_t k = 0; k < common_.size(); ++k) dimensions.push_back(common_begin_ + k);
    return dimensions;
  }

  void add_component(int64_t dimension, const Array& values, const std::vector<int64_t>& dimensions) {
    plan_.gather.start_index_map.push_back(dimension);
    columns_.push_back({values, dimensions});
  }

  void finish_indices() {
    const int64_t rank = batch_.size();
    plan_.gather.index_vector_dim = rank;
    const bool wide =
        std::ranges::any_of(columns_, [](const Column& c) { return c.values.dtype() == ElementType::kS64; });
    const ElementType type = wide ? ElementType::kS64 : ElementType::kS32;
    std::vector<int64_t> shape = batch_;
    shape.push_back(1);
    std::vector<Array> columns;
    for (const Column& c : columns_)
      columns.push_back(ops::broadcast_in_dim(ops::convert_element_type(c.values, type),
                                              hilo::Shape::array(type, shape), c.dimensions));
    shape.back() = 0;
    plan_.indices = columns.empty() ? ops::full(hilo::Shape::array(type, shape), 0) : ops::concatenate(columns, rank);
  }

  struct Column {
    Array values;
    std::vector<int64_t> dimensions;  ///< dimensions of the index array
  };
  const Array& x_;
  std::span<const Entry> entries_;
  IndexPlan plan_;
  bool has_arrays_ = false;
  size_t arrays_at_ = 0;
  std::vector<int64_t> common_;  ///< common shape of all arrays
  int64_t common_begin_ = 0;
  std::vector<int64_t> batch_, steps_;
  std::vector<Column> columns_;
};

}  // namespace

void check_index_count(const Array& x, std::span<const Indexer> indices) {
  int64_t indexed = 0;
  for (const Indexer& index : indices) indexed += axes_taken(index);
  if (indexed > x.ndim()) refuse_count(x, indexed);
}

void check_integer_index(std::string_view what, const Array& index) {
  if (is_integer(index.dtype())) return;
  or_throw(
      invalid_argument(at_user_line(what) + ": Indexer must have integer type, got " + index.aval_shape().to_string()));
}

Array wrapped_index(const Array& index, int64_t extent) {
  const ElementType type =
      index.dtype() == ElementType::kS64 || index.dtype() == ElementType::kU64 ? ElementType::kS64 : ElementType::kS32;
  const Array i = ops::convert_element_type(index, type);
  if (is_unsigned_integer(index.dtype())) return i;
  const Array from_end = ops::add(i, ops::full_like(i, static_cast<double>(extent)));
  return ops::select(ops::lt(i, ops::full_like(i, 0)), from_end, i);
}

std::vector<Array> true_positions(const Array& mask) {
  const std::vector<bool> values = mask.to_vector<bool>();
  std::vector<std::vector<int32_t>> positions(mask.ndim());
  for (size_t flat = 0; flat < values.size(); ++flat) {
    if (!values[flat]) continue;
    int64_t rest = flat;
    for (size_t d = positions.size(); d-- > 0;) {
      const int64_t extent = mask.shape()[d];
      positions[d].push_back(static_cast<int32_t>(rest % extent));
      rest /= extent;
    }
  }
  std::vector<Array> arrays;
  for (const std::vector<int32_t>& p : positions) arrays.push_back(Array::from_vector(p, {std::ssize(p)}));
  return arrays;
}

IndexPlan plan_index(const Array& x, std::span<const Indexer> indices, OutsideNumbers outside) {
  const std::vector<Entry> entries = entries_of(x, indices, outside);
  if (std::ranges::any_of(entries, [](const Entry& e) { return e.kind == Entry::Kind::kArray; }))
    return GatherPlanner(x, entries).plan();
  return plan_slices(x, entries);
}

IndexPlan plan_places(const Array& x, std::span<const Indexer> indices) {
  const std::vector<Entry> entries = entries_of(x, indices, OutsideNumbers::kToMode);
  return GatherPlanner(x, entries).plan();
}

void refuse_in_place(std::string_view function, bool inplace) {
  if (inplace)
    or_throw(invalid_argument(at_user_line(function) +
                              ": got inplace = true, but arrays are immutable; the result is a copy"));
}

}  // namespace hilo::numpy
