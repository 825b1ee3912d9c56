// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/callable.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/expanded_size.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

namespace {

/// Tracing may stage a body for each call site, so its size is limited, as for a compilation.
void check_expansion(const hlo::Module& module) {
  const int64_t count = hlo::expanded_instruction_count(module), most = hlo::max_expanded_instructions(module);
  if (count <= most) return;
  throw Error(
      resource_exhausted(fmt::format("load '{}': too many instructions; got {} with each computation in all places "
                                     "that call it; wanted at most {} for "
                                     "a program of {}",
                                     module.name, count, most, hlo::instruction_count(module))));
}

}  // namespace

hlo::ComputationPtr callable_entry(hlo::Module module) {
  check_expansion(module);
  or_throw(hlo::run_passes(module, hlo::raise_pipeline()));
  const hlo::Computation& entry = *module.entry;
  return stage([&](std::span<const Array> leaves) { return run_computation(entry, leaves); }, parameter_avals(entry),
               "load", entry.name())
      .computation;
}

LoadedValue loaded_value(std::string name, const Shape& shape) {
  return {std::move(name), shape.with_default_layout(), shape.with_default_layout().to_string()};
}

std::vector<LoadedValue> inputs_of(const hlo::Computation& entry) {
  std::vector<LoadedValue> inputs;
  for (hlo::InstructionId id : entry.parameters()) {
    const hlo::Instruction& parameter = entry.instruction(id);
    const std::string name(parameter.name);
    if (parameter.shape.is_array()) inputs.push_back(loaded_value(name, parameter.shape));
    if (!parameter.shape.is_tuple()) continue;
    const std::vector<Shape> leaves = parameter.shape.leaves();
    for (size_t k = 0; k < leaves.size(); ++k)
      inputs.push_back(loaded_value(fmt::format("{}[{}]", name, k), leaves[k]));
  }
  return inputs;
}

std::vector<LoadedValue> outputs_of(const Shape& result) {
  std::vector<LoadedValue> outputs;
  for (const Shape& leaf : result.leaves()) outputs.push_back(loaded_value(std::to_string(outputs.size()), leaf));
  return outputs;
}

std::vector<Aval> avals_of(const std::vector<LoadedValue>& values) {
  std::vector<Aval> avals;
  for (const LoadedValue& value : values) avals.push_back({value.shape, false});
  return avals;
}

}  // namespace hilo
