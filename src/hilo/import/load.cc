// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/files.h"
#include "hilo/import/by_shapes.h"
#include "hilo/import/exported.h"
#include "hilo/import/program.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/trace/ops.h"

namespace hilo {

class LoadedProgram {
 public:
  std::string name;
  std::source_location location;             ///< location of the call of load
  std::shared_ptr<const std::string> bytes;  ///< bytes of the file, if the function reads them again
  ImportedFunction function;
};

namespace {

std::string count_text(size_t count) { return fmt::format("{} array{}", count, count == 1 ? "" : "s"); }

std::string where(const LoadedProgram& program) { return at_user_line(fmt::format("load '{}'", program.name)); }

/// Checks the argument. C++ numbers are converted to the type of the parameter.
Array checked_argument(const LoadedProgram& program, size_t i, const Array& argument) {
  const LoadedValue& expected = program.function.inputs[i];
  const Shape& got = argument.aval_shape();
  if (!expected.shape.is_array()) return argument;  // its sizes are solved by the function
  if (got == expected.shape) return argument;
  if (argument.weak_type() && got.dimensions().empty() && expected.shape.rank() == 0)
    return ops::convert_element_type(argument, expected.shape.element_type());
  or_throw(invalid_argument(fmt::format("{}: input {} ('{}'): got {}, wanted {}", where(program), i, expected.name,
                                        got.to_string(), expected.shape.to_string())));
  return argument;
}

std::vector<LoadedValue> loaded(const std::vector<stablehlo::Type>& types) {
  std::vector<LoadedValue> values;
  for (const stablehlo::Type& type : types) {
    const std::string name = std::to_string(values.size());
    const bool open = std::ranges::find(type.dimensions, stablehlo::kDynamic) != type.dimensions.end();
    const bool is_array = type.kind == stablehlo::TypeKind::kTensor;
    if (open || !is_array) values.push_back({name, Shape(), type.spelled});
    else values.push_back(loaded_value(name, or_throw(Shape::make_array(type.element, type.dimensions))));
  }
  return values;
}

/// Opens a module whose arguments have unknown sizes: one function for each list of shapes.
ImportedFunction open_module(std::shared_ptr<const stablehlo::ModuleTree> tree, const stablehlo::EntryTypes& types,
                             const std::string& path, const std::string& function) {
  return {loaded(types.arguments), loaded(types.results),
          by_shapes([tree = std::move(tree), path, function](const std::vector<Shape>& shapes) -> FlatFunction {
            const hlo::ComputationPtr entry =
                callable_entry(or_throw(translated_program(*tree, path, function, shapes)));
            return [entry](std::span<const Array> x) { return ops::call(entry, {x.begin(), x.end()}); };
          })};
}

void use_module(LoadedProgram& program, hlo::Module module) {
  program.name = module.name;
  const std::vector<LoadedValue> inputs = inputs_of(*module.entry);
  const hlo::ComputationPtr entry = callable_entry(std::move(module));
  program.function = {inputs, outputs_of(entry->result_shape()),
                      [entry](std::span<const Array> x) { return ops::call(entry, {x.begin(), x.end()}); }};
}

void read_module(LoadedProgram& program, const std::shared_ptr<const std::string>& bytes, const std::string& path,
                 const LoadOptions& options) {
  if (!is_mlir_program(*bytes)) return use_module(program, or_throw(parse_program(*bytes, path, options.function)));
  auto tree = std::make_shared<const stablehlo::ModuleTree>(or_throw(stablehlo::read_tree(*bytes, path)));
  const StatusOr<stablehlo::EntryTypes> types = stablehlo::entry_types(*tree, options.function);
  or_throw(types.ok() ? types.status() : types.status().with_context(path));
  if (!types->is_open()) return use_module(program, or_throw(translated_program(*tree, path, options.function)));
  program.name = types->name;
  program.function = open_module(std::move(tree), *types, path, options.function);
  program.bytes = bytes;
}

void read_export(LoadedProgram& program, const std::shared_ptr<const std::string>& bytes, const std::string& path,
                 const LoadOptions& options) {
  if (!options.function.empty())
    or_throw(invalid_argument(path + ": a file of jax.export has one function; its name cannot be specified"));
  const stablehlo::JaxExport exported = or_throw(stablehlo::read_jax_export(*bytes, path));
  program.name = exported.function_name;
  program.function = imported(exported, path, options.use_vjp);
  program.bytes = bytes;
}

}  // namespace

namespace load_detail {

std::shared_ptr<const LoadedProgram> read(const std::string& path, const LoadOptions& options,
                                          const std::source_location& location) {
  const TransformationLocation here(location);
  StatusOr<std::string> content = read_program_bytes(path);
  or_throw(content.ok() ? content.status() : content.status().with_context(at_user_line("load")));
  return read_bytes(*std::move(content), path, options, location);
}

std::shared_ptr<const LoadedProgram> read_bytes(std::string content, const std::string& source,
                                                const LoadOptions& options, const std::source_location& location) {
  const TransformationLocation here(location);
  auto program = std::make_shared<LoadedProgram>();
  program->location = location;
  const auto bytes = std::make_shared<const std::string>(std::move(content));
  if (stablehlo::is_jax_export(*bytes)) read_export(*program, bytes, source, options);
  else read_module(*program, bytes, source, options);
  return program;
}

std::vector<Array> call(const LoadedProgram& program, std::span<const Array> leaves) {
  const TransformationLocation here(program.location);
  if (leaves.size() != program.function.inputs.size()) {
    or_throw(invalid_argument(fmt::format("{}: got {}; wanted {}", where(program), count_text(leaves.size()),
                                          count_text(program.function.inputs.size()))));
  }
  std::vector<Array> operands;
  for (size_t i = 0; i < leaves.size(); ++i) operands.push_back(checked_argument(program, i, leaves[i]));
  std::vector<Array> results = program.function.run(operands);
  for (Array& result : results) result = with_weak_type(result, false);
  return results;
}

void check_result(const LoadedProgram& program, size_t leaves) {
  if (leaves == program.function.outputs.size()) return;
  const TransformationLocation here(program.location);
  or_throw(invalid_argument(
      fmt::format("{}: the program gives {}; its C++ result holds {}. Hint: load<Result>(path), "
                  "where Result is a tree with that number of arrays; std::vector<Array> takes any number",
                  where(program), count_text(program.function.outputs.size()), count_text(leaves))));
}

const std::string& name_of(const LoadedProgram& program) { return program.name; }
const std::vector<LoadedValue>& inputs_of(const LoadedProgram& program) { return program.function.inputs; }
const std::vector<LoadedValue>& outputs_of(const LoadedProgram& program) { return program.function.outputs; }

void append(std::vector<Array>& leaves, const FlatTree& tree) {
  leaves.insert(leaves.end(), tree.leaves.begin(), tree.leaves.end());
}

}  // namespace load_detail

}  // namespace hilo
