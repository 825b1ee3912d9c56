// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/in_pairs.h -- sums of many parts whose error grows with the logarithm of their number.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Returns the number of levels of sums that sum_in_pairs needs: one, and one for each halving.
inline int64_t sum_levels(int64_t parts, int64_t in_order) {
  int64_t levels = 1;
  for (; parts > in_order; parts = (parts + 1) / 2) ++levels;
  return levels;
}

/// Sums parts [begin, end) into `level`. Up to `in_order` parts are added one after the other; more are summed as two
/// halves. part(n, level, adds) writes part n to the sums at `level`, or adds it to them. join(level) adds the sums at
/// level + 1 to those at `level`.
template <typename Part, typename Join>
void sum_in_pairs(int64_t begin, int64_t end, int64_t in_order, int64_t level, const Part& part, const Join& join) {
  if (end - begin <= in_order) {
    for (int64_t n = begin; n < end; ++n) part(n, level, n > begin);
    return;
  }
  const int64_t middle = begin + (end - begin) / 2;
  sum_in_pairs(begin, middle, in_order, level, part, join);
  sum_in_pairs(middle, end, in_order, level + 1, part, join);
  join(level);
}

}  // namespace hilo::cpu
