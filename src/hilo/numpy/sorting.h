// SPDX-License-Identifier: Apache-2.0
// numpy/sorting.h -- order: sort and its kin, searching, selection by condition, bins.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/indexing.h"

namespace hilo::numpy {

// ---- sorting --------------------------------------------------------------------------------------------------------
struct SortOptions {
  std::optional<int64_t> axis = -1;  ///< none: the flattened array
  bool stable = true;
  bool descending = false;
};
struct ArgsortOptions {
  std::optional<int64_t> axis = -1;
  bool stable = true;
  bool descending = false;
  Dtype dtype = std::nullopt;  ///< of the positions
};
/// Ascending along `axis`; NaN last. Complex numbers by their real parts, then their imaginary ones.
Array sort(const Operand& a, const SortOptions& options = {});
Array argsort(const Operand& a, const ArgsortOptions& options = {});
template <int = 0>
Array sort(const Operand& a, std::optional<int64_t> axis) {
  return sort(a, SortOptions{.axis = axis});
}
template <int = 0>
Array argsort(const Operand& a, std::optional<int64_t> axis) {
  return argsort(a, ArgsortOptions{.axis = axis});
}
/// Positions that sort by the last key, equal ones by the key before it, and so on. The rows of a matrix are keys.
Array lexsort(const Arrays& keys, int64_t axis = -1, Line line = Line::current());
/// The kth element where a sort puts it, no greater ones before it, no lesser ones behind.
Array partition(const Operand& a, int64_t kth, int64_t axis = -1);
Array argpartition(const Operand& a, int64_t kth, int64_t axis = -1);
/// All elements as complex numbers, sorted.
Array sort_complex(const Operand& a);

// ---- searching ------------------------------------------------------------------------------------------------------
struct SearchOptions {
  const char* side = "left";  ///< before equal elements, or "right" of them
  std::optional<Array> sorter = std::nullopt;
  const char* method = "scan";  ///< JAX's; all give the same
};
/// Where elements would keep the vector `a` sorted: s32.
Array searchsorted(const Operand& a, const Operand& v, const SearchOptions& options = {});
struct DigitizeOptions {
  bool right = false;           ///< closed on the right
  const char* method = "scan";  ///< JAX's; all give the same
};
/// The bin of each element; bins ascend or descend. Closed on the left, or on the right.
Array digitize(const Operand& x, const Operand& bins, const DigitizeOptions& options = {});
template <std::same_as<bool> Right>
Array digitize(const Operand& x, const Operand& bins, Right right, const DigitizeOptions& options = {}) {
  return digitize(x, bins, DigitizeOptions{.right = right, .method = options.method});
}

// ---- selecting ------------------------------------------------------------------------------------------------------
/// How many results there are, where that must be known while tracing, and what stands where there are fewer.
struct SizeOptions {
  std::optional<int64_t> size = std::nullopt;
  std::optional<Array> fill_value = std::nullopt;
};
/// Where elements aren't zero: an array of positions for each axis.
/// Errors    as to_literal, without a size, for an array whose value isn't known
std::vector<Array> nonzero(const Operand& a, const SizeOptions& options = {});
/// For as many axes as the compiler knows: auto [i, j] = nonzero<2>(x).
/// Errors    INVALID_ARGUMENT for another number of axes
template <size_t N>
ArrayTuple<N> nonzero(const Operand& a, const SizeOptions& options = {}) {
  return numpy::exactly<N>("nonzero", nonzero(a, options));
}
/// where(condition): nonzero.
std::vector<Array> where(const Operand& condition, const SizeOptions& options = {});
template <size_t N>
ArrayTuple<N> where(const Operand& condition, const SizeOptions& options = {}) {
  return numpy::nonzero<N>(condition, options);
}
/// The same as rows of a matrix.
Array argwhere(const Operand& a, const SizeOptions& options = {});
Array flatnonzero(const Operand& a, const SizeOptions& options = {});
/// The elements where `condition` isn't zero.
Array extract(const Operand& condition, const Operand& arr, const SizeOptions& options = {});
struct CompressOptions {
  std::optional<int64_t> axis = std::nullopt;
  std::optional<int64_t> size = std::nullopt;
  std::optional<Array> fill_value = std::nullopt;
};
Array compress(const Operand& condition, const Operand& a, const CompressOptions& options = {});
template <int = 0>
Array compress(const Operand& condition, const Operand& a, std::optional<int64_t> axis) {
  return compress(condition, a, CompressOptions{.axis = axis});
}
struct ChooseOptions {
  const char* mode = "raise";  ///< then the index must be known; or "wrap", "clip"
};
/// choices[a[i]] at i; an array of choices is taken apart along its first axis.
Array choose(const Operand& a, const Arrays& choices, const ChooseOptions& options = {});
template <int = 0>
Array choose(const Operand& a, const Arrays& choices, const char* mode) {
  return choose(a, choices, ChooseOptions{.mode = mode});
}
/// Of the first condition that is true the choice, else `default_`.
Array select(const std::vector<Array>& condlist, const std::vector<Array>& choicelist, const Operand& default_ = 0);
// Copies of an array with something put at flat positions, along lines, and where a mask is true: jnp.put and the like
// with inplace=False.
// Errors    INVALID_ARGUMENT for inplace = true: an array never changes
struct PutOptions {
  const char* mode =
      nullptr;  ///< "clip", where negative indices are outside, or "wrap"; by default they count from the end
  bool inplace = false;
};
Array put(const Operand& a, const Operand& ind, const Operand& v, const PutOptions& options = {});
template <int = 0>
Array put(const Operand& a, const Operand& ind, const Operand& v, const char* mode) {
  return put(a, ind, v, PutOptions{.mode = mode});
}
struct PutAlongAxisOptions {
  std::optional<int64_t> axis = std::nullopt;  ///< none: of the flattened array
  bool inplace = false;
  Mode mode = {};
};
Array put_along_axis(const Operand& arr, const Operand& indices, const Operand& values,
                     const PutAlongAxisOptions& options);
template <int = 0>
Array put_along_axis(const Operand& arr, const Operand& indices, const Operand& values, std::optional<int64_t> axis,
                     const PutAlongAxisOptions& options = {}) {
  return put_along_axis(arr, indices, values,
                        PutAlongAxisOptions{.axis = axis, .inplace = options.inplace, .mode = options.mode});
}
struct PlaceOptions {
  bool inplace = false;
};
Array place(const Operand& arr, const Operand& mask, const Operand& vals, const PlaceOptions& options = {});
/// `values` before position `obj` (a number, or numbers that are known); without an axis, of the flattened array.
Array insert(const Operand& arr, const Operand& obj, const Operand& values, std::optional<int64_t> axis = std::nullopt);
Array insert(const Operand& arr, const Range& obj, const Operand& values, std::optional<int64_t> axis = std::nullopt);
/// Without what `obj` names: a number, numbers, a mask, or a range.
Array delete_(const Operand& arr, const Operand& obj, std::optional<int64_t> axis = std::nullopt);
Array delete_(const Operand& arr, const Range& obj, std::optional<int64_t> axis = std::nullopt);
struct DeleteOptions {
  std::optional<int64_t> axis = std::nullopt;
  bool assume_unique_indices = false;  ///< the caller's promise; the result is the same
};
template <int = 0>
Array delete_(const Operand& arr, const Operand& obj, const DeleteOptions& options) {
  return delete_(arr, obj, options.axis);
}
template <int = 0>
Array delete_(const Operand& arr, const Range& obj, const DeleteOptions& options) {
  return delete_(arr, obj, options.axis);
}
struct TrimZerosOptions {
  const char* trim = "fb";
  Axes axis = std::nullopt;  ///< by default all
};
/// Without slices of zeros at the front ("f"), the back ("b") or both.
Array trim_zeros(const Operand& filt, const TrimZerosOptions& options = {});
template <int = 0>
Array trim_zeros(const Operand& filt, const char* trim, const Axes& axis = std::nullopt) {
  return trim_zeros(filt, TrimZerosOptions{.trim = trim, .axis = axis});
}
/// x[i, indices[i]] for every i: one element of each row.
Array take_along_rows(const Operand& x, const Operand& indices);
struct RavelMultiIndexOptions {
  const char* mode = "raise";  ///< of indices outside; or "wrap", "clip"
  const char* order = "C";     ///< or "F": the first axis runs fastest
  Dtype dtype = std::nullopt;
};
/// Flat positions from positions along each axis, and back.
Array ravel_multi_index(const std::vector<Array>& multi_index, const Shape& dims,
                        const RavelMultiIndexOptions& options = {}, Line line = Line::current());
template <int = 0>
Array ravel_multi_index(const std::vector<Array>& multi_index, const Shape& dims, const char* mode,
                        Line line = Line::current()) {
  return ravel_multi_index(multi_index, dims, RavelMultiIndexOptions{.mode = mode}, line);
}
std::vector<Array> unravel_index(const Operand& indices, const Shape& shape);
template <size_t N>
ArrayTuple<N> unravel_index(const Operand& indices, const Shape& shape) {
  return numpy::exactly<N>("unravel_index", unravel_index(indices, shape));
}

// ---- bins -----------------------------------------------------------------------------------------------------------
struct BincountOptions {
  std::optional<Array> weights = std::nullopt;
  int64_t minlength = 0;
  std::optional<int64_t> length = std::nullopt;  ///< where the values aren't known
};
/// How often each of 0, 1, ... stands in a vector; negative ones count as 0.
Array bincount(const Operand& x, const BincountOptions& options = {});
/// A number of bins of equal width, or the borders of bins.
class Bins {
 public:
  Bins(int count) : count_(count) {}  // bins convert
  Bins(int64_t count) : count_(count) {}
  Bins(const Array& edges) : edges_(edges) {}
  int64_t count() const { return count_; }
  const std::optional<Array>& edges() const { return edges_; }

 private:
  int64_t count_ = 10;
  std::optional<Array> edges_;
};
/// What bins cover, or by default from the least element to the greatest.
class BinRange {
 public:
  BinRange(std::nullopt_t) : has_value_(false) {}  // {.range = {0, 1}}
  BinRange(double low, double high) : has_value_(true), limits_(low, high) {}
  BinRange(const std::pair<double, double>& limits) : has_value_(true), limits_(limits) {}
  explicit operator bool() const { return has_value_; }
  const std::pair<double, double>& operator*() const { return limits_; }

 private:
  bool has_value_;
  std::pair<double, double> limits_;
};
/// Bins of all columns, or of each.
class ColumnBins {
 public:
  template <std::convertible_to<Bins> T>
  ColumnBins(const T& bins) : bins_({Bins(bins)}) {}  // they convert
  ColumnBins(std::initializer_list<Bins> bins) : bins_(bins) {}
  ColumnBins(std::vector<Bins> bins) : bins_(std::move(bins)) {}
  const std::vector<Bins>& list() const { return bins_; }

 private:
  std::vector<Bins> bins_;
};
struct HistogramOptions {
  Bins bins = 10;
  BinRange range = std::nullopt;
  std::optional<Array> weights = std::nullopt;
  bool density = false;
};
Array histogram_bin_edges(const Operand& a, const HistogramOptions& options = {});  ///< where bins begin and end
/// Counts (floats), and the borders of the bins.
std::pair<Array, Array> histogram(const Operand& a, const HistogramOptions& options = {});
template <int = 0>
std::pair<Array, Array> histogram(const Operand& a, const Bins& bins) {
  return histogram(a, HistogramOptions{.bins = bins});
}
std::pair<Array, Array> histogram(const Operand& a, const Bins& bins, HistogramOptions options);
struct HistogramddOptions {
  ColumnBins bins = 10;  ///< one for all columns, or one each
  std::vector<BinRange> range = {};
  std::optional<Array> weights = std::nullopt;
  bool density = false;
};
/// Counts of the rows of a matrix, and the borders along each column.
std::pair<Array, std::vector<Array>> histogramdd(const Operand& sample, const HistogramddOptions& options = {});
struct Histogram2d {
  Array H, xedges, yedges;
};
Histogram2d histogram2d(const Operand& x, const Operand& y, const HistogramddOptions& options = {});

}  // namespace hilo::numpy
