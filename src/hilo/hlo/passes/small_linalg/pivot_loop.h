// SPDX-License-Identifier: Apache-2.0
// hlo/passes/small_linalg/pivot_loop.h -- recognizes the loop by which JAX converts the pivots of an LU factorization
// to a permutation.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo::small_linalg {

/// A loop over a carry with pivots s32[batch..., k] that count from 0, a permutation s32[batch..., n] that begins as
/// the order of the rows, and counters.
struct PivotLoop {
  int64_t pivots = 0, permutation = 0;  ///< indices in the carry
  std::vector<Literal> initial;         ///< values of the counters; of the two arrays they are ignored
};

/// Returns the values of the counters after the loop if its body, run `k` times, exchanges element i of the permutation
/// with the element at the i-th pivot; otherwise nullopt. The body may have any form. It is run on pivots with one
/// exchange each and on pivots with several, so it must consist of integer ops, which move elements by index.
/// Precondition: the body's carry has these shapes
std::optional<std::vector<Literal>> run_pivot_loop(const Computation& body, const PivotLoop& loop);

}  // namespace hilo::hlo::small_linalg
