// SPDX-License-Identifier: Apache-2.0
// tools/hilo/linalg_results.h -- compares results of decompositions. Eigenvectors and singular vectors are unique up to
// signs and phases, and up to rotations in subspaces of equal values.
#pragma once

#include <span>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::tool {

/// The permitted difference of a result: |a - b| <= relative |b| + absolute max|b|.
struct Bounds {
  double relative = 0, absolute = 0;
};

/// A program's arguments, actual and expected results; `bounds` has one entry per result.
struct LinalgResults {
  std::span<const Literal> arguments, actual, expected;
  std::span<const Bounds> bounds;
};

/// Returns for each result whether it is equivalent to the expected one: where `is_equal` is true, or by one of these
/// rules:
/// - Its columns (or rows) and the expected ones are unit vectors that differ only by a sign or phase each.
/// - It is equal after its columns or rows are multiplied by the phases of another result, as for derivatives of
///   vectors.
/// - It is V, U or V^H, and the expected results solve A V = V diag(w) or A = U diag(s) V^H for an argument A. The
///   actual results solve the same equation within the same bounds. Their vectors have length one and are orthogonal
///   where the expected ones are.
std::vector<bool> equal_but_for_phases(const LinalgResults& results, const std::vector<bool>& is_equal);

}  // namespace hilo::tool
