// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/signal/signal.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "hilo/array/refuse.h"
#include "hilo/fft/fft.h"
#include "hilo/lax/convolution.h"
#include "hilo/lax/elementwise.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/signal/support.h"
#include "hilo/trace/ops.h"

namespace hilo::scipy::signal {

namespace {

/// Checks both signals for the same rank, and promotes them to one inexact type.
std::pair<Array, Array> signals(const char* what, const Array& a, const Array& b, std::string_view mode) {
  if (mode != "full" && mode != "same" && mode != "valid")
    refuse(what, "mode must be one of full, same, valid; got '" + std::string(mode) + "'");
  if (a.ndim() != b.ndim())
    refuse(what, "in1 and in2 must have the same number of dimensions; got " + a.aval_shape().to_string() + " and " +
                     b.aval_shape().to_string());
  if (a.size() == 0 || b.size() == 0) refuse(what, "inputs cannot be empty");
  return in_one_type(a, b);
}

/// Returns the part of a full convolution along `axes` that the mode selects.
Array part_of(const char* what, Array full, const Array& a, const Array& b, const std::vector<int64_t>& axes,
              std::string_view mode) {
  if (mode == "full") return full;
  const auto covers = [&](const Array& x, const Array& y) {
    return std::ranges::all_of(axes, [&](int64_t d) { return x.shape(d) >= y.shape(d); });
  };
  if (mode == "valid" && !covers(a, b) && !covers(b, a))
    refuse(what, "for mode valid one input must be at least as large as the other in every dimension");
  for (int64_t d : axes) {
    const int64_t size = mode == "same" ? a.shape(d) : std::abs(a.shape(d) - b.shape(d)) + 1;
    const int64_t begin = (full.shape(d) - size) / 2;
    full = numpy::slice(full, begin, begin + size, 1, d);
  }
  return full;
}

/// Computes the full convolution of real arrays with one op.
Array direct(const Array& a, const Array& b, const lax::PrecisionLike& precision) {
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (int64_t extent : b.shape()) padding.emplace_back(extent - 1, extent - 1);
  const auto with_channels = [](const Array& x) { return numpy::expand_dims(x, {0, 1}); };
  const Array out = lax::conv_general_dilated(with_channels(a), with_channels(numpy::flip(b)),
                                              std::vector<int64_t>(a.ndim(), 1), padding, {.precision = precision});
  return numpy::squeeze(out, {0, 1});
}
Array direct_of_any(const Array& a, const Array& b, const lax::PrecisionLike& precision) {
  if (!is_complex(a.dtype())) return direct(a, b, precision);
  const Array ar = numpy::real(a), ai = numpy::imag(a), br = numpy::real(b), bi = numpy::imag(b);
  return lax::complex(direct(ar, br, precision) - direct(ai, bi, precision),
                      direct(ar, bi, precision) + direct(ai, br, precision));
}

Array by_fft(const Array& a, const Array& b, const std::vector<int64_t>& axes) {
  std::vector<int64_t> sizes;
  for (int64_t d : axes) sizes.push_back(a.shape(d) + b.shape(d) - 1);
  const fft::FftnOptions options{.s = sizes, .axes = axes};
  if (is_complex(a.dtype())) return fft::ifftn(fft::fftn(a, options) * fft::fftn(b, options), options);
  return fft::irfftn(fft::rfftn(a, options) * fft::rfftn(b, options), options);
}

Array convolved(const char* what, const Array& in1, const Array& in2, const ConvolveOptions& o) {
  const std::string_view method = o.method;
  if (method != "auto" && method != "direct" && method != "fft")
    refuse(what, "method must be one of auto, direct, fft; got '" + std::string(method) + "'");
  const auto [a, b] = signals(what, in1, in2, o.mode);
  if (a.ndim() == 0) return a * b;
  const std::vector<int64_t> axes = ops::all_dimensions(a.ndim());
  const auto covers = [&](const Array& x, const Array& y) {
    return std::ranges::all_of(axes, [&](int64_t d) { return x.shape(d) >= y.shape(d); });
  };
  if (method != "fft" && !covers(a, b) && !covers(b, a))
    refuse(what, "one input must be smaller than the other in every dimension");
  const bool transform = method == "fft" || a.ndim() > 3;
  const Array full = transform ? by_fft(a, b, axes) : direct_of_any(a, b, o.precision);
  // As in JAX, only results that are not computed by transforms stay weakly typed.
  return with_weak_type(part_of(what, full, a, b, axes, o.mode), !transform && in1.weak_type() && in2.weak_type());
}
void check_matrices(const char* what, const Array& a, const Array& b) {
  if (a.ndim() != 2 || b.ndim() != 2)
    refuse(what, "wanted matrices; got " + a.aval_shape().to_string() + " and " + b.aval_shape().to_string());
}
/// Reverses and conjugates in2, so that correlation is convolution.
Array turned(const Array& in2) { return numpy::flip(numpy::conj(in2)); }

void check_boundary(const char* function, const Convolve2dOptions& o) {
  if (std::string_view(o.boundary) == "fill" && o.fillvalue == 0) return;
  or_throw(
      unimplemented(fmt::format("{}: got boundary '{}' and fillvalue {}; wanted 'fill' and 0. Hint: numpy::pad first",
                                at_user_line(function), o.boundary, o.fillvalue)));
}

}  // namespace

Array convolve(const Operand& in1, const Operand& in2, const ConvolveOptions& options) {
  const UserLocation here(in1.location());
  return convolved("convolve", in1, in2, options);
}
Array correlate(const Operand& in1, const Operand& in2, const ConvolveOptions& options) {
  const UserLocation here(in1.location());
  return convolved("correlate", in1, turned(in2), options);
}
Array convolve2d(const Operand& in1, const Operand& in2, const Convolve2dOptions& o) {
  const UserLocation here(in1.location());
  check_matrices("convolve2d", in1, in2);
  check_boundary("convolve2d", o);
  return convolved("convolve2d", in1, in2, {.mode = o.mode, .precision = o.precision});
}
Array correlate2d(const Operand& in1, const Operand& in2, const Convolve2dOptions& o) {
  const UserLocation here(in1.location());
  check_matrices("correlate2d", in1, in2);
  check_boundary("correlate2d", o);
  return convolved("correlate2d", in1, turned(in2), {.mode = o.mode, .precision = o.precision});
}

Array fftconvolve(const Operand& in1, const Operand& in2, const FftconvolveOptions& o) {
  constexpr const char* kName = "fftconvolve";
  const UserLocation here(in1.location());
  const auto [a, b] = signals(kName, in1, in2, o.mode);
  const std::vector<int64_t> axes = numpy::normal_axes(a, o.axes);
  for (int64_t d = 0; d < a.ndim(); ++d) {
    if (std::ranges::find(axes, d) == axes.end() && a.shape(d) != b.shape(d))
      refuse(kName, "axes that aren't convolved must have the same extent; got " + a.aval_shape().to_string() +
                        " and " + b.aval_shape().to_string());
  }
  return part_of(kName, by_fft(a, b, axes), a, b, axes, o.mode);
}

Array detrend(const Operand& data, const DetrendOptions& o) {
  constexpr const char* kName = "detrend";
  const UserLocation here(data.location());
  const std::string_view type = o.type;
  const Array x = numpy::promote_inexact(data.array());
  if (type != "linear" && type != "constant")
    refuse(kName, "type must be linear or constant; got '" + std::string(type) + "'");
  if (type == "constant") return x - numpy::mean(x, {.axis = o.axis, .keepdims = true});
  const int64_t n = x.shape(o.axis);
  std::set<int64_t> ends = {0, n};
  if (o.bp) ends.insert((*o.bp).begin(), (*o.bp).end());
  if (*ends.begin() < 0 || *ends.rbegin() > n)
    refuse(kName, fmt::format("breakpoints must be in 0..{}; got {} and {}", n, *ends.begin(), *ends.rbegin()));
  const Array moved = numpy::moveaxis(x, o.axis, 0), rows = numpy::reshape(moved, {n, -1});
  std::vector<Array> parts;
  for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
    const int64_t begin = *std::prev(end), count = *end - begin;
    const Array slope = numpy::arange(1, count + 1, x.dtype()) / static_cast<double>(count);
    const Array line = numpy::stack({numpy::ones_like(slope), slope}, 1), part = rows[range(begin, *end)];
    parts.push_back(part - numpy::matmul(line, hilo::linalg::lstsq(line, part).x));
  }
  const Array out = numpy::reshape(numpy::concatenate(parts, 0), moved.shape());
  return with_weak_type(numpy::moveaxis(out, 0, o.axis), x.weak_type());
}

}  // namespace hilo::scipy::signal
