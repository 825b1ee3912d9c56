// SPDX-License-Identifier: Apache-2.0
// rules/recompute.h -- selects the values of a loop's step that are stored for its derivative; the others are computed
// again. Not for users.
#pragma once

#include "hilo/transform/linearize.h"

namespace hilo::rules {

/// The loop that runs the known part of a step. The step's first parameters are values that are equal in all steps,
/// then carries; the others are slices of arrays.
struct StepLoop {
  size_t constants = 0, carries = 0;
  int64_t length = 0;
};

/// Costs per element and per byte, in picoseconds of one thread: those of the CPU engine.
struct RecomputeCosts {
  int64_t cheap, expensive, transcendental;  ///< of an operation on an element
  int64_t gathered;                          ///< of an element that is read through an index
  int64_t stored, read;                      ///< of a byte that is written and read again, or only read: large arrays
  int64_t stored_in_cache, read_in_cache;    ///< the same for arrays that fit in a cache
  int64_t cache_bytes;
};
inline constexpr RecomputeCosts kRecomputeCosts = {.cheap = 30,
                                                   .expensive = 230,
                                                   .transcendental = 630,
                                                   .gathered = 630,
                                                   .stored = 75,
                                                   .read = 25,
                                                   .stored_in_cache = 19,
                                                   .read_in_cache = 6,
                                                   .cache_bytes = 2 << 20};

/// Changes the residuals of a step so that storing them, and computing the others from them, costs least. Elementwise
/// operations and copies may be computed again; matrix products, reductions, loops, calls with effects and values that
/// a checkpoint policy saves are stored. Memoised.
///   (c, w -> d = dot(c, w), e = d + 1, f = e * e; residuals e, f)   stores d, and computes e and f from it
SplitComputation recompute_cheap(const SplitComputation& split, const StepLoop& loop);

/// Returns the computation with its calls inlined. Its root is a tuple, as that of `computation`.
hlo::ComputationPtr without_calls(const hlo::ComputationPtr& computation);

/// Returns `unknown` after the computation of its last parameters, the residuals, by `again`: its other parameters and
/// those of `again` -> its results.
hlo::ComputationPtr with_residuals_from(const hlo::Computation& again, const hlo::Computation& unknown,
                                        size_t residual_count, const std::string& name);

}  // namespace hilo::rules
