// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/prime_factors.h -- splits a number of devices into prime factors.
#pragma once

#include <cstdint>
#include <vector>

namespace hilo::hlo {

/// Returns the prime factors in ascending order; an empty list for 1. Precondition: the number is positive.
inline std::vector<int64_t> prime_factors(int64_t number) {
  std::vector<int64_t> factors;
  for (int64_t prime = 2; number > 1;) {
    if (number % prime == 0) {
      factors.push_back(prime);
      number /= prime;
    } else {
      ++prime;
    }
  }
  return factors;
}

}  // namespace hilo::hlo
