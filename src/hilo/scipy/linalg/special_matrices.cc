// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/linalg/special_matrices.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string_view>

#include "hilo/array/refuse.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/special/gamma.h"

namespace hilo::scipy::linalg {

namespace {

std::string text_of(const Array& x) { return x.aval_shape().to_string(); }

/// The row indices as a column, and the column indices as a row.
struct BandPlaces {
  Array row, column;
};
BandPlaces places(int64_t rows, int64_t columns) {
  return {numpy::expand_dims(numpy::arange(rows), 1), numpy::expand_dims(numpy::arange(columns), 0)};
}
/// Returns the indices as floats.
BandPlaces numbers(int64_t n) {
  const Array a = numpy::arange(n, default_float());
  return {numpy::expand_dims(a, 1), numpy::expand_dims(a, 0)};
}

/// Returns matrices without elements, one for each vector of `a`.
Array no_elements(const Array& a, int64_t m, int64_t n) {
  Dimensions shape(a.shape().begin(), a.shape().end() - 1);
  shape.insert(shape.end(), {m, n});
  return numpy::zeros(shape, a.dtype());
}

/// Broadcasts the batch axes of both, and promotes both to one type.
std::pair<Array, Array> same_batch(const Array& a, const Array& b) {
  const ElementType type = numpy::promote(numpy::zeros({}, a.dtype()), numpy::zeros({}, b.dtype())).first.dtype();
  const std::vector<int64_t> batch =
      numpy::broadcast_shapes(a.shape().first(a.shape().size() - 1), b.shape().first(b.shape().size() - 1));
  const auto spread = [&](const Array& x) {
    std::vector<int64_t> shape = batch;
    shape.push_back(x.shape(-1));
    return numpy::spread_to(numpy::astype(x, type), shape);
  };
  return {spread(a), spread(b)};
}
/// Returns x[..., i] for a matrix i of integer positions.
Array gathered(const Array& x, const Array& i) { return numpy::take(x, i, -1); }

}  // namespace

Array block_diag(const std::vector<Array>& arrs, numpy::Line line) {
  const UserLocation here(line);
  std::vector<Array> blocks;
  int64_t width = 0;
  for (const Array& a : arrs.empty() ? std::vector<Array>{numpy::zeros({1, 0})} : arrs) {
    if (a.ndim() > 2) refuse("block_diag", "arguments must have at most 2 dimensions; got " + text_of(a));
    blocks.push_back(numpy::atleast_2d(a));
    width += blocks.back().shape(1);
  }
  std::vector<Array> rows;
  int64_t left = 0;
  for (const Array& block : blocks) {
    rows.push_back(numpy::pad(block, {{0, 0}, {left, width - left - block.shape(1)}}));
    left += block.shape(1);
  }
  return numpy::not_weak(numpy::concatenate(rows, 0));
}

Array toeplitz(const Operand& c, const std::optional<Array>& r) {
  const UserLocation here(c.location());
  const Array column = numpy::atleast_1d(c), row = numpy::atleast_1d(r ? *r : numpy::conj(column));
  const auto [a, b] = same_batch(column, row);
  const int64_t m = a.shape(-1), n = b.shape(-1);
  if (m == 0 || n == 0) return no_elements(a, m, n);
  const Array elements = numpy::concatenate({numpy::flip(a, -1), b(ellipsis, range(1, none))}, -1);
  const auto [i, j] = places(m, n);
  return gathered(elements, j - i + (m - 1));
}

Array hankel(const Operand& c, const std::optional<Array>& r) {
  const UserLocation here(c.location());
  const Array& column = c.array();
  const Array row = r ? *r : numpy::zeros_like(column);
  if (column.ndim() == 0 || row.ndim() == 0) refuse("hankel", "c and r must be at least 1-dimensional; got a scalar");
  const auto [a, b] = same_batch(column, row);
  const int64_t m = a.shape(-1), n = b.shape(-1);
  if (m == 0 || n == 0) return no_elements(a, m, n);
  const auto [i, j] = places(m, n);
  return gathered(numpy::concatenate({a, b(ellipsis, range(1, none))}, -1), i + j);
}

Array circulant(const Operand& c) {
  const UserLocation here(c.location());
  const Array x = numpy::atleast_1d(c);
  const int64_t n = x.shape(-1);
  const auto [i, j] = places(n, n);
  return gathered(x, numpy::mod(i - j, std::max<int64_t>(n, 1)));
}

Array companion(const Operand& a) {
  const UserLocation here(a.location());
  const Array x = numpy::atleast_1d(numpy::promote_inexact(a.array()));
  const int64_t m = x.shape(-1) - 1;
  if (m < 1) refuse("companion", "the length along the last axis must be at least 2; got " + text_of(x));
  const Array first = -x(ellipsis, range(1, none)) / x(ellipsis, range(0, 1));
  const auto [i, j] = places(m, m);
  const Array shift = numpy::astype(i == j + 1, x.dtype());
  return numpy::where(i == 0, numpy::expand_dims(first, -2), shift);
}

Array fiedler_companion(const Operand& a) {
  const UserLocation here(a.location());
  Array x = numpy::not_weak(numpy::atleast_1d(numpy::promote_inexact(a.array())));
  const int64_t n = x.shape(-1) - 1;
  if (n < 0) refuse("fiedler_companion", "the last axis must have nonzero length; got " + text_of(x));
  if (n == 0) {
    Dimensions shape(x.shape().begin(), x.shape().end() - 1);
    shape.insert(shape.end(), {0, 0});
    return numpy::zeros(shape, x.dtype());
  }
  x = x / x(ellipsis, range(0, 1));
  const auto [i, j] = places(n, n);
  const auto row_of = [&](int64_t shift) {  // -a[i + shift], for each row
    return -gathered(x, numpy::minimum(i + shift, n) + 0 * j);
  };
  const Array even = numpy::mod(i, 2) == 0, zero = numpy::zeros_like(row_of(1)), one = numpy::ones_like(zero);
  const Array above = ((j == i + 1) & even), below = ((j == i - 1) & even & (i >= 2)) | ((i == 0) & (j == 0));
  const Array ones = ((j == i + 2) & even) | ((j == i - 2) & ~even & (i >= 3)) | ((i == 1) & (j == 0));
  return numpy::where(above, row_of(2), numpy::where(below, row_of(1), numpy::where(ones, one, zero)));
}

Array fiedler(const Operand& a) {
  const UserLocation here(a.location());
  const Array x = numpy::atleast_1d(a);
  return numpy::abs(numpy::expand_dims(x, -1) - numpy::expand_dims(x, -2));
}

Array leslie(const Operand& f, const Operand& s) {
  const UserLocation here(f.location());
  const Array births = numpy::atleast_1d(f), survivals = numpy::atleast_1d(s);
  const int64_t n = births.shape(-1);
  if (n < 2 || survivals.shape(-1) != n - 1)
    refuse("leslie",
           "wanted f[..., n] of n >= 2 and s[..., n - 1]; got " + text_of(births) + " and " + text_of(survivals));
  const auto [a, b] = same_batch(births, survivals);
  const auto [i, j] = places(n, n);
  const Array below = gathered(b, numpy::minimum(j, n - 2) + 0 * i);
  const Array rest = numpy::where(i == j + 1, below, numpy::zeros_like(below));
  return numpy::where(i == 0, numpy::expand_dims(a, -2), rest);
}

Array convolution_matrix(const Operand& a, int64_t n, const ConvolutionMatrixOptions& o) {
  constexpr const char* kName = "convolution_matrix";
  const UserLocation here(a.location());
  const Array& x = a.array();
  const std::string_view mode = o.mode;
  if (n <= 0) refuse(kName, fmt::format("n must be a positive integer; got {}", n));
  if (x.ndim() == 0 || x.shape(-1) < 1) refuse(kName, "wanted a vector of one element or more; got " + text_of(x));
  if (mode != "full" && mode != "valid" && mode != "same")
    refuse(kName, "mode must be one of full, valid, same; got '" + std::string(mode) + "'");
  const int64_t m = x.shape(-1), length = m + n - 1, trim = std::min(n, m) - 1;
  const int64_t begin = mode == "full" ? 0 : mode == "valid" ? trim : trim / 2;
  const int64_t end = length - (mode == "full" ? 0 : mode == "valid" ? trim : trim - trim / 2);
  const auto [i, j] = places(end - begin, n);
  const Array from = i + begin - j, inside = (from >= 0) & (from < m);
  const Array value = gathered(x, numpy::clip(from, 0, m - 1));
  return numpy::where(inside, value, numpy::zeros_like(value));
}

Array hilbert(int64_t n, numpy::Line line) {
  const UserLocation here(line);
  const auto [i, j] = numbers(n);
  return 1.0 / (i + j + 1.0);
}
Array invhilbert(int64_t n, numpy::Line line) {
  const UserLocation here(line);
  const auto [i, j] = numbers(n);
  const double size = static_cast<double>(n);
  const Array sum = i + j, sign = numpy::where(numpy::mod(sum, 2.0) == 0, 1.0, -1.0);
  return sign * (sum + 1.0) * special::comb(size + i, size - j - 1.0) * special::comb(size + j, size - i - 1.0) *
         numpy::square(special::comb(sum, i));
}

namespace {

/// Returns the lower triangle, its transpose, or the product of both.
template <typename Product>
Array of_kind(const char* what, const Array& lower, std::string_view kind, const Product& product) {
  if (kind == "lower") return lower;
  if (kind == "upper") return numpy::transpose(lower);
  if (kind == "symmetric") return product(lower);
  refuse(what, "kind must be one of symmetric, lower, upper; got '" + std::string(kind) + "'");
}

}  // namespace

Array pascal(int64_t n, const PascalOptions& o, numpy::Line line) {
  const UserLocation here(line);
  const Array a = numpy::arange(n, ElementType::kF32);  // f32 also with x64, as in JAX
  const Array lower = special::comb(numpy::expand_dims(a, 1), numpy::expand_dims(a, 0));
  return of_kind("pascal", lower, o.kind, [](const Array& l) { return numpy::matmul(l, numpy::transpose(l)); });
}
Array invpascal(int64_t n, const PascalOptions& o, numpy::Line line) {
  const UserLocation here(line);
  const auto [i, j] = numbers(n);
  const Array sign = numpy::where(numpy::mod(i - j, 2.0) == 0, 1.0, -1.0);
  return of_kind("invpascal", sign * special::comb(i, j), o.kind,
                 [](const Array& l) { return numpy::matmul(numpy::transpose(l), l); });
}

Array helmert(int64_t n, const HelmertOptions& o, numpy::Line line) {
  const UserLocation here(line);
  if (n < 1) refuse("helmert", fmt::format("n must be a positive integer; got {}", n));
  const auto [i, j] = places(n - 1, n);
  const Array k = numpy::astype(i + 1, default_float()), root = numpy::sqrt(k * (k + 1.0));
  const Array rows = numpy::where(j <= i, 1.0 / root, numpy::where(j == i + 1, -k / root, numpy::zeros_like(root)));
  if (!o.full) return rows;
  const Array first = numpy::full({1, n}, 1 / std::sqrt(static_cast<double>(n)), default_float());
  return numpy::concatenate({first, rows}, 0);
}

Array hadamard(int64_t n, const HadamardOptions& o, numpy::Line line) {
  const UserLocation here(line);
  if (n < 1 || (n & (n - 1)) != 0) refuse("hadamard", fmt::format("n must be a positive power of 2; got {}", n));
  Array h = numpy::ones({1, 1}, o.dtype ? *o.dtype : default_integer());
  for (int64_t size = 1; size < n; size *= 2)
    h = numpy::concatenate({numpy::concatenate({h, h}, 1), numpy::concatenate({h, -h}, 1)}, 0);
  return h;
}

Array dft(int64_t n, const DftOptions& o, numpy::Line line) {
  const UserLocation here(line);
  const std::string_view scale = o.scale == nullptr ? "" : o.scale;
  if (!scale.empty() && scale != "n" && scale != "sqrtn")
    refuse("dft", "scale must be none, n or sqrtn; got '" + std::string(scale) + "'");
  const ElementType type = o.dtype ? canonical_type(*o.dtype) : canonical_type(ElementType::kC128);
  if (!is_complex(type)) refuse("dft", "dtype must be complex; got " + std::string(element_type_name(type)));
  const double size = static_cast<double>(n);
  const double factor = scale == "n" ? 1 / size : scale == "sqrtn" ? 1 / std::sqrt(size) : 1;
  std::vector<std::complex<double>> values;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      values.push_back(std::polar(factor, -2 * std::numbers::pi * static_cast<double>(i * j % n) / size));
  if (type == ElementType::kC128) return Array::from_vector(values, {n, n});
  return Array::from_vector(std::vector<std::complex<float>>(values.begin(), values.end()), {n, n});
}

}  // namespace hilo::scipy::linalg
