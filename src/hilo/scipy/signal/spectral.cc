// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/signal/spectral.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hilo/array/refuse.h"
#include "hilo/fft/fft.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/signal/signal.h"
#include "hilo/scipy/signal/support.h"

namespace hilo::scipy::signal {

SegmentDetrend SegmentDetrend::from_flag(bool detrend) {
  if (detrend) refuse("detrend", "wanted false, constant, linear or a function; got true");
  return SegmentDetrend([](const Array& segments) { return segments; });
}
Array SegmentDetrend::operator()(const Array& segments) const {
  if (function_) return function_(segments);
  return detrend(segments, {.axis = -1, .type = type_.c_str()});
}

namespace {

ElementType complex_of(ElementType type) {
  return real_type_of(type) == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
}

/// The division of a signal into segments.
struct Segments {
  int64_t nperseg, noverlap, nfft;
  int64_t step() const { return nperseg - noverlap; }
};
void check_segments(const char* what, const Segments& s) {
  if (s.nperseg < 1) refuse(what, fmt::format("nperseg must be positive; got {}", s.nperseg));
  if (s.nfft < s.nperseg) refuse(what, fmt::format("nfft must be at least nperseg; got {} and {}", s.nfft, s.nperseg));
  if (s.noverlap < 0 || s.noverlap >= s.nperseg)
    refuse(what, fmt::format("noverlap must be 0 or more and less than nperseg, {}; got {}", s.nperseg, s.noverlap));
}

template <typename Options>
Segments segments_of(const char* what, const Options& o, int64_t length) {
  int64_t nperseg = std::min(o.nperseg.value_or(length), length);
  if (const auto& values = o.window.values()) {
    nperseg = values->size();
    if (length < nperseg)
      refuse(what, fmt::format("window is longer than the signal; got {} and {} values", nperseg, length));
    if (o.nperseg && *o.nperseg != nperseg)
      refuse(what, fmt::format("nperseg must be the length of the window, {}; got {}", nperseg, *o.nperseg));
  }
  if (o.nperseg && *o.nperseg < 1) nperseg = *o.nperseg;  // rejected below
  const Segments out{nperseg, o.noverlap.value_or(nperseg / 2), o.nfft.value_or(nperseg)};
  check_segments(what, out);
  return out;
}

Array zeros_behind(const Array& x, int64_t axis, int64_t count) {
  std::vector<std::vector<int64_t>> widths(x.ndim(), {0, 0});
  widths[x.ndim() + axis][1] = count;
  return numpy::pad(x, numpy::PadWidth(widths));
}

/// Extends the signal by `n` samples at both ends of its last axis.
Array extended(const char* what, const Array& x, std::string_view boundary, int64_t n) {
  const auto padded = [&](const numpy::PadOptions& how) {
    std::vector<std::vector<int64_t>> widths(x.ndim(), {0, 0});
    widths.back() = {n, n};
    return numpy::pad(x, numpy::PadWidth(widths), how);
  };
  if (boundary == "zeros") return padded({});
  if (boundary == "constant") return padded({.mode = "edge"});
  if (boundary != "even" && boundary != "odd")
    refuse(what, "boundary must be even, odd, constant, zeros or none; got '" + std::string(boundary) + "'");
  if (boundary == "odd" && n > x.shape(-1) - 1)
    refuse(what, fmt::format("half a segment, {}, can't be mirrored at the ends of {} samples", n, x.shape(-1)));
  return padded({.mode = "reflect", .reflect_type = boundary == "even" ? "even" : "odd"});
}

/// Transforms the windowed segments of the last axis: [..., segments, frequencies].
Array transformed(const Array& x, const Array& window, const SegmentDetrend& detrend, const Segments& s,
                  bool onesided) {
  const Array starts = numpy::arange(0, x.shape(-1) - s.nperseg + 1, s.step());
  const Array places = numpy::expand_dims(starts, 1) + numpy::arange(s.nperseg);
  const Array windowed = detrend(numpy::take(x, places, -1)) * window;
  return onesided ? fft::rfft(numpy::real(windowed), s.nfft) : fft::fft(windowed, s.nfft);
}

struct Spectra {
  Array f, t, values;  ///< values: [..., segments, frequencies]
};
enum class Mode : uint8_t { kPower, kStft };

/// The common part of stft and csd, for signals whose last axis is time. `y` is x itself for the spectrum of one
/// signal.
template <typename Options>
Spectra spectra(const char* what, Array x, std::optional<Array> y, const Options& o, std::string_view scaling,
                Mode mode, const std::optional<const char*>& boundary, bool padded) {
  const ElementType result = complex_of(x.dtype()), real = real_type_of(result);
  const int64_t length = x.shape(-1);
  const Segments s = segments_of(what, o, length);
  const Array window = get_window(o.window, s.nperseg, {.dtype = x.dtype()});
  const auto prepared = [&](Array signal) {
    if (boundary) signal = extended(what, signal, *boundary, s.nperseg / 2);
    if (!padded) return signal;
    const int64_t left = (signal.shape(-1) - s.nperseg) % s.step();
    return left == 0 ? signal : zeros_behind(signal, -1, s.step() - left);
  };
  x = prepared(x);
  if (y) y = prepared(*y);

  Array scale;
  const Array fs = numpy::astype(o.fs, real);
  if (scaling == "density") scale = 1.0 / (fs * numpy::sum(window * window));
  else if (scaling == "spectrum") scale = 1.0 / numpy::square(numpy::sum(window));
  else refuse(what, "scaling must be density or spectrum; got '" + std::string(scaling) + "'");
  if (mode == Mode::kStft) scale = numpy::sqrt(scale);

  const bool onesided = o.return_onesided && !is_complex(x.dtype());
  Array values = transformed(x, window, o.detrend, s, onesided);
  if (mode == Mode::kPower)
    values = numpy::conj(values) * (y ? transformed(*y, window, o.detrend, s, onesided) : values);
  values = values * scale;
  // negative frequencies are added to the positive ones; 0 and n / 2 have no counterpart
  if (onesided && mode == Mode::kPower) {
    std::vector<float> weights(values.shape(-1), 2.0f);
    weights.front() = 1.0f;
    if (s.nfft % 2 == 0) weights.back() = 1.0f;
    values = values * numpy::array(weights, real);
  }
  values = numpy::astype(values, result);
  if (!y && mode == Mode::kPower) values = numpy::real(values);

  const Array steps = numpy::arange(values.shape(-2)).astype(real);
  const Array middles = static_cast<double>(s.step()) * steps + (boundary ? 0.0 : static_cast<double>(s.nperseg) / 2);
  const Array f = onesided ? fft::rfftfreq(s.nfft, {.dtype = real}) : fft::fftfreq(s.nfft, {.dtype = real});
  return {f * fs, middles / fs, values};
}

/// Averages the segments along the last axis: mean, or median with bias correction.
/// Source    Allen et al., "FINDCHIRP" (2012), appendix B
Array averaged(const char* what, const Array& values, std::string_view average) {
  if (average != "mean" && average != "median")
    refuse(what, "average must be mean or median; got '" + std::string(average) + "'");
  const int64_t count = values.shape(-1);
  if (count == 1) return numpy::squeeze(values, -1);
  if (average == "mean") return numpy::mean(values, -1);
  double bias = 1;
  for (int64_t k = 2; k < count; k += 2) bias += 1.0 / static_cast<double>(k + 1) - 1.0 / static_cast<double>(k);
  if (!is_complex(values.dtype())) return numpy::median(values, -1) / bias;
  return lax::complex(numpy::median(numpy::real(values), -1), numpy::median(numpy::imag(values), -1)) / bias;
}

/// Sums segments [..., n, count] that start `step` apart: [..., step (count - 1) + n].
Array overlap_add(const Array& segments, int64_t step) {
  const int64_t n = segments.shape(-2), count = segments.shape(-1), parts = (n + step - 1) / step;
  const auto with = [&](std::initializer_list<int64_t> last) {
    Dimensions shape(segments.shape().begin(), segments.shape().end() - 2);
    shape.insert(shape.end(), last);
    return shape;
  };
  const Array padded = zeros_behind(numpy::swapaxes(segments, -1, -2), -1, parts * step - n);
  const Array by_part = numpy::swapaxes(numpy::reshape(padded, with({count, parts, step})), -2, -3);
  // Part p of segment s belongs to block p + s. Padding rows with zeros, and reading them as rows that are one block
  // shorter, shifts each row by one block more than the one before.
  const Array rows = numpy::reshape(zeros_behind(by_part, -2, parts), with({parts * (count + parts), step}));
  const int64_t blocks = count + parts - 1;
  const Array shifted = numpy::reshape(numpy::slice(rows, 0, parts * blocks, 1, -2), with({parts, blocks, step}));
  const Array sum = numpy::reshape(numpy::sum(shifted, -3), with({blocks * step}));
  return numpy::slice(sum, 0, step * (count - 1) + n, 1, -1);
}

}  // namespace

StftResult stft(const Operand& operand, const StftOptions& o) {
  constexpr const char* kName = "stft";
  const UserLocation here(operand.location());
  const Array x = numpy::promote_inexact(operand.array());
  const int64_t axis = numpy::normal_axis(x, o.axis);
  if (x.size() == 0) {
    const Array none = numpy::zeros_like(x, real_type_of(complex_of(x.dtype())));
    return {none, none, numpy::zeros_like(x, complex_of(x.dtype()))};
  }
  const Spectra out =
      spectra(kName, numpy::moveaxis(x, axis, -1), std::nullopt, o, "spectrum", Mode::kStft, o.boundary, o.padded);
  return {out.f, out.t, numpy::moveaxis(out.values, -1, axis)};
}

SpectrumResult csd(const Operand& operand, const std::optional<Array>& other, const SpectrumOptions& o) {
  constexpr const char* kName = "csd";
  const UserLocation here(operand.location());
  Array x = numpy::promote_inexact(operand.array());
  std::optional<Array> y;
  const int64_t axis = numpy::normal_axis(x, o.axis);
  if (other) {
    std::tie(x, y) = in_one_type(x, *other);
    if (x.ndim() != y->ndim())
      refuse(kName, "x and y must have the same number of dimensions; got " + x.aval_shape().to_string() + " and " +
                        y->aval_shape().to_string());
  }
  if (x.size() == 0 || (y && y->size() == 0)) {
    const Array none = numpy::zeros_like(x, real_type_of(complex_of(x.dtype())));
    return {none, y ? numpy::zeros_like(x, complex_of(x.dtype())) : none};
  }
  x = numpy::moveaxis(x, axis, -1);
  if (y) {
    y = numpy::moveaxis(*y, axis, -1);
    const int64_t length = std::max(x.shape(-1), y->shape(-1));
    x = zeros_behind(x, -1, length - x.shape(-1));
    y = zeros_behind(*y, -1, length - y->shape(-1));
  }
  const Spectra out = spectra(kName, x, y, o, o.scaling, Mode::kPower, std::nullopt, false);
  return {out.f, averaged(kName, numpy::moveaxis(out.values, -1, axis), o.average)};
}

SpectrumResult welch(const Operand& x, const SpectrumOptions& options) {
  const UserLocation here(x.location());
  return csd(x, std::nullopt, options);
}

IstftResult istft(const Operand& operand, const IstftOptions& o) {
  constexpr const char* kName = "istft";
  const UserLocation here(operand.location());
  const Array spectra = numpy::astype(operand.array(), complex_of(operand.array().dtype()));
  const int64_t rank = spectra.ndim();
  if (rank < 2)
    refuse(kName, "wanted frequencies and segments along two axes; got " + spectra.aval_shape().to_string());
  const int64_t frequency = numpy::normal_axis(spectra, o.freq_axis);
  const int64_t time = numpy::normal_axis(spectra, o.time_axis);
  if (frequency == time) refuse(kName, fmt::format("time_axis and freq_axis must differ; both are {}", time));

  const int64_t count = spectra.shape(frequency), implied = o.input_onesided ? 2 * (count - 1) : count;
  const int64_t nperseg = o.nperseg.value_or(implied);
  const bool odd = o.input_onesided && nperseg == implied + 1;  // both sizes have this number of frequencies
  const Segments s{nperseg, o.noverlap.value_or(nperseg / 2), o.nfft.value_or(odd ? implied + 1 : implied)};
  check_segments(kName, s);

  const Array rows = numpy::moveaxis(spectra, {frequency, time}, {-2, -1});
  const Array whole = o.input_onesided ? fft::irfft(rows, s.nfft, -2) : fft::ifft(rows, s.nfft, -2);
  const Array segments = numpy::slice(whole, 0, s.nperseg, 1, -2);
  const Array window = get_window(o.window, s.nperseg, {.dtype = segments.dtype()});
  const Array column = numpy::expand_dims(window, 1);
  Array x = overlap_add(segments * numpy::sum(window) * column, s.step());
  Array norm = numpy::real(overlap_add(numpy::repeat(column * column, segments.shape(-1), 1), s.step()));
  if (o.boundary) {
    const int64_t end = x.shape(-1) - s.nperseg / 2;
    x = numpy::slice(x, s.nperseg / 2, end, 1, -1);
    norm = numpy::slice(norm, s.nperseg / 2, end, 1, -1);
  }
  x = x / numpy::where(norm > 1e-10, norm, 1.0);
  if (x.ndim() > 1 && time != rank - 1) x = numpy::moveaxis(x, -1, frequency < time ? time - 1 : time);
  const ElementType real = real_type_of(segments.dtype());
  return {numpy::arange(x.shape(0)).astype(real) / numpy::astype(o.fs, real), x};
}

}  // namespace hilo::scipy::signal
