// SPDX-License-Identifier: Apache-2.0
// transform/linearize.h -- splits a function into its value and the linear function of its tangents.
#pragma once

#include "hilo/transform/jvp.h"

namespace hilo {

/// Stages operations that touch a tangent and hands all others to the parent; the known operands of staged operations
/// become residuals. With it, the jvp rules alone linearise: there is no partial evaluator.
class SplitTrace final : public Trace {
 public:
  explicit SplitTrace(Trace* parent);
  std::vector<Array> bind(const Operation& operation) override;
  StagingTrace& staging() { return staging_; }

 private:
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

/// A computation split in two: primal (inputs -> results, residuals), tangent (nonzero input tangents, residuals ->
/// nonzero result tangents). Roots are tuples. Memoised by meaning.
struct LinearizedComputation {
  hlo::ComputationPtr primal;
  hlo::ComputationPtr tangent;
  size_t residual_count = 0;
  std::vector<bool> nonzero_results;
};
inline int64_t held_bytes(const LinearizedComputation& linearized) {
  return hlo::held_bytes(linearized.primal) + hlo::held_bytes(linearized.tangent);
}
LinearizedComputation linearize_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                                            const std::vector<bool>& instantiate);

}  // namespace hilo
