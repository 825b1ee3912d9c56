// SPDX-License-Identifier: Apache-2.0
// tools/hilo/linalg_results.h -- results of decompositions: eigen- and singular vectors are given up to signs and
// phases, and in subspaces of equal values up to a rotation.
#pragma once

#include <span>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::tool {

/// How far a result may be from the expected one: |a - b| <= relative |b| + absolute max|b|.
struct Bounds {
  double relative = 0, absolute = 0;
};

/// What a program took, gave, and should have given; `bounds` by result.
struct LinalgResults {
  std::span<const Literal> arguments, actual, expected;
  std::span<const Bounds> bounds;
};

/// Whether result i means the same as the expected one, by one of these:
/// - its columns (or rows) and the expected ones are unit vectors, equal but for a sign or phase each;
/// - it is equal once its columns or rows are multiplied by the phases of another result's: a derivative of vectors;
/// - the results that are expected solve A V = V diag(w) or A = U diag(s) V^H for an argument A, it is V, U or V^H, and
/// the
///   actual results solve the same to the same bounds, with vectors of length one that are orthogonal where the
///   expected are.
/// One flag a result: true where `is_equal` is, too.
std::vector<bool> equal_but_for_phases(const LinalgResults& results, const std::vector<bool>& is_equal);

}  // namespace hilo::tool
