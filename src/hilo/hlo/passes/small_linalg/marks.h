// SPDX-License-Identifier: Apache-2.0
// hlo/passes/small_linalg/marks.h -- NaN in the columns of a factorization whose operand isn't finite.
#pragma once

#include "hilo/hlo/passes/small_linalg/elements.h"

namespace hilo::hlo::small_linalg {

/// Knows which columns of a matrix contain NaN or infinities. A factorization from left to right is computed with zeros
/// in their place, so that pivots and the other columns don't depend on how NaN compares, and is marked afterwards: as
/// in the library (backend/cpu/library/linalg/lapack_routine.h).
class Marks {
 public:
  explicit Marks(const Elements& a);

  /// Returns the matrix with those columns set to zero.
  Elements cleared(Elements a) const;

  /// Returns whether the columns until `column`, included, are finite.
  Expr is_finite_until(int64_t column) const { return until_[column]; }
  /// Sets to NaN what a factorization from left to right computes from those columns: the columns themselves, and all
  /// that is right of and below the first one's diagonal element.
  void apply(Elements& factors) const;

 private:
  Exprs own_, until_;
};

}  // namespace hilo::hlo::small_linalg
