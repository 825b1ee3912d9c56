// SPDX-License-Identifier: Apache-2.0
// examples/support/greeks.h -- compares gradients with finite differences or with other numbers.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

#include "hilo/hilo.h"

namespace examples {

/// All numbers of a tree of f64 arrays, in order.
template <typename Tree>
std::vector<double> numbers_of(const Tree& tree) {
  return hilo::flatten_util::ravel_pytree(tree).first.template to_vector<double>();
}

/// The gradient of `f` by differences of order 4, one number at a time.
template <typename F, typename Tree>
std::vector<double> differences(const F& f, const Tree& at) {
  const auto [start, unravel] = hilo::flatten_util::ravel_pytree(at);
  const std::vector<double> x = start.template to_vector<double>();
  std::vector<double> slopes;
  for (size_t i = 0; i < x.size(); ++i) {
    const double step = 1e-3 * std::fmax(1e-2, std::abs(x[i]));
    const auto moved = [&, &unravel = unravel](double by) {
      std::vector<double> y = x;
      y[i] += by * step;
      return f(unravel(hilo::numpy::array(y))).template item<double>();
    };
    slopes.push_back((8 * (moved(1) - moved(-1)) - moved(2) + moved(-2)) / (12 * step));
  }
  return slopes;
}

/// Prints each slope next to the expected one. Returns whether all are within `tolerance`, relative to slopes above 1.
template <typename Tree>
bool compare_greeks(const std::vector<const char*>& names, const Tree& gradient, const std::vector<double>& expected,
                    double tolerance) {
  const std::vector<double> slopes = numbers_of(gradient);
  bool right = slopes.size() == expected.size() && slopes.size() == names.size();
  for (size_t i = 0; right && i < slopes.size(); ++i) {
    std::printf("  %-12s %14.7f %14.7f\n", names[i], slopes[i], expected[i]);
    right = std::abs(slopes[i] - expected[i]) <= tolerance * std::fmax(1.0, std::abs(expected[i]));
  }
  return right;
}

/// Prints the means of blocks of paths next to the expected ones. Returns whether all are within four standard errors
/// and 1 %, which is for the paths' steps.
/// Shapes    each leaf of `blocks` is f64[number of blocks]
template <typename Tree>
bool compare_means(const std::vector<const char*>& names, const Tree& blocks, const std::vector<double>& expected) {
  const std::vector<hilo::Array> leaves = hilo::flatten(blocks).leaves;
  bool right = leaves.size() == expected.size() && leaves.size() == names.size();
  for (size_t i = 0; right && i < leaves.size(); ++i) {
    const double mean = leaves[i].mean().template item<double>();
    const double error = hilo::numpy::std(leaves[i]).template item<double>() / std::sqrt(leaves[i].size() - 1.0);
    std::printf("  %-12s %14.7f %14.7f +- %.7f\n", names[i], expected[i], mean, error);
    right = std::abs(mean - expected[i]) <= 4 * error + 0.01 * std::fmax(1.0, std::abs(expected[i]));
  }
  return right;
}

}  // namespace examples
