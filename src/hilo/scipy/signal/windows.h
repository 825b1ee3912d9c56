// SPDX-License-Identifier: Apache-2.0
// scipy/signal/windows.h -- windows for spectra, by the names of SciPy's get_window.
#pragma once

#include <string>
#include <vector>

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::signal {

/// A window: its name, its name and parameters, or its values.
/// Example    Window("hann"), Window("kaiser", 8.6), Window(numpy::array({0.5f, 1.0f, 0.5f}))
class Window {
 public:
  template <Number... Parameters>
  Window(const char* name, Parameters... parameters)  // implicit: names convert
      : name_(name), parameters_{static_cast<double>(parameters)...} {}
  Window(const Array& values) : values_(values) {}

  const std::string& name() const { return name_; }
  const std::vector<double>& parameters() const { return parameters_; }
  const std::optional<Array>& values() const { return values_; }

 private:
  std::string name_;
  std::vector<double> parameters_;
  std::optional<Array> values_;
};

struct GetWindowOptions {
  bool fftbins = true;  ///< true: periodic, for spectra; false: symmetric, for filters
  numpy::Dtype dtype = std::nullopt;
};
/// Returns the Nx values of a window.
/// Names      barthann, bartlett, blackman, blackmanharris, bohman, boxcar, cosine, exponential, flattop, hamming,
///            hann, lanczos, nuttall, parzen, triang, tukey; with parameters: exponential (center, tau), gaussian
///            (std), general_gaussian (p, sigma), general_hamming (alpha), kaiser (beta), tukey (alpha)
/// Errors     INVALID_ARGUMENT for an unknown name, a wrong number of parameters, values that are not a vector of Nx,
///            or Nx < 1
/// Source     Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform" (1978)
/// Example    get_window("hann", 4)  // [0. 0.5 1. 0.5]
Array get_window(const Window& window, int64_t Nx, const GetWindowOptions& options = {},
                 numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::signal
