// SPDX-License-Identifier: Apache-2.0
// bench/timing.h -- how programs of bench/ time a call; timing.py is the peers'.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Median of calls over about a fifth of a second, at least 5; a call is repeated until it takes 20 us, so that the
/// clock doesn't count.
inline double median_microseconds(const std::function<void()>& call) {
  call();
  const Clock::time_point probe = Clock::now();
  call();
  const int repeat = std::max(1, static_cast<int>(20.0 / std::max(0.01, microseconds_since(probe))));
  std::vector<double> samples;
  const Clock::time_point begin = Clock::now();
  while (samples.size() < 5 || (microseconds_since(begin) < 2e5 && samples.size() < 2000)) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < repeat; ++i) call();
    samples.push_back(microseconds_since(start) / repeat);
  }
  std::ranges::nth_element(samples, samples.begin() + static_cast<long>(samples.size() / 2));
  return samples[samples.size() / 2];
}

}  // namespace bench
