// SPDX-License-Identifier: Apache-2.0
// transform/jvp.h -- forward mode: runs a function on primals and tangents at once.
#pragma once

#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

struct JvpTracer final : TracerOf<JvpTracer> {
  JvpTracer(std::shared_ptr<const TraceRecord> record, Array primal, Tangent tangent, Lifts lifts = {})
      : TracerOf(std::move(record), primal.aval()),
        primal(std::move(primal)),
        tangent(std::move(tangent)),
        lifts(std::move(lifts)) {}
  std::shared_ptr<const ArrayImpl> with_weak_type(bool weak_type) const override;
  Array primal;
  Tangent tangent;
  Lifts lifts;  ///< empty except for values that depend on an eigh or svd
};

class SplitTrace;

/// Propagates a tangent along with every value. Rules run in the parent trace. If the parent stages tangents separately
/// (linearize), operations with called computations are linearised, also for a jvp inside of a rule.
class JvpTrace final : public Trace {
 public:
  explicit JvpTrace(Trace* parent);
  std::vector<Array> bind(const Operation& operation) override;
  std::optional<Array> value_of(const Tracer& tracer) override { return static_cast<const JvpTracer&>(tracer).primal; }

  /// Returns a tracer, or `primal` itself if the tangent is zero.
  Array wrap(Array primal, Tangent tangent, Lifts lifts = {});
  const Array& primal_of(const Array& array) const;
  Tangent tangent_of(const Array& array) const;
  const Lifts& lifts_of(const Array& array) const;

 private:
  JvpResult push(const Operation& operation, std::span<const Tangent> tangents) const;
  SplitTrace* split_;  ///< the parent, if it is a SplitTrace
};

/// Computes values and directional derivatives of `f` at `primals` along `tangents`.
JvpResult jvp_flat(const FlatFunction& f, std::span<const Array> primals, std::span<const Tangent> tangents);

/// Runs the jvp rule of an operation in the current trace.
/// Errors     UNIMPLEMENTED naming the operation if it has no rule
JvpResult apply_jvp_rule(const Operation& operation, std::span<const Tangent> tangents);

/// Runs the operation's linearize rule, or its jvp rule if it has none. `split`, the current trace, stages the linear
/// function.
JvpResult apply_linearize_rule(SplitTrace& split, const Operation& operation, std::span<const Tangent> tangents);

/// The computation (primals, nonzero tangents) -> (results, nonzero result tangents), as flat parameters and leaves.
struct JvpComputation {
  hlo::ComputationPtr computation;
  std::vector<bool> nonzero_results;
  bool returns_lifts = false;
};
inline int64_t held_bytes(const JvpComputation& jvp) { return hlo::held_bytes(jvp.computation); }
/// Returns the derivative of a computation. `nonzero` has one entry per parameter leaf; `instantiate` (one entry per
/// result leaf) forces result tangents to be materialised. Memoised by meaning. Parameters and results of the returned
/// computation are flat; its root is a tuple.
JvpComputation jvp_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                               const std::vector<bool>& instantiate);

}  // namespace hilo
