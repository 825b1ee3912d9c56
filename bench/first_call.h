// SPDX-License-Identifier: Apache-2.0
// bench/first_call.h -- a row with the median time of a call, the time to the first result, and a number to compare.
#pragma once

#include <cstdio>
#include <string>

#include "bench/timing.h"
#include "hilo/hilo.h"

namespace bench {

/// The sum of the last of the results, which are a tree of arrays.
template <typename Tree>
double last_sum(const Tree& results) {
  double sum = 0;
  for (const hilo::Array& leaf : hilo::flatten(results).leaves) sum += hilo::numpy::sum(leaf).template item<double>();
  return sum;
}

template <typename A, typename B>
double last_sum(const std::pair<A, B>& value_and_gradient) {
  return last_sum(value_and_gradient.second);
}

/// Prints "name<TAB>microseconds<TAB>seconds to the first result<TAB>sum of the result".
template <typename F, typename... Args>
void row(const std::string& name, const F& f, const Args&... args) {
  const Clock::time_point start = Clock::now();
  const double number = last_sum(f(args...));
  const double first = 1e-6 * microseconds_since(start);
  std::printf("%s\t%.4f\t%.4f\t%.17g\n", name.c_str(), median_microseconds([&] { f(args...); }), first, number);
  std::fflush(stdout);
}

}  // namespace bench
