// SPDX-License-Identifier: Apache-2.0
// scipy/signal/spectral.h -- spectra of signals, segment by segment: stft, istft, csd, welch.
#pragma once

#include <functional>
#include <string>

#include "hilo/scipy/signal/windows.h"

namespace hilo::scipy::signal {

/// What is taken from each segment before its transform: nothing (false), the "constant" or the "linear" trend, or what a
/// function of the segments, which lie along the last axis, takes.
class SegmentDetrend {
 public:
  using Function = std::function<Array(const Array&)>;
  SegmentDetrend(std::same_as<bool> auto none) : SegmentDetrend(from_flag(none)) {}  // all convert
  SegmentDetrend(const char* type) : type_(type) {}
  template <typename F>
    requires(std::is_invocable_r_v<Array, F, const Array&>)
  SegmentDetrend(F f) : function_(std::move(f)) {}
  Array operator()(const Array& segments) const;

 private:
  /// Errors    INVALID_ARGUMENT for true: it doesn't say which trend
  static SegmentDetrend from_flag(bool detrend);
  std::string type_;
  Function function_;  ///< outranks the type
};

/// The frequencies, the middles of the segments, and the spectra: x's axis holds the frequencies, a last axis the segments.
struct StftResult {
  Array f, t, Zxx;
};
struct StftOptions {
  Array fs = 1.0;                                  ///< samples in a unit of time
  Window window = "hann";                          ///< a window's own values say nperseg
  std::optional<int64_t> nperseg = 256;            ///< samples in a segment, at most all
  std::optional<int64_t> noverlap = std::nullopt;  ///< samples that neighbours share, by default half of them
  std::optional<int64_t> nfft = std::nullopt;      ///< samples of a transform, zeros behind nperseg of them
  SegmentDetrend detrend = false;
  bool return_onesided = true;                    ///< of real x the frequencies from 0 on
  std::optional<const char*> boundary = "zeros";  ///< how half a segment is put to both ends: even, odd, constant
  bool padded = true;                             ///< with zeros, to whole segments
  int64_t axis = -1;
};
/// The short-time Fourier transform.
/// Shapes     x [..., n, ...] -> f [k], t [s], Zxx [..., k, ..., s]
/// Types      integers become floats; Zxx is complex
/// Errors     INVALID_ARGUMENT for a window that is longer than x, nfft < nperseg, noverlap >= nperseg, an unknown word
StftResult stft(const Operand& x, const StftOptions& options = {});
template <Number T>
StftResult stft(const Operand& x, T fs, StftOptions options = StftOptions()) {
  options.fs = fs;
  return stft(x, options);
}

struct IstftResult {
  Array t, x;
};
struct IstftOptions {
  Array fs = 1.0;
  Window window = "hann";
  std::optional<int64_t> nperseg = std::nullopt;  ///< by default what the number of frequencies says
  std::optional<int64_t> noverlap = std::nullopt;
  std::optional<int64_t> nfft = std::nullopt;
  bool input_onesided = true;
  bool boundary = true;  ///< half a segment was put to both ends, and is taken away
  int64_t time_axis = -1, freq_axis = -2;
};
/// The signal whose short-time Fourier transform is nearest to Zxx: stft's inverse. t counts along x's first axis, as SciPy's.
/// Source     Griffin and Lim, "Signal estimation from modified short-time Fourier transform" (1984)
IstftResult istft(const Operand& Zxx, const IstftOptions& options = {});
template <Number T>
IstftResult istft(const Operand& Zxx, T fs, IstftOptions options = IstftOptions()) {
  options.fs = fs;
  return istft(Zxx, options);
}

/// Frequencies, and the density (or power) at each.
struct SpectrumResult {
  Array f, Pxx;
};
struct SpectrumOptions {
  Array fs = 1.0;
  Window window = "hann";
  std::optional<int64_t> nperseg = std::nullopt;  ///< by default all of x
  std::optional<int64_t> noverlap = std::nullopt;
  std::optional<int64_t> nfft = std::nullopt;
  SegmentDetrend detrend = "constant";
  bool return_onesided = true;
  const char* scaling = "density";  ///< by frequency; or spectrum, whose sum is the power
  int64_t axis = -1;
  const char* average = "mean";  ///< of the segments; or median
};
/// The cross spectral density of two signals, whose other axes broadcast; without y that of x, real.
/// Types      complex with y
/// Errors     as stft
/// Source     Welch, "The use of the fast Fourier transform for the estimation of power spectra" (1967)
SpectrumResult csd(const Operand& x, const std::optional<Array>& y = std::nullopt, const SpectrumOptions& options = {});
/// The power spectral density.
SpectrumResult welch(const Operand& x, const SpectrumOptions& options = {});
template <Number T>
SpectrumResult csd(const Operand& x, const std::optional<Array>& y, T fs, SpectrumOptions options = SpectrumOptions()) {
  options.fs = fs;
  return csd(x, y, options);
}
template <Number T>
SpectrumResult welch(const Operand& x, T fs, SpectrumOptions options = SpectrumOptions()) {
  options.fs = fs;
  return welch(x, options);
}

}  // namespace hilo::scipy::signal
