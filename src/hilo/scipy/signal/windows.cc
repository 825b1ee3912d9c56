// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/signal/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "hilo/array/refuse.h"
#include "hilo/numpy/numpy.h"

namespace hilo::scipy::signal {

namespace {

using Parameters = std::vector<double>;
constexpr double kPi = std::numbers::pi;

/// A window's value at point k of n >= 2, both ends included.
using ValueAt = std::function<double(double k, double n, const Parameters& p)>;
struct NamedWindow {
  size_t least_parameters, most_parameters;
  ValueAt value_at;
};

/// Maps the first point to -1 and the last one to 1.
double centred(double k, double n) { return 2 * k / (n - 1) - 1; }
double sinc(double x) { return x == 0 ? 1 : std::sin(kPi * x) / (kPi * x); }

/// Returns the sum of a[j] cos(j x), for x from -pi to pi.
ValueAt cosines(std::vector<double> a) {
  return [a = std::move(a)](double k, double n, const Parameters&) {
    double sum = 0;
    for (size_t j = 0; j < a.size(); ++j) sum += a[j] * std::cos(static_cast<double>(j) * kPi * centred(k, n));
    return sum;
  };
}

double exponential(double k, double n, const Parameters& p) {
  const double centre = p.empty() ? (n - 1) / 2 : p[0], tau = p.size() < 2 ? 1.0 : p[1];
  return std::exp(-std::abs(k - centre) / tau);
}
double parzen(double k, double n, const Parameters&) {
  const double x = std::abs(k - (n - 1) / 2) / (n / 2);
  return std::abs(k - (n - 1) / 2) <= (n - 1) / 4 ? 1 - 6 * x * x * (1 - x) : 2 * std::pow(1 - x, 3);
}
double bohman(double k, double n, const Parameters&) {
  const double x = std::abs(centred(k, n));
  return k == 0 || k == n - 1 ? 0 : (1 - x) * std::cos(kPi * x) + std::sin(kPi * x) / kPi;
}
double barthann(double k, double n, const Parameters&) {
  const double x = std::abs(k / (n - 1) - 0.5);
  return 0.62 - 0.48 * x + 0.38 * std::cos(2 * kPi * x);
}
double triang(double k, double n, const Parameters&) {
  const double steps = std::fmod(n, 2) == 0 ? n : n + 1;
  return 1 - std::abs(2 * k - (n - 1)) / steps;
}
double tukey(double k, double n, const Parameters& p) {
  const double alpha = p.empty() ? 0.5 : p[0];
  if (alpha <= 0) return 1;
  const double edge = std::min(alpha, 1.0) * (n - 1) / 2, from_end = std::min(k, n - 1 - k);
  return from_end >= edge ? 1 : 0.5 * (1 - std::cos(kPi * from_end / edge));
}
double general_gaussian(double k, double n, const Parameters& p) {
  return std::exp(-0.5 * std::pow(std::abs((k - (n - 1) / 2) / p[1]), 2 * p[0]));
}
double kaiser(double k, double n, const Parameters& p) {
  const double x = centred(k, n);
  return std::cyl_bessel_i(0, std::abs(p[0]) * std::sqrt(std::max(0.0, 1 - x * x))) /
         std::cyl_bessel_i(0, std::abs(p[0]));
}

const std::map<std::string, NamedWindow>& windows() {
  static const std::map<std::string, NamedWindow> all = {
      {"barthann", {0, 0, barthann}},
      {"bartlett", {0, 0, [](double k, double n, const Parameters&) { return 1 - std::abs(centred(k, n)); }}},
      {"blackman", {0, 0, cosines({0.42, 0.5, 0.08})}},
      {"blackmanharris", {0, 0, cosines({0.35875, 0.48829, 0.14128, 0.01168})}},
      {"bohman", {0, 0, bohman}},
      {"boxcar", {0, 0, [](double, double, const Parameters&) { return 1.0; }}},
      {"cosine", {0, 0, [](double k, double n, const Parameters&) { return std::sin(kPi * (k + 0.5) / n); }}},
      {"exponential", {0, 2, exponential}},
      {"flattop", {0, 0, cosines({0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368})}},
      {"gaussian", {1, 1, [](double k, double n, const Parameters& p) { return general_gaussian(k, n, {1.0, p[0]}); }}},
      {"general_gaussian", {2, 2, general_gaussian}},
      {"general_hamming",
       {1, 1, [](double k, double n, const Parameters& p) { return cosines({p[0], 1 - p[0]})(k, n, p); }}},
      {"hamming", {0, 0, cosines({0.54, 0.46})}},
      {"hann", {0, 0, cosines({0.5, 0.5})}},
      {"kaiser", {1, 1, kaiser}},
      {"lanczos", {0, 0, [](double k, double n, const Parameters&) { return sinc(centred(k, n)); }}},
      {"nuttall", {0, 0, cosines({0.3635819, 0.4891775, 0.1365995, 0.0106411})}},
      {"parzen", {0, 0, parzen}},
      {"triang", {0, 0, triang}},
      {"tukey", {0, 1, tukey}}};
  return all;
}

}  // namespace

Array get_window(const Window& window, int64_t Nx, const GetWindowOptions& options, numpy::Line line) {
  constexpr const char* kName = "get_window";
  const UserLocation here(line);
  const ElementType type = options.dtype.value_or(default_float());
  if (Nx < 1) refuse(kName, fmt::format("Nx must be 1 or more; got {}", Nx));
  if (const auto& values = window.values()) {
    if (values->ndim() != 1 || values->shape(0) != Nx)
      refuse(kName, fmt::format("window must be a vector of length {}; got {}", Nx, values->aval_shape().to_string()));
    return numpy::astype(*values, type);
  }
  const auto found = windows().find(window.name());
  if (found == windows().end()) refuse(kName, "unknown window '" + window.name() + "'");
  const auto& [least, most, value_at] = found->second;
  const size_t count = window.parameters().size();
  if (count < least || count > most)
    refuse(kName, fmt::format("window {} takes {} to {} parameters; got {}", window.name(), least, most, count));
  const double points = static_cast<double>(options.fftbins ? Nx + 1 : Nx);  // a periodic window omits the last point
  std::vector<double> values;
  for (int64_t k = 0; k < Nx; ++k)
    values.push_back(Nx == 1 ? 1 : value_at(static_cast<double>(k), points, window.parameters()));
  return numpy::array(values, type);
}

}  // namespace hilo::scipy::signal
