// SPDX-License-Identifier: Apache-2.0
// optim/monitoring.h -- transformations that look at updates and leave them as they are.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

/// A number, or an array, of all updates.
using Measure = std::function<Array(const Leaves& updates)>;
/// Keeps what `measure` says of the updates, in the state's field of that name; at first what it says of the parameters.
/// Example    chain(snapshot("norm", [](const Leaves& u) { return global_norm(u); }), clip_by_global_norm(1.0))
GradientTransformation snapshot(std::string measure_name, Measure measure);

/// What monitor keeps: a measure, or a transformation of the updates into the measured value.
class Monitored {
 public:
  template <typename F>
    requires(std::is_invocable_r_v<Array, F, const Leaves&>)
  Monitored(F measure) : measure_(of_measure(std::move(measure))) {}  // both convert
  Monitored(GradientTransformation measure) : measure_(std::move(measure)) {}
  const GradientTransformation& transformation() const { return measure_; }

 private:
  static GradientTransformation of_measure(Measure measure);
  GradientTransformation measure_;
};
/// Keeps several, each in the field of its name; before the first update there are none.
/// Example    monitor({{"norm", global}, {"norm_ema", measure_with_ema(global, 0.9)}})
GradientTransformation monitor(std::map<std::string, Monitored> measures);

struct MeasureEmaOptions {
  bool debias = true;
  numpy::Dtype accumulator_dtype = std::nullopt;
};
/// The running mean of what is measured, for monitor.
GradientTransformation measure_with_ema(Measure measure, double decay, const MeasureEmaOptions& options = {});

}  // namespace hilo::optim
