// SPDX-License-Identifier: Apache-2.0
// lax/carry.h -- what the rules of ops with called computations share: masks of leaves, and the fixpoint of carries.
#pragma once

#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/memo.h"

namespace hilo::lax {

Mask nonzero_mask(std::span<const Tangent> tangents);
Mask batched_mask(std::span<const BatchDim> dims);
/// Element by element; an empty mask is all false.
Mask mask_or(const Mask& a, const Mask& b);

/// Grows a mask of carries until `step` (carry mask -> result mask) adds nothing: which carries have tangents, which are
/// batched. Ends after at most as many steps as there are carries.
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
/// Values for the nonzero tangents -> all tangents.
std::vector<Tangent> spread_tangents(std::vector<Array> values, const Mask& nonzero);
/// (primals, nonzero tangents) in one list -> apart. `nonzero` has one entry a primal.
JvpResult split_primals(std::vector<Array> results, const Mask& nonzero);

/// Operands that are known, and the others.
struct KnownAndUnknown {
  std::vector<Array> known, unknown;
};
KnownAndUnknown known_and_unknown(std::span<const Array> operands, const Mask& unknown);
/// Values of the known results -> one entry a result, nullopt where it is unknown.
std::vector<std::optional<Array>> spread_known(std::vector<Array> values, const Mask& unknown_results);

/// Batched operands with their axis moved in front; the others as they are.
std::vector<Array> batch_in_front(std::span<const Array> operands, std::span<const BatchDim> dims);
BatchResult batched_results(std::vector<Array> results, const Mask& batched);

/// `computation`, with flat parameters, as a function of one packed parameter whose result is packed: the form of loop
/// bodies and branches.
hlo::ComputationPtr over_packed(const hlo::ComputationPtr& computation);
/// The parameter leaf that result leaf `k` is, if the computation only hands it on: also through scans.
std::optional<size_t> handed_on(const hlo::Computation& computation, size_t k);
/// Traces `f` on the parameter leaves of `like`; results are packed.
hlo::ComputationPtr restage(const hlo::ComputationPtr& like, const FlatFunction& f);

}  // namespace hilo::lax
