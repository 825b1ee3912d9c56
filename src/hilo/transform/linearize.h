// SPDX-License-Identifier: Apache-2.0
// transform/linearize.h -- splits a function into its value and the linear function of its tangents.
#pragma once

#include "hilo/transform/jvp.h"

namespace hilo {

/// Stages operations on unknown values (tangents) and passes all others to the parent. Known operands of staged
/// operations become residuals. The rules of operations with called computations split these in the same way. With this
/// trace, jvp rules alone suffice for linearization.
class SplitTrace final : public Trace {
 public:
  explicit SplitTrace(Trace* parent);
  std::vector<Array> bind(const Operation& operation) override;
  StagingTrace& staging() { return staging_; }

 private:
  std::vector<Array> bind_unknown(const Operation& operation, const std::vector<bool>& unknown);

  StagingTrace staging_;
};

/// The values of f, and its derivative: `computation` takes the nonzero tangents, then the residuals.
struct Linearized {
  std::vector<Array> primals;
  hlo::ComputationPtr computation;
  std::vector<Array> residuals;
  std::vector<bool> nonzero_inputs;
  std::vector<bool> nonzero_results;  ///< results with nonzero tangents; they are the computation's results
  std::vector<Aval> result_avals;

  /// Pushes tangents (one per input) through the derivative.
  std::vector<Tangent> push(std::span<const Tangent> tangents) const;
  /// Pulls cotangents (one per result) back; returns one per input. `initial`, if not empty, has one sum per input to
  /// which the cotangent is added.
  std::vector<Tangent> pull(std::span<const Tangent> cotangents, std::span<const Tangent> initial = {}) const;
};

/// The text of the checkpoint policy under which this thread linearises a function, or empty. The steps of loops in the
/// function then store the values that the policy saves.
const std::string& enclosing_policy();

/// Sets enclosing_policy() for its lifetime.
class PolicyScope {
 public:
  explicit PolicyScope(std::string policy);
  ~PolicyScope();
  PolicyScope(const PolicyScope&) = delete;
  PolicyScope& operator=(const PolicyScope&) = delete;

 private:
  std::string outer_;
};

Linearized linearize_flat(const FlatFunction& f, std::span<const Array> primals, const std::vector<bool>& nonzero);

/// A computation in two parts. Roots are tuples.
///   known     (known inputs) -> known results, residuals
///   unknown   (unknown inputs, residuals) -> unknown results
struct SplitComputation {
  hlo::ComputationPtr known, unknown;
  size_t residual_count = 0;
  std::vector<bool> unknown_results;  ///< one entry per result of the whole computation

  size_t known_result_count() const { return known->root().operands.size() - residual_count; }
};
inline int64_t held_bytes(const SplitComputation& split) {
  return hlo::held_bytes(split.known) + hlo::held_bytes(split.unknown);
}

/// Splits a computation into value and derivative: all inputs and results are known; unknown are their nonzero
/// tangents. Results in `instantiate` always have a tangent. Memoised by meaning.
SplitComputation linearize_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                                       const std::vector<bool>& instantiate);

/// Separates the instructions that depend on the `unknown` parameter leaves from the others. Results in `instantiate`
/// always count as unknown. Memoised by meaning.
SplitComputation split_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& unknown,
                                   const std::vector<bool>& instantiate);

}  // namespace hilo
