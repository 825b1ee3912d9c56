// SPDX-License-Identifier: Apache-2.0
// numpy/sorting.h -- sorting, searching, selection by condition, counting in bins.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/indexing.h"

namespace hilo::numpy {

// ---- sorting --------------------------------------------------------------------------------------------------------
struct SortOptions {
  std::optional<int64_t> axis = -1;  ///< axis to sort along; nullopt sorts the flattened array
  bool stable = true;
  bool descending = false;
};
struct ArgsortOptions {
  std::optional<int64_t> axis = -1;
  bool stable = true;
  bool descending = false;
  Dtype dtype = std::nullopt;  ///< type of the positions
};
/// Sorts along `axis` in ascending order, NaNs last. Complex numbers are ordered by real part, then imaginary part.
/// Example    sort(array({3, 1, 2}))  // [1 2 3]
Array sort(const Operand& a, const SortOptions& options = {});
/// Returns the positions that sort an array along `axis`.
/// Example    argsort(array({3, 1, 2}))  // [1 2 0]
Array argsort(const Operand& a, const ArgsortOptions& options = {});
template <int = 0>
Array sort(const Operand& a, std::optional<int64_t> axis) {
  return sort(a, SortOptions{.axis = axis});
}
template <int = 0>
Array argsort(const Operand& a, std::optional<int64_t> axis) {
  return argsort(a, ArgsortOptions{.axis = axis});
}
/// Returns the positions that sort by the last key, ties by the key before it, and so on. The rows of a matrix are
/// keys.
Array lexsort(const Arrays& keys, int64_t axis = -1, Line line = Line::current());
/// Partially sorts: the kth element is at its sorted position, with no greater element before it and no lesser one
/// after it.
Array partition(const Operand& a, int64_t kth, int64_t axis = -1);
/// Returns the positions that partition an array. See partition.
Array argpartition(const Operand& a, int64_t kth, int64_t axis = -1);
struct TopKOptions {
  int64_t axis = -1;
  const char* mode = "largest";  ///< "largest" or "smallest"
  bool sorted = true;            ///< no effect: the elements are always in order
};
/// Returns the k largest or smallest elements along an axis, the first first, and their positions: jax.numpy.top_k.
/// Types      real numbers; as lax::top_k
/// Errors     INVALID_ARGUMENT for k out of 0..size, complex numbers, or another mode
/// Example    const auto [values, indices] = top_k(array({3, 1, 2}), 2, {.mode = "smallest"});
///            values   // [1 2]
///            indices  // [1 2]
std::pair<Array, Array> top_k(const Operand& a, int64_t k, const TopKOptions& options = {});
/// Returns all elements as complex numbers, sorted.
Array sort_complex(const Operand& a);

// ---- searching ------------------------------------------------------------------------------------------------------
struct SearchOptions {
  const char* side = "left";  ///< insertion before equal elements ("left") or after them ("right")
  std::optional<Array> sorter = std::nullopt;
  const char* method = "scan";  ///< JAX's; all methods have the same result
};
/// Returns the positions at which to insert elements into the sorted vector `a` to keep it sorted.
/// Types      s32
/// Example    searchsorted(array({1, 3, 5}), array({0, 3, 9}))  // [0 1 3]
Array searchsorted(const Operand& a, const Operand& v, const SearchOptions& options = {});
struct DigitizeOptions {
  bool right = false;           ///< whether bins include their right edge instead of the left one
  const char* method = "scan";  ///< JAX's; all methods have the same result
};
/// Returns the bin of each element. The bin edges ascend or descend.
/// Example    digitize(array({0.5, 1.5, 2.5}), array({1.0, 2.0}))  // [0 1 2]
Array digitize(const Operand& x, const Operand& bins, const DigitizeOptions& options = {});
template <std::same_as<bool> Right>
Array digitize(const Operand& x, const Operand& bins, Right right, const DigitizeOptions& options = {}) {
  return digitize(x, bins, DigitizeOptions{.right = right, .method = options.method});
}

// ---- selecting ------------------------------------------------------------------------------------------------------
/// The number of results, required for traced arguments, and the value that fills missing results.
struct SizeOptions {
  std::optional<int64_t> size = std::nullopt;
  std::optional<Array> fill_value = std::nullopt;
};
/// Returns the positions of elements that are not 0: an array for each axis.
/// Errors     those of to_literal, for a traced array without `size`
/// Example    nonzero(array({0, 5, 0, 7}))[0]  // [1 3]
std::vector<Array> nonzero(const Operand& a, const SizeOptions& options = {});
/// Returns the positions as a tuple, for a number of axes known at compile time: auto [i, j] = nonzero<2>(x).
/// Errors    INVALID_ARGUMENT for another number of axes
template <size_t N>
ArrayTuple<N> nonzero(const Operand& a, const SizeOptions& options = {}) {
  return numpy::exactly<N>("nonzero", nonzero(a, options));
}
/// Returns nonzero(condition).
std::vector<Array> where(const Operand& condition, const SizeOptions& options = {});
template <size_t N>
ArrayTuple<N> where(const Operand& condition, const SizeOptions& options = {}) {
  return numpy::nonzero<N>(condition, options);
}
/// Returns the positions of elements that are not 0, as the rows of a matrix.
Array argwhere(const Operand& a, const SizeOptions& options = {});
/// Returns the positions of elements that are not 0 in the flattened array.
Array flatnonzero(const Operand& a, const SizeOptions& options = {});
/// Returns the elements where `condition` is not 0, as a vector.
Array extract(const Operand& condition, const Operand& arr, const SizeOptions& options = {});
struct CompressOptions {
  std::optional<int64_t> axis = std::nullopt;
  std::optional<int64_t> size = std::nullopt;
  std::optional<Array> fill_value = std::nullopt;
};
/// Returns the slices along an axis where `condition` is true; without an axis, elements of the flattened array.
Array compress(const Operand& condition, const Operand& a, const CompressOptions& options = {});
template <int = 0>
Array compress(const Operand& condition, const Operand& a, std::optional<int64_t> axis) {
  return compress(condition, a, CompressOptions{.axis = axis});
}
struct ChooseOptions {
  /// treatment of indices out of bounds: "raise" (the index must be known), "wrap" or "clip"
  const char* mode = "raise";
};
/// Returns choices[a[i]][i] for each position i. A single array of choices is split along its first axis.
/// Example    choose(array({0, 1, 0}), {array({1, 2, 3}), array({7, 8, 9})})  // [1 8 3]
Array choose(const Operand& a, const Arrays& choices, const ChooseOptions& options = {});
template <int = 0>
Array choose(const Operand& a, const Arrays& choices, const char* mode) {
  return choose(a, choices, ChooseOptions{.mode = mode});
}
/// Returns, for each element, the choice of the first condition that is true, else `default_`.
/// Example    const Array x = arange(5);
///            select({x < 1, x > 3}, {x, x * 10}, -1)  // [ 0 -1 -1 -1 40]
Array select(const std::vector<Array>& condlist, const std::vector<Array>& choicelist, const Operand& default_ = 0);
struct PutOptions {
  const char* mode =
      /// treatment of indices out of bounds: "clip" (also for negative ones) or "wrap"; negative ones count from the
      /// end by default
      nullptr;
  bool inplace = false;
};
/// Returns a copy of `a` with the elements at flat positions replaced by values.
/// Errors     INVALID_ARGUMENT for inplace = true: arrays are immutable
/// Example    put(arange(4), array({0, 2}), array({7, 8}))  // [7 1 8 3]
Array put(const Operand& a, const Operand& ind, const Operand& v, const PutOptions& options = {});
template <int = 0>
Array put(const Operand& a, const Operand& ind, const Operand& v, const char* mode) {
  return put(a, ind, v, PutOptions{.mode = mode});
}
struct PutAlongAxisOptions {
  std::optional<int64_t> axis = std::nullopt;  ///< nullopt for the flattened array
  bool inplace = false;
  Mode mode = {};
};
/// Returns a copy of `arr` with the elements at indices along an axis replaced by values. See take_along_axis.
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
/// Returns a copy of `arr` with the elements where `mask` is true replaced by successive values, which repeat if
/// needed.
/// Errors     INVALID_ARGUMENT for inplace = true: arrays are immutable
/// Example    place(arange(4), array({true, false, true, false}), array({7, 8}))  // [7 1 8 3]
Array place(const Operand& arr, const Operand& mask, const Operand& vals, const PlaceOptions& options = {});
/// Inserts values before position `obj` (a number, or several whose values are known). Without an axis, flattens the
/// array.
/// Example    insert(array({1, 2, 3}), 1, 9)  // [1 9 2 3]
Array insert(const Operand& arr, const Operand& obj, const Operand& values, std::optional<int64_t> axis = std::nullopt);
Array insert(const Operand& arr, const Range& obj, const Operand& values, std::optional<int64_t> axis = std::nullopt);
/// Removes the positions in `obj`: a number, several numbers, a mask, or a range. Without an axis, flattens the array.
/// Example    delete_(array({1, 2, 3}), 1)  // [1 3]
Array delete_(const Operand& arr, const Operand& obj, std::optional<int64_t> axis = std::nullopt);
Array delete_(const Operand& arr, const Range& obj, std::optional<int64_t> axis = std::nullopt);
struct DeleteOptions {
  std::optional<int64_t> axis = std::nullopt;
  bool assume_unique_indices = false;  ///< promise that no index occurs twice; the result is the same
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
  Axes axis = std::nullopt;  ///< axes to trim; default all
};
/// Removes slices of zeros at the front ("f"), the back ("b") or both ("fb").
Array trim_zeros(const Operand& filt, const TrimZerosOptions& options = {});
template <int = 0>
Array trim_zeros(const Operand& filt, const char* trim, const Axes& axis = std::nullopt) {
  return trim_zeros(filt, TrimZerosOptions{.trim = trim, .axis = axis});
}
/// Returns x[i, indices[i]] for each row i.
Array take_along_rows(const Operand& x, const Operand& indices);
struct RavelMultiIndexOptions {
  const char* mode = "raise";  ///< treatment of indices out of bounds: "raise", "wrap" or "clip"
  const char* order = "C";     ///< "C" (the last axis varies fastest) or "F" (the first axis varies fastest)
  Dtype dtype = std::nullopt;
};
/// Returns flat positions from the positions along each axis.
Array ravel_multi_index(const std::vector<Array>& multi_index, const Shape& dims,
                        const RavelMultiIndexOptions& options = {}, Line line = Line::current());
template <int = 0>
Array ravel_multi_index(const std::vector<Array>& multi_index, const Shape& dims, const char* mode,
                        Line line = Line::current()) {
  return ravel_multi_index(multi_index, dims, RavelMultiIndexOptions{.mode = mode}, line);
}
/// Returns the positions along each axis from flat positions.
/// Example    unravel_index(5, {2, 3})  // [1, 2]
std::vector<Array> unravel_index(const Operand& indices, const Shape& shape);
template <size_t N>
ArrayTuple<N> unravel_index(const Operand& indices, const Shape& shape) {
  return numpy::exactly<N>("unravel_index", unravel_index(indices, shape));
}

// ---- bins -----------------------------------------------------------------------------------------------------------
struct BincountOptions {
  std::optional<Array> weights = std::nullopt;
  int64_t minlength = 0;
  std::optional<int64_t> length = std::nullopt;  ///< length of the result; required for traced values
};
/// Counts the occurrences of 0, 1, ... in a vector; negative values count as 0.
/// Example    bincount(array({0, 1, 1, 3}))  // [1 2 0 1]
Array bincount(const Operand& x, const BincountOptions& options = {});
/// The number of bins of equal width, or the edges of the bins.
class Bins {
 public:
  Bins(int count) : count_(count) {}  // implicit: counts and edges convert
  Bins(int64_t count) : count_(count) {}
  Bins(const Array& edges) : edges_(edges) {}
  int64_t count() const { return count_; }
  const std::optional<Array>& edges() const { return edges_; }

 private:
  int64_t count_ = 10;
  std::optional<Array> edges_;
};
/// The range that bins cover; by default from the minimum element to the maximum.
class BinRange {
 public:
  BinRange(std::nullopt_t) : has_value_(false) {}  // implicit: {.range = {0, 1}}
  BinRange(double low, double high) : has_value_(true), limits_(low, high) {}
  BinRange(const std::pair<double, double>& limits) : has_value_(true), limits_(limits) {}
  explicit operator bool() const { return has_value_; }
  const std::pair<double, double>& operator*() const { return limits_; }

 private:
  bool has_value_;
  std::pair<double, double> limits_;
};
/// The bins of all columns, or of each.
class ColumnBins {
 public:
  template <std::convertible_to<Bins> T>
  ColumnBins(const T& bins) : bins_({Bins(bins)}) {}  // implicit
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
Array histogram_bin_edges(const Operand& a, const HistogramOptions& options = {});  ///< edges of the bins of histogram
/// Returns the counts of elements in bins (floats) and the edges of the bins.
/// Example    histogram(array({1, 2, 1}), array({0, 1, 2, 3})).first  // [0. 2. 1.]
std::pair<Array, Array> histogram(const Operand& a, const HistogramOptions& options = {});
template <int = 0>
std::pair<Array, Array> histogram(const Operand& a, const Bins& bins) {
  return histogram(a, HistogramOptions{.bins = bins});
}
std::pair<Array, Array> histogram(const Operand& a, const Bins& bins, HistogramOptions options);
struct HistogramddOptions {
  ColumnBins bins = 10;  ///< bins of all columns, or of each
  std::vector<BinRange> range = {};
  std::optional<Array> weights = std::nullopt;
  bool density = false;
};
/// Returns the counts of the rows of a matrix in bins, and the edges along each column.
std::pair<Array, std::vector<Array>> histogramdd(const Operand& sample, const HistogramddOptions& options = {});
struct Histogram2d {
  Array H, xedges, yedges;
};
/// Returns the counts of points (x, y) in bins, and the edges along both axes.
Histogram2d histogram2d(const Operand& x, const Operand& y, const HistogramddOptions& options = {});

}  // namespace hilo::numpy
