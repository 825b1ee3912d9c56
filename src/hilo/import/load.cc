// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/load.h"

#include <fmt/format.h>

#include "hilo/hlo/passes/driver.h"
#include "hilo/import/program.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

class LoadedProgram {
 public:
  std::string name;
  std::source_location location;  ///< of the call of load
  std::vector<LoadedValue> inputs, outputs;
  hlo::ComputationPtr computation;  ///< takes and gives flat lists of arrays
};

namespace {

/// Names and types of all leaves of the entry's parameters.
std::vector<LoadedValue> inputs_of_entry(const hlo::Computation& entry) {
  std::vector<LoadedValue> inputs;
  for (hlo::InstructionId id : entry.parameters()) {
    const hlo::Instruction& parameter = entry.instruction(id);
    const std::vector<Shape> leaves =
        parameter.shape.is_tuple() ? parameter.shape.leaves() : std::vector{parameter.shape};
    for (size_t k = 0; k < leaves.size(); ++k) {
      const std::string name(parameter.name);
      inputs.push_back(
          {parameter.shape.is_tuple() ? fmt::format("{}[{}]", name, k) : name, leaves[k].with_default_layout()});
    }
  }
  return inputs;
}

/// The entry as bind wants computations: flat parameters, flat results, no op that stands for others.
hlo::ComputationPtr flat_entry(const hlo::Computation& entry, const std::vector<LoadedValue>& inputs) {
  std::vector<Aval> avals;
  for (const LoadedValue& input : inputs) avals.push_back({input.shape, false});
  return stage([&](std::span<const Array> leaves) { return run_computation(entry, leaves); }, avals, "load",
               entry.name())
      .computation;
}

std::string count_text(size_t count) { return fmt::format("{} array{}", count, count == 1 ? "" : "s"); }

std::string where(const LoadedProgram& program) { return at_user_line(fmt::format("load '{}'", program.name)); }

/// C++ numbers take the type of what they stand for.
Array checked_argument(const LoadedProgram& program, size_t i, const Array& argument) {
  const LoadedValue& wanted = program.inputs[i];
  const Shape& got = argument.aval_shape();
  if (got == wanted.shape) return argument;
  if (argument.weak_type() && got.dimensions().empty() && wanted.shape.rank() == 0)
    return ops::convert_element_type(argument, wanted.shape.element_type());
  or_throw(invalid_argument(fmt::format("{}: input {} ('{}'): got {}, wanted {}", where(program), i, wanted.name,
                                        got.to_string(), wanted.shape.to_string())));
  return argument;
}

}  // namespace

namespace load_detail {

std::shared_ptr<const LoadedProgram> read(const std::string& path, const LoadOptions& options,
                                          const std::source_location& location) {
  const TransformationLocation here(location);
  const auto or_throw_here = [](const Status& status) {
    or_throw(status.ok() ? status : status.with_context(at_user_line("load")));
  };
  StatusOr<hlo::Module> module = read_program(path, options.function);
  or_throw_here(module.status());
  or_throw_here(hlo::run_passes(*module, hlo::raise_pipeline()).status());
  auto program = std::make_shared<LoadedProgram>();
  program->name = module->name;
  program->location = location;
  program->inputs = inputs_of_entry(*module->entry);
  program->computation = flat_entry(*module->entry, program->inputs);
  for (const Shape& leaf : program->computation->result_shape().leaves())
    program->outputs.push_back({std::to_string(program->outputs.size()), leaf.with_default_layout()});
  return program;
}

std::vector<Array> call(const LoadedProgram& program, std::span<const Array> leaves) {
  const TransformationLocation here(program.location);
  if (leaves.size() != program.inputs.size()) {
    or_throw(invalid_argument(fmt::format("{}: got {}; wanted {}", where(program), count_text(leaves.size()),
                                          count_text(program.inputs.size()))));
  }
  std::vector<Array> operands;
  for (size_t i = 0; i < leaves.size(); ++i) operands.push_back(checked_argument(program, i, leaves[i]));
  std::vector<Array> results = ops::call(program.computation, std::move(operands));
  for (Array& result : results) result = with_weak_type(result, false);
  return results;
}

void check_result(const LoadedProgram& program, size_t leaves) {
  if (leaves == program.outputs.size()) return;
  const TransformationLocation here(program.location);
  or_throw(
      invalid_argument(fmt::format("{}: the program gives {}; its C++ result holds {}. Hint: load<Result>(path), "
                                   "where Result is a tree of that many; std::vector<Array> takes any number",
                                   where(program), count_text(program.outputs.size()), count_text(leaves))));
}

const std::string& name_of(const LoadedProgram& program) { return program.name; }
const std::vector<LoadedValue>& inputs_of(const LoadedProgram& program) { return program.inputs; }
const std::vector<LoadedValue>& outputs_of(const LoadedProgram& program) { return program.outputs; }

}  // namespace load_detail

}  // namespace hilo
