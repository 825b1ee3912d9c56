// SPDX-License-Identifier: Apache-2.0
// bench/first_call.h -- a row with the least time of a call, the time to the first result, and a number to compare.
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

/// The least of calls over about a fifth of a second, at least 5: other programs on the machine don't count.
inline double least_microseconds(const std::function<void()>& call) {
  double least = 1e30;
  const Clock::time_point begin = Clock::now();
  for (int calls = 0; calls < 5 || microseconds_since(begin) < 2e5; ++calls) {
    const Clock::time_point start = Clock::now();
    call();
    least = std::min(least, microseconds_since(start));
  }
  return least;
}

/// Prints "name<TAB>microseconds<TAB>seconds to the first result<TAB>sum of the result".
template <typename F, typename... Args>
void row(const std::string& name, const F& f, const Args&... args) {
  const Clock::time_point start = Clock::now();
  const double number = last_sum(f(args...));
  const double first = 1e-6 * microseconds_since(start);
  std::printf("%s\t%.4f\t%.4f\t%.17g\n", name.c_str(), least_microseconds([&] { f(args...); }), first, number);
  std::fflush(stdout);
}

}  // namespace bench
