// SPDX-License-Identifier: Apache-2.0
// transform/linearize.h -- splits a function into its value and the linear function of its tangents.
#pragma once

#include "hilo/transform/jvp.h"

namespace hilo {

/// Stages operations that touch an unknown value (a tangent) and hands all others to the parent; the known operands of
/// staged operations become residuals. Ops with called computations are split in the same way, by their rule. With it, the
/// jvp rules alone linearise.
class SplitTrace final : public Trace {
 public:
  explicit SplitTrace(Trace* parent);
  std::vector<Array> bind(const Operation& operation) override;
  StagingTrace& staging() { return staging_; }

 private:
  std::vector<Array> bind_unknown(const Operation& operation, const std::vector<bool>& unknown);

  StagingTrace staging_;
};

/// f's values, and its derivative there: `computation` takes the nonzero tangents, then the residuals.
struct Linearized {
  std::vector<Array> primals;
  hlo::ComputationPtr computation;
  std::vector<Array> residuals;
  std::vector<bool> nonzero_inputs;
  std::vector<bool> nonzero_results;  ///< results whose tangent isn't zero; they are the computation's results
  std::vector<Aval> result_avals;

  /// Pushes tangents (one an input) through the derivative.
  std::vector<Tangent> push(std::span<const Tangent> tangents) const;
  /// Pulls cotangents (one a result) back; gives one an input.
  std::vector<Tangent> pull(std::span<const Tangent> cotangents) const;
};

Linearized linearize_flat(const FlatFunction& f, std::span<const Array> primals, const std::vector<bool>& nonzero);

/// A computation in two parts. Roots are tuples.
///   known     (known inputs) -> known results, residuals
///   unknown   (unknown inputs, residuals) -> unknown results
struct SplitComputation {
  hlo::ComputationPtr known, unknown;
  size_t residual_count = 0;
  std::vector<bool> unknown_results;  ///< one a result of the whole

  size_t known_result_count() const { return known->root().operands.size() - residual_count; }
};
inline int64_t held_bytes(const SplitComputation& split) {
  return hlo::held_bytes(split.known) + hlo::held_bytes(split.unknown);
}

/// The value and the derivative: all inputs and results are known, the unknown ones are their nonzero tangents. Results in
/// `instantiate` have a tangent in any case. Memoised by meaning.
SplitComputation linearize_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                                       const std::vector<bool>& instantiate);

/// What depends on the `unknown` parameter leaves, apart from what doesn't. Results in `instantiate` are unknown in any
/// case. Memoised by meaning.
SplitComputation split_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& unknown,
                                   const std::vector<bool>& instantiate);

}  // namespace hilo
