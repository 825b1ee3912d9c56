// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/small_linalg/marks.h"

#include <algorithm>

namespace hilo::hlo::small_linalg {

Marks::Marks(const Elements& a) {
  for (int64_t c = 0; c < a.columns; ++c) {
    own_.push_back(finite(a.at(0, c)));
    for (int64_t r = 1; r < a.rows; ++r) own_.back() = bitwise_and(own_.back(), finite(a.at(r, c)));
    until_.push_back(c == 0 ? own_[0] : bitwise_and(until_.back(), own_.back()));
  }
}

Elements Marks::cleared(Elements a) const {
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < a.columns; ++c) a.at(r, c) = select(own_[c], a.at(r, c), full_like(a.at(r, c), 0));
  }
  return a;
}

void Marks::apply(Elements& factors) const {
  for (int64_t r = 0; r < factors.rows; ++r) {
    for (int64_t c = 0; c < factors.columns; ++c) {
      Expr& x = factors.at(r, c);
      const int64_t last = std::min(r, c);
      x = select(c == last ? until_[c] : bitwise_and(until_[last], own_[c]), x, nan_like(x));
    }
  }
}

}  // namespace hilo::hlo::small_linalg
