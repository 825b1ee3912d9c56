// SPDX-License-Identifier: Apache-2.0
// lax/carry.h -- shared by the rules of ops with called computations: masks of leaves, and the fixpoint of carries.
#pragma once

#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/memo.h"

namespace hilo::lax {

Mask nonzero_mask(std::span<const Tangent> tangents);
Mask batched_mask(std::span<const BatchDim> dims);
/// Combines two masks element by element; an empty mask is all false.
Mask mask_or(const Mask& a, const Mask& b);

/// Extends a mask of carries until `step` (carry mask -> result mask) adds nothing. The mask marks carries with
/// tangents, or batched ones. Needs at most as many steps as there are carries.
template <typename Step>
Mask fix_carry(Mask carry, Step&& step) {
  while (true) {
    Mask results = step(carry);
    results.resize(carry.size());
    Mask grown = mask_or(carry, results);
    if (grown == carry) return carry;
    carry = std::move(grown);
  }
}

/// Appends the values of nonzero tangents.
void append_nonzero(std::vector<Array>& operands, std::span<const Tangent> tangents);
/// Converts the values of the nonzero tangents to a list of all tangents.
std::vector<Tangent> spread_tangents(std::vector<Array> values, const Mask& nonzero);
/// Splits the list (primals, nonzero tangents). `nonzero` has one entry per primal.
JvpResult split_primals(std::vector<Array> results, const Mask& nonzero);

/// The known operands and the unknown ones.
struct KnownAndUnknown {
  std::vector<Array> known, unknown;
};
KnownAndUnknown known_and_unknown(std::span<const Array> operands, const Mask& unknown);
/// Converts the values of the known results to one entry per result, nullopt for unknown ones.
std::vector<std::optional<Array>> spread_known(std::vector<Array> values, const Mask& unknown_results);

/// Moves the batch axis of batched operands to the front; leaves the others unchanged.
std::vector<Array> batch_in_front(std::span<const Array> operands, std::span<const BatchDim> dims);
BatchResult batched_results(std::vector<Array> results, const Mask& batched);

/// Converts a computation with flat parameters to one with a single packed parameter and a packed result: the form of
/// loop bodies and branches.
hlo::ComputationPtr over_packed(const hlo::ComputationPtr& computation);
/// Returns the parameter leaf that result leaf `k` is equal to, if the computation only passes it through, also through
/// scans.
std::optional<size_t> passed_through(const hlo::Computation& computation, size_t k);
/// Traces `f` on the parameter leaves of `like`; results are packed.
hlo::ComputationPtr restage(const hlo::ComputationPtr& like, const FlatFunction& f);

}  // namespace hilo::lax
