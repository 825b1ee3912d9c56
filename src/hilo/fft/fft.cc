// SPDX-License-Identifier: Apache-2.0
#include "hilo/fft/fft.h"

#include <algorithm>
#include <cmath>

#include "hilo/array/refuse.h"
#include "hilo/base/floating_point.h"
#include "hilo/lax/fft.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::fft {
namespace {

using lax::FftType;
using Lengths = std::optional<std::vector<int64_t>>;
using Axes = std::optional<std::vector<int64_t>>;
enum class Norm : uint8_t { kBackward, kOrtho, kForward };

/// Converts integers and 16-bit floats to f32, and to complex if requested.
Array inexact(const Array& x, bool complex) {
  Array y = numpy::promote_inexact(x);
  if (!is_complex(y.dtype()) && y.dtype() != ElementType::kF64) y = ops::convert_element_type(y, ElementType::kF32);
  if (!complex || is_complex(y.dtype())) return y;
  return ops::convert_element_type(y, y.dtype() == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64);
}

/// Normalizes axes, and rejects repeated ones.
std::vector<int64_t> places(const char* what, const Array& x, std::vector<int64_t> axes) {
  std::vector<int64_t> seen;
  for (int64_t& axis : axes) {
    const int64_t requested = axis;
    if (axis < 0) axis += x.ndim();
    if (axis < 0 || axis >= x.ndim())
      refuse(what, "axis " + std::to_string(requested) + " is out of bounds for array of dimension " +
                       std::to_string(x.ndim()));
    if (std::ranges::find(seen, axis) != seen.end()) refuse(what, "does not support repeated axes");
    seen.push_back(axis);
  }
  return axes;
}

/// Crops or pads x to `size` elements along an axis.
Array sized(const Array& x, int64_t axis, int64_t size) {
  if (x.shape(axis) > size) return ops::slice_along(x, axis, {0, size, 1});
  if (x.shape(axis) == size) return x;
  std::vector<hlo::PaddingDimension> padding(x.ndim());
  padding[axis].high = size - x.shape(axis);
  return ops::pad(x, ops::scalar(0, x.dtype()), padding);
}

/// Transforms at most three dimensions with one op; moves the axes to the end and back.
Array transformed(const Array& x, FftType type, const std::vector<int64_t>& lengths, const std::vector<int64_t>& axes) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (std::ranges::find(axes, d) == axes.end()) order.push_back(d);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return ops::transpose(lax::fft(ops::transpose(x, order), type, lengths), back);
}

/// Transforms more axes than one op supports: complex axes separately, the real axis in the order that its type needs.
Array transformed_in_turns(Array x, FftType type, std::vector<int64_t> lengths, std::vector<int64_t> axes) {
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  const FftType plain = inverse ? FftType::kIfft : FftType::kFft;
  while (axes.size() > 3) {
    // The leading axes; a forward real transform must come first.
    if (type == FftType::kRfft) {
      x = transformed(x, type, {lengths.back()}, {axes.back()});
      type = plain;
      lengths.pop_back();
      axes.pop_back();
      continue;
    }
    x = transformed(x, plain, {lengths.front()}, {axes.front()});
    lengths.erase(lengths.begin());
    axes.erase(axes.begin());
  }
  return transformed(x, type, lengths, axes);
}

Array over_axes(const char* what, const Operand& a, FftType type, const Lengths& s, const Axes& requested, Norm norm) {
  const UserLocation here(a.location());
  const bool to_real = type == FftType::kIrfft, from_real = type == FftType::kRfft;
  if (from_real && is_complex(a.array().dtype()))
    refuse(what, "only real valued inputs supported; got " + a.array().aval_shape().to_string());
  Array x = inexact(a, !from_real);
  std::vector<int64_t> axes;
  if (requested) axes = *requested;
  else {
    const int64_t count = s ? std::ssize(*s) : x.ndim();
    for (int64_t d = x.ndim() - count; d < x.ndim(); ++d) axes.push_back(d);
  }
  if (s && s->size() != axes.size()) refuse(what, "Shape and axes have different lengths.");
  axes = places(what, x, axes);
  if (axes.empty()) return x;
  std::vector<int64_t> lengths;
  for (size_t k = 0; k < axes.size(); ++k) {
    const bool halved = to_real && k + 1 == axes.size();
    int64_t n = x.shape(axes[k]);
    if (halved) n = 2 * (n - 1);
    if (s) n = (*s)[k];
    // Without elements the result is empty, unless a number of points is requested.
    if (n == 0 && !s && !to_real && !from_real) return x;
    if (n < 1) refuse(what, "invalid number of data points (" + std::to_string(n) + ") specified");
    lengths.push_back(n);
    x = sized(x, axes[k], halved ? n / 2 + 1 : n);
  }
  const Array y = with_weak_type(transformed_in_turns(x, type, lengths, axes), false);
  if (norm == Norm::kBackward) return y;
  const FloatingPointScope nearest;
  double count = 1;
  for (int64_t n : lengths) count *= static_cast<double>(n);
  const bool inverse = type == FftType::kIfft || to_real;
  const double factor = norm == Norm::kOrtho ? std::sqrt(count) : count;
  return ops::mul(y, ops::full_like(y, inverse ? factor : 1 / factor));
}

Norm norm_of(const char* what, std::string_view name) {
  if (name == "backward") return Norm::kBackward;
  if (name == "ortho") return Norm::kOrtho;
  if (name == "forward") return Norm::kForward;
  refuse(what, "norm '" + std::string(name) + "' is unknown; wanted backward, ortho or forward");
}

Lengths one(const std::optional<int64_t>& n) { return n ? Lengths(std::vector<int64_t>{*n}) : Lengths(); }

Norm swapped(Norm norm) {
  return norm == Norm::kBackward ? Norm::kForward : norm == Norm::kForward ? Norm::kBackward : Norm::kOrtho;
}

Array conjugate(const Array& x) { return ops::complex(ops::real(x), ops::neg(ops::imag(x))); }

/// Moves `by` elements from the end of each axis to its front.
Array rolled(const char* what, const Operand& operand, const Axes& requested, bool back) {
  const UserLocation here(operand.location());
  Array x = operand;
  std::vector<int64_t> axes;
  for (int64_t d = 0; !requested && d < x.ndim(); ++d) axes.push_back(d);
  for (int64_t axis : places(what, x, requested ? *requested : axes)) {
    const int64_t n = x.shape(axis), first = back ? n / 2 : n - n / 2;
    const Array parts[] = {ops::slice_along(x, axis, {first, n, 1}), ops::slice_along(x, axis, {0, first, 1})};
    x = ops::concatenate(parts, axis);
  }
  return x;
}

Array frequencies(const char* what, int64_t n, const FrequencyOptions& options, int64_t count, bool negative) {
  const double d = options.d;
  const std::optional<ElementType> dtype = options.dtype;
  if (n < 1) refuse(what, "n must be positive; got " + std::to_string(n));
  const FloatingPointScope nearest;
  std::vector<double> values;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t place = negative && k >= (n + 1) / 2 ? k - n : k;
    values.push_back(static_cast<double>(place) / (d * static_cast<double>(n)));
  }
  return ops::convert_element_type(Array::from_vector(values, {count}),
                                   dtype ? canonical_type(*dtype) : default_float());
}

}  // namespace

Array fft(const Operand& a, const FftOptions& o) {
  return over_axes("fft", a, FftType::kFft, one(o.n), std::vector<int64_t>{o.axis}, norm_of("fft", o.norm));
}
Array ifft(const Operand& a, const FftOptions& o) {
  return over_axes("ifft", a, FftType::kIfft, one(o.n), std::vector<int64_t>{o.axis}, norm_of("ifft", o.norm));
}
Array rfft(const Operand& a, const FftOptions& o) {
  return over_axes("rfft", a, FftType::kRfft, one(o.n), std::vector<int64_t>{o.axis}, norm_of("rfft", o.norm));
}
Array irfft(const Operand& a, const FftOptions& o) {
  return over_axes("irfft", a, FftType::kIrfft, one(o.n), std::vector<int64_t>{o.axis}, norm_of("irfft", o.norm));
}

Array hfft(const Operand& a, const FftOptions& o) {
  const UserLocation here(a.location());
  return over_axes("hfft", conjugate(inexact(a, true)), FftType::kIrfft, one(o.n), std::vector<int64_t>{o.axis},
                   swapped(norm_of("hfft", o.norm)));
}
Array ihfft(const Operand& a, const FftOptions& o) {
  const UserLocation here(a.location());
  return conjugate(
      over_axes("ihfft", a, FftType::kRfft, one(o.n), std::vector<int64_t>{o.axis}, swapped(norm_of("ihfft", o.norm))));
}

namespace {
Array over_several(const char* what, const Operand& a, FftType type, const FftnOptions& o, bool two) {
  Axes axes = o.axes ? Axes(*o.axes) : Axes();
  if (two && !axes) axes = std::vector<int64_t>{-2, -1};
  if (two && axes->size() != 2) refuse(what, "takes two axes; got " + std::to_string(axes->size()));
  return over_axes(what, a, type, o.s ? Lengths(*o.s) : Lengths(), axes, norm_of(what, o.norm));
}
}  // namespace

Array fft2(const Operand& a, const FftnOptions& o) { return over_several("fft2", a, FftType::kFft, o, true); }
Array fftn(const Operand& a, const FftnOptions& o) { return over_several("fftn", a, FftType::kFft, o, false); }
Array ifft2(const Operand& a, const FftnOptions& o) { return over_several("ifft2", a, FftType::kIfft, o, true); }
Array ifftn(const Operand& a, const FftnOptions& o) { return over_several("ifftn", a, FftType::kIfft, o, false); }
Array rfft2(const Operand& a, const FftnOptions& o) { return over_several("rfft2", a, FftType::kRfft, o, true); }
Array rfftn(const Operand& a, const FftnOptions& o) { return over_several("rfftn", a, FftType::kRfft, o, false); }
Array irfft2(const Operand& a, const FftnOptions& o) { return over_several("irfft2", a, FftType::kIrfft, o, true); }
Array irfftn(const Operand& a, const FftnOptions& o) { return over_several("irfftn", a, FftType::kIrfft, o, false); }

Array fftfreq(int64_t n, const FrequencyOptions& o, numpy::Line line) {
  const UserLocation here(line);
  return frequencies("fftfreq", n, o, n, true);
}
Array rfftfreq(int64_t n, const FrequencyOptions& o, numpy::Line line) {
  const UserLocation here(line);
  return frequencies("rfftfreq", n, o, n / 2 + 1, false);
}
Array fftshift(const Operand& x, const ShiftOptions& o) {
  return rolled("fftshift", x, o.axes ? Axes(*o.axes) : Axes(), false);
}
Array ifftshift(const Operand& x, const ShiftOptions& o) {
  return rolled("ifftshift", x, o.axes ? Axes(*o.axes) : Axes(), true);
}

}  // namespace hilo::fft
