// SPDX-License-Identifier: Apache-2.0
// transform/jet_trace.h -- propagates Taylor coefficients along with values. Not for users.
#pragma once

#include "hilo/trace/staging_trace.h"
#include "hilo/transform/jet.h"

namespace hilo {

/// x(t) = coefficients[0] + coefficients[1] t + ...; a single coefficient means a constant.
using Series = std::vector<Array>;

struct JetTracer final : TracerOf<JetTracer> {
  JetTracer(std::shared_ptr<const TraceRecord> record, Series series)
      : TracerOf(std::move(record), series[0].aval()), series(std::move(series)) {}
  Series series;
};

class JetTrace final : public Trace {
 public:
  JetTrace(Trace* parent, size_t order) : Trace(parent, "jet"), order_(order) {}
  std::vector<Array> bind(const Operation& operation) override;
  std::optional<Array> value_of(const Tracer& tracer) override {
    return static_cast<const JetTracer&>(tracer).series[0];
  }

  Array wrap(Series series);
  Series series_of(const Array& array) const;

 private:
  size_t order_;
};

/// Returns the series of an operation's result, up to `order`; nullopt if there is no rule. At least one operand isn't
/// constant. The rules are in rules/jet.cc.
std::optional<Series> jet_rule(const Operation& operation, std::span<const Series> operands, size_t order);

/// Returns a computation of simpler operations that replaces the operation, or null. Control flow is rejected by name.
/// Implemented in rules/jet.cc.
hlo::ComputationPtr jet_replacement(const Operation& operation);

}  // namespace hilo
