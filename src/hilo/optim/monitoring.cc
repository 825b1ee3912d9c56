// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/monitoring.h"

#include "hilo/optim/combining.h"
#include "hilo/optim/leaves.h"
#include "hilo/optim/scaling.h"

namespace hilo::optim {

GradientTransformation snapshot(std::string measure_name, Measure measure) {
  constexpr const char* kName = "snapshot";
  return {[=](const Parameters& p) { return OptState{kName, {{measure_name, {measure(p.arrays)}}}}; },
          [=](const Leaves& updates, const OptState& state, const Given&) {
            leaves::check_state(state, kName, 0);
            return Updated{updates, OptState{kName, {{measure_name, {measure(updates)}}}}};
          }};
}

GradientTransformation Monitored::of_measure(Measure measure) {
  return stateless([measure](const Leaves& updates, const std::optional<Leaves>&) { return Leaves{measure(updates)}; });
}

GradientTransformation monitor(std::map<std::string, Monitored> measures) {
  constexpr const char* kName = "monitor";
  return {[=](const Parameters& p) {
            OptState state{kName, {}};
            for (const auto& [name, measure] : measures) state.inner.push_back(measure.transformation().init_leaves(p));
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            leaves::check_state(state, kName, measures.size());
            OptState next{kName, {}};
            size_t i = 0;
            for (const auto& [name, measure] : measures) {
              Updated measured = measure.transformation().update_leaves(updates, state.inner[i++], inputs);
              next.fields[name] = std::move(measured.updates);
              next.inner.push_back(std::move(measured.state));
            }
            return Updated{updates, next};
          }};
}

GradientTransformation measure_with_ema(Measure measure, double decay, const MeasureEmaOptions& o) {
  const GradientTransformation mean = ema(decay, {.debias = o.debias, .accumulator_dtype = o.accumulator_dtype});
  return {[=](const Parameters& p) { return mean.init_leaves(Parameters{{measure(p.arrays)}, {""}}); },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            return mean.update_leaves({measure(updates)}, state, inputs);
          }};
}

}  // namespace hilo::optim
