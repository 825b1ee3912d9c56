// SPDX-License-Identifier: Apache-2.0
// optim/monitoring.h -- transformations that measure updates and return them unchanged.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

/// A function of all updates that returns an array.
using Measure = std::function<Array(const Leaves& updates)>;
/// Stores measure(updates) in the state's field of that name; init stores measure(parameters).
/// Example    chain(snapshot("norm", [](const Leaves& u) { return global_norm(u); }), clip_by_global_norm(1.0))
GradientTransformation snapshot(std::string measure_name, Measure measure);

/// An entry of monitor: a measure, or a transformation of the updates into the measured value.
class Monitored {
 public:
  template <typename F>
    requires(std::is_invocable_r_v<Array, F, const Leaves&>)
  Monitored(F measure) : measure_(of_measure(std::move(measure))) {}  // implicit: both convert
  Monitored(GradientTransformation measure) : measure_(std::move(measure)) {}
  const GradientTransformation& transformation() const { return measure_; }

 private:
  static GradientTransformation of_measure(Measure measure);
  GradientTransformation measure_;
};
/// Stores several measures in the state, each in the field of its name; empty before the first update.
/// Example    monitor({{"norm", global}, {"norm_ema", measure_with_ema(global, 0.9)}})
GradientTransformation monitor(std::map<std::string, Monitored> measures);

struct MeasureEmaOptions {
  bool debias = true;
  numpy::Dtype accumulator_dtype = std::nullopt;
};
/// Returns the exponential moving average of a measure, for monitor.
GradientTransformation measure_with_ema(Measure measure, double decay, const MeasureEmaOptions& options = {});

}  // namespace hilo::optim
