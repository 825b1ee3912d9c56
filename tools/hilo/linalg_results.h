// SPDX-License-Identifier: Apache-2.0
// tools/hilo/linalg_results.h -- compares results of decompositions. Eigen- and singular vectors are unique only up to
// signs and phases, and up to a rotation in subspaces of equal values.
#pragma once

#include <span>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::tool {

/// The allowed difference of a result from the expected one: |a - b| <= relative |b| + absolute max|b|.
struct Bounds {
  double relative = 0, absolute = 0;
};

/// A program's arguments, results and expected results; `bounds` by result.
struct LinalgResults {
  std::span<const Literal> arguments, actual, expected;
  std::span<const Bounds> bounds;
};

/// Returns for each result whether it is equivalent to the expected one, by one of these rules:
/// - Its columns (or rows) and the expected ones are unit vectors, equal up to a sign or phase each.
/// - It is equal after its columns or rows are multiplied by the phases of another result: a derivative of vectors.
/// - The expected results solve A V = V diag(w) or A = U diag(s) V^H for an argument A, and this result is V, U or V^H.
///   The actual results solve the same equation within the same bounds. Their vectors have length one and are
///   orthogonal
///   where the expected ones are.
/// Also true where `is_equal` is true.
std::vector<bool> equal_but_for_phases(const LinalgResults& results, const std::vector<bool>& is_equal);

}  // namespace hilo::tool
