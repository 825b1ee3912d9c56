// SPDX-License-Identifier: Apache-2.0
// tests/support/derivatives.h -- compares a function's derivatives with finite differences of its values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "tests/support/x64.h"

namespace hilo {

enum class Modes { kForward, kBoth };

namespace derivatives {

/// Returns arrays like `leaves` with irregular numbers in [-1, 1], selected by `seed`.
inline std::vector<Array> directions(std::span<const Array> leaves, int seed) {
  std::vector<Array> out;
  for (const Array& leaf : leaves) {
    const Array places = numpy::reshape(numpy::arange(leaf.size(), ElementType::kF64), leaf.aval_shape().dimensions());
    out.push_back(numpy::sin((places + 1.0) * 12.9898 + 4.1414 * static_cast<double>(++seed)));
  }
  return out;
}

template <typename T>
T along(const T& like, int seed) {
  return unflatten(like, directions(flatten(like).leaves, seed));
}

inline double dot(std::span<const Array> a, std::span<const Array> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::vector<double> x = a[i].to_vector<double>(), y = b[i].to_vector<double>();
    for (size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  }
  return sum;
}

inline void expect_close(std::span<const Array> got, std::span<const Array> wanted, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    const std::vector<double> a = got[i].to_vector<double>(), b = wanted[i].to_vector<double>();
    ASSERT_EQ(a.size(), b.size()) << what;
    for (size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(a[k], b[k], tolerance * std::max(1.0, std::abs(b[k]))) << what << ", leaf " << i << "[" << k << "]";
  }
}

}  // namespace derivatives

/// Checks that jvp is the central difference along a direction, and vjp its transpose, for derivatives up to `Order`.
/// All arrays are f64: call it within an X64Scope.
template <int Order = 2, typename F, typename... Args>
void expect_derivatives(const F& f, const std::tuple<Args...>& arguments, Modes modes = Modes::kBoth,
                        double tolerance = 1e-6) {
  using namespace derivatives;
  const std::tuple<Args...> direction = along(arguments, Order);
  const auto moved = [&](double step) {
    return std::apply(f, tree_map([&](const Array& a, const Array& d) { return a + step * d; }, arguments, direction));
  };
  constexpr double kStep = 1e-5;
  const auto pushed = jvp(f, arguments, direction);
  const auto difference =
      tree_map([&](const Array& above, const Array& below) { return (above - below) / (2 * kStep); }, moved(kStep),
               moved(-kStep));
  expect_close(flatten(pushed.second).leaves, flatten(difference).leaves, tolerance, "jvp");
  expect_close(flatten(pushed.first).leaves, flatten(std::apply(f, arguments)).leaves, 1e-12, "value");
  if (modes == Modes::kBoth) {
    const auto [value, pull] = std::apply([&](const auto&... a) { return vjp(f, a...); }, arguments);
    const auto weights = along(value, Order + 7);
    const double there = dot(flatten(pull(weights)).leaves, flatten(direction).leaves);
    const double here = dot(flatten(weights).leaves, flatten(pushed.second).leaves);
    EXPECT_NEAR(there, here, 1e-10 * std::max(1.0, std::abs(here))) << "vjp isn't the transpose of jvp";
  }
  if constexpr (Order > 1) {
    const auto forward = [&](const Args&... a) {
      return jvp(f, std::tuple(a...), along(std::tuple(a...), Order)).second;
    };
    expect_derivatives<Order - 1>(forward, arguments, modes, tolerance * 10);
    if (modes == Modes::kBoth) {
      const auto reverse = [&](const Args&... a) {
        const auto pulled = vjp(f, a...);
        return pulled.second(along(pulled.first, Order + 11));
      };
      expect_derivatives<Order - 1>(reverse, arguments, modes, tolerance * 10);
    }
  }
}

}  // namespace hilo
