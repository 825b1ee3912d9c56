// SPDX-License-Identifier: Apache-2.0
// numpy/bins.cc -- counting in bins: bincount and histograms.
#include <algorithm>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns the edges of equal bins between two limits, or the specified edges.
Array edges_of(const Array& x, const Bins& bins, const BinRange& range) {
  const ElementType type = promote_inexact(x).dtype();
  if (bins.edges()) return ops::convert_element_type(*bins.edges(), type);
  if (bins.count() < 1)
    or_throw(invalid_argument(at_user_line("histogram") + ": bins must be a positive number; got " +
                              std::to_string(bins.count())));
  Array low = Array(0.0), high = Array(1.0);
  if (range) {
    low = Array((*range).first);
    high = Array((*range).second);
  } else {
    low = min(x);
    high = max(x);
  }
  low = ops::convert_element_type(low, type);
  high = ops::convert_element_type(high, type);
  const Array flat = low == high;
  return linspace(where(flat, low - 0.5, low), where(flat, high + 0.5, high), bins.count() + 1, {.dtype = type});
}

/// Returns the index of the bin of each element; the last bin is closed on the right. Outside: the number of bins.
Array bin_of(const Array& x, const Array& edges) {
  const int bins = static_cast<int>(edges.size()) - 1;
  const Array found = searchsorted(edges, x, {.side = "right"}) - 1;
  const Array inside = (found >= 0) & (x <= edges[-1]);
  return where(inside, minimum(found, bins - 1), bins);
}

Array counted(const Array& bin, int64_t bins, const std::optional<Array>& weights, ElementType type) {
  const Array begin = zeros({bins}, weights ? promote_inexact(*weights).dtype() : type);
  return at(begin, bin).add(weights ? ravel(*weights) : Array(1), {.mode = "drop"});
}

}  // namespace

Array bincount(const Operand& x, const BincountOptions& options) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (a.ndim() != 1 || !(is_integer(a.dtype()) || a.dtype() == ElementType::kPred))
    or_throw(invalid_argument(at_user_line("bincount") + ": x must be a vector of integers; got " +
                              a.aval_shape().to_string()));
  if (options.minlength < 0) or_throw(invalid_argument(at_user_line("bincount") + ": minlength must not be negative"));
  const Array values = a.dtype() == ElementType::kPred ? ops::convert_element_type(a, default_integer()) : a;
  int64_t length = options.minlength;
  if (options.length) length = *options.length;
  else if (a.size() != 0) length = std::max<int64_t>(length, std::max<int64_t>(max(values).item<int64_t>(), 0) + 1);
  const Array begin = zeros({length}, options.weights ? options.weights->dtype() : default_integer());
  return at(begin, maximum(values, 0)).add(options.weights ? *options.weights : Array(1), {.mode = "drop"});
}

Array histogram_bin_edges(const Operand& a, const HistogramOptions& options) {
  const UserLocation here(a.location());
  return edges_of(ravel(a), options.bins, options.range);
}

std::pair<Array, Array> histogram(const Operand& a, const HistogramOptions& options) {
  const UserLocation here(a.location());
  const Array x = promote_inexact(ravel(a));
  const Array edges = edges_of(x, options.bins, options.range);
  Array counts = counted(bin_of(ops::convert_element_type(x, edges.dtype()), edges), edges.size() - 1, options.weights,
                         edges.dtype());
  if (options.density) counts = counts / diff(edges) / sum(counts);
  return {counts, edges};
}

std::pair<Array, std::vector<Array>> histogramdd(const Operand& sample, const HistogramddOptions& options) {
  const UserLocation here(sample.location());
  const Array x = promote_inexact(sample.array());
  if (x.ndim() != 2)
    or_throw(
        invalid_argument(at_user_line("histogramdd") + ": wanted a matrix of rows; got " + x.aval_shape().to_string()));
  const size_t columns = x.shape(1);
  const std::vector<Bins>& column_bins = options.bins.list();
  if (column_bins.size() > 1 && column_bins.size() != columns)
    or_throw(invalid_argument(at_user_line("histogramdd") + ": should have one bin count for each of " +
                              std::to_string(columns) + " columns; got " + std::to_string(column_bins.size())));
  if (!options.range.empty() && options.range.size() != columns)
    or_throw(invalid_argument(at_user_line("histogramdd") + ": range should have one pair for each of " +
                              std::to_string(columns) + " columns"));
  std::vector<Array> edges;
  Shape shape;
  Array flat = zeros({x.shape(0)}, int32), all_inside = ones({x.shape(0)}, bool_);
  int64_t total = 1;
  for (size_t d = 0; d < columns; ++d) {
    const Array column = x(hilo::all, static_cast<int64_t>(d));
    const Bins bins = column_bins.empty() ? Bins(10) : column_bins[column_bins.size() == 1 ? 0 : d];
    edges.push_back(edges_of(column, bins, options.range.empty() ? BinRange(std::nullopt) : options.range[d]));
    shape.push_back(edges.back().size() - 1);
    const Array bin = bin_of(column, edges.back());
    all_inside = all_inside & (bin < static_cast<int>(shape.back()));
    flat = flat * static_cast<int>(shape.back()) + ops::convert_element_type(bin, ElementType::kS32);
    total *= shape.back();
  }
  Array counts = reshape(
      counted(where(all_inside, flat, static_cast<int>(total)), total, options.weights, default_integer()), shape);
  if (options.density) {
    counts = ops::convert_element_type(counts, x.dtype());
    counts = counts / sum(counts);
    for (size_t d = 0; d < columns; ++d) {
      Shape thin(std::vector<int64_t>(columns, 1));
      thin[d] = shape[d];
      counts = counts / reshape(diff(edges[d]), thin);
    }
  }
  return {counts, edges};
}

Histogram2d histogram2d(const Operand& x, const Operand& y, const HistogramddOptions& options) {
  const UserLocation here(x.location());
  const auto [counts, edges] = histogramdd(column_stack({x.array(), y.array()}), options);
  return {counts, edges[0], edges[1]};
}

std::pair<Array, Array> histogram(const Operand& a, const Bins& bins, HistogramOptions options) {
  options.bins = bins;
  return histogram(a, options);
}

}  // namespace hilo::numpy
