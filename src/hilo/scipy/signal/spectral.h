// SPDX-License-Identifier: Apache-2.0
// scipy/signal/spectral.h -- spectra of signals by segments: stft, istft, csd, welch.
#pragma once

#include <functional>
#include <string>

#include "hilo/scipy/signal/windows.h"

namespace hilo::scipy::signal {

/// The trend that is subtracted from each segment before its transform: false (none), "constant", "linear", or a
/// function of the segments, which are along the last axis.
class SegmentDetrend {
 public:
  using Function = std::function<Array(const Array&)>;
  SegmentDetrend(std::same_as<bool> auto none) : SegmentDetrend(from_flag(none)) {}  // implicit: all convert
  SegmentDetrend(const char* type) : type_(type) {}
  template <typename F>
    requires(std::is_invocable_r_v<Array, F, const Array&>)
  SegmentDetrend(F f) : function_(std::move(f)) {}
  Array operator()(const Array& segments) const;

 private:
  /// Errors    INVALID_ARGUMENT for true, which does not specify a trend
  static SegmentDetrend from_flag(bool detrend);
  std::string type_;
  Function function_;  ///< takes precedence over the type
};

/// Frequencies, the centers of the segments, and spectra: the axis of x has the frequencies, the last axis the
/// segments.
struct StftResult {
  Array f, t, Zxx;
};
struct StftOptions {
  Array fs = 1.0;                                  ///< sampling frequency
  Window window = "hann";                          ///< a window of values determines nperseg
  std::optional<int64_t> nperseg = 256;            ///< samples of a segment; at most the length of x
  std::optional<int64_t> noverlap = std::nullopt;  ///< samples by which segments overlap; default half of nperseg
  std::optional<int64_t> nfft = std::nullopt;      ///< samples of a transform; segments are padded with zeros
  SegmentDetrend detrend = false;
  bool return_onesided = true;  ///< whether real x gives only nonnegative frequencies
  /// extension by half a segment at both ends: "zeros", "even", "odd", "constant" or nullopt
  std::optional<const char*> boundary = "zeros";
  bool padded = true;  ///< whether to pad with zeros to a whole number of segments
  int64_t axis = -1;
};
/// Computes the short-time Fourier transform.
/// Shapes     x [..., n, ...] -> f [k], t [s], Zxx [..., k, ..., s]
/// Types      integers become floats; Zxx is complex
/// Errors     INVALID_ARGUMENT for a window longer than x, nfft < nperseg, noverlap >= nperseg, or an unknown name
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
  std::optional<int64_t> nperseg = std::nullopt;  ///< default: computed from the number of frequencies
  std::optional<int64_t> noverlap = std::nullopt;
  std::optional<int64_t> nfft = std::nullopt;
  bool input_onesided = true;
  bool boundary = true;  ///< whether to remove the half segments that stft added at both ends
  int64_t time_axis = -1, freq_axis = -2;
};
/// Computes the inverse of stft: the signal whose short-time Fourier transform is closest to Zxx. As in SciPy, t counts
/// along the first axis of x.
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
  std::optional<int64_t> nperseg = std::nullopt;  ///< default: the length of x
  std::optional<int64_t> noverlap = std::nullopt;
  std::optional<int64_t> nfft = std::nullopt;
  SegmentDetrend detrend = "constant";
  bool return_onesided = true;
  const char* scaling = "density";  ///< "density", or "spectrum" for the power at each frequency
  int64_t axis = -1;
  const char* average = "mean";  ///< "mean" or "median" of the segments
};
/// Computes the cross spectral density of two signals, whose other axes broadcast. Without y, returns the real spectral
/// density of x.
/// Types      complex with y
/// Errors     those of stft
/// Source     Welch, "The use of the fast Fourier transform for the estimation of power spectra" (1967)
SpectrumResult csd(const Operand& x, const std::optional<Array>& y = std::nullopt, const SpectrumOptions& options = {});
/// Computes the power spectral density by Welch's method.
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
