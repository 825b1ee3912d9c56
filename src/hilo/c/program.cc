// SPDX-License-Identifier: Apache-2.0
// c/program.cc -- loads programs and describes their arrays.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/c/guarded.h"
#include "hilo/c/handles.h"
#include "hilo/c/staged.h"
#include "hilo/c/struct_size.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/import/callable.h"
#include "hilo/import/program.h"
#include "hilo/import/write_program.h"

namespace hilo::c {
namespace {

using Arrays = std::vector<Array>;
using ProgramPtr = std::shared_ptr<Program>;

/// Starts a program that was compiled and saved.
StatusOr<ProgramPtr> saved_program(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<Executable> executable, client->load(bytes));
  auto program = std::make_shared<Program>();
  program->name = executable->name();
  const ProgramSignature& signature = executable->signature();
  for (size_t k = 0; k < signature.argument_shapes.size(); ++k)
    program->arguments.push_back(loaded_value(signature.argument_names[k], signature.argument_shapes[k]));
  program->results = outputs_of(signature.result_shape);
  program->executable = std::move(executable);
  return program;
}

/// Replaces open sizes by those of the options.
Status close_sizes(Program& program, const hilo_load_options& options) {
  if (options.shape_count == 0) return ok_status();
  if (options.shapes == nullptr) return null_parameter("hilo_load_options", "shapes");
  if (options.shape_count != program.arguments.size())
    return invalid_argument(fmt::format("{}: got {} shapes; wanted one for each of {} arguments", program.name,
                                        options.shape_count, program.arguments.size()));
  for (size_t k = 0; k < options.shape_count; ++k) {
    if (options.shapes[k] == nullptr) return null_parameter("hilo_load_options", fmt::format("shapes[{}]", k));
    HILO_ASSIGN_OR_RETURN(const Shape shape, hlo::parse_shape(options.shapes[k]));
    if (!shape.is_array()) return invalid_argument(fmt::format("shapes[{}]: got {}", k, shape.to_string()));
    program.arguments[k] = loaded_value(program.arguments[k].name, shape);
  }
  const std::vector<LoadedValue> open = std::move(program.results);
  HILO_ASSIGN_OR_RETURN(program.results, results_of(program));
  for (size_t k = 0; k < open.size(); ++k) program.results[k].name = open[k].name;
  return ok_status();
}

StatusOr<ProgramPtr> readable_program(std::string bytes, const std::string& source, const hilo_load_options& options) {
  const LoadOptions load = {.function = options.function == nullptr ? "" : options.function};
  const LoadedFunction<Arrays> function(load_detail::read_bytes(std::move(bytes), source, load, {}));
  auto program = std::make_shared<Program>();
  program->name = function.name();
  program->arguments = function.inputs();
  program->results = function.outputs();
  program->run = [function](std::span<const Array> leaves) { return function(Arrays(leaves.begin(), leaves.end())); };
  HILO_RETURN_IF_ERROR(close_sizes(*program, options));
  return program;
}

StatusOr<ProgramPtr> program_of(std::string bytes, const std::string& source, const hilo_load_options& options) {
  if (!cpu::is_saved_program(bytes)) return readable_program(std::move(bytes), source, options);
  if (options.function != nullptr || options.shape_count != 0)
    return invalid_argument(source + ": a compiled program has one function and known sizes; got options for another");
  return saved_program(bytes);
}

StatusOr<std::string> read_any(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(std::optional<std::string> saved, cpu::read_saved(path));
  if (saved) return *std::move(saved);
  return read_program_bytes(path);
}

Status describe(const std::vector<LoadedValue>& values, size_t index, std::string_view what, hilo_array* array) {
  if (array == nullptr) return null_parameter(what, "array");
  if (index >= values.size())
    return out_of_range(fmt::format("{}: got index {}; the program has {}", what, index, values.size()));
  return write_struct(described(values[index]), array, "hilo_array");
}

/// Returns the computation that this one only calls: on its parameters, for its results. Null if it does anything else.
hlo::ComputationPtr only_called(const hlo::Computation& computation) {
  const hlo::Instruction* call = nullptr;
  for (const hlo::Instruction& i : computation.instructions()) {
    if (i.opcode == hlo::Opcode::kCall && call == nullptr) call = &i;
    else if (i.opcode != hlo::Opcode::kParameter && i.opcode != hlo::Opcode::kGetTupleElement &&
             i.opcode != hlo::Opcode::kTuple)
      return nullptr;
  }
  if (call == nullptr || !std::ranges::equal(call->operands, computation.parameters())) return nullptr;
  const hlo::Instruction& root = computation.root();
  const hlo::ComputationPtr called = hlo::called_computations(*call)[0];
  if (&root == call) return called;
  if (root.opcode != hlo::Opcode::kTuple || root.shape != call->shape) return nullptr;
  for (size_t k = 0; k < root.operands.size(); ++k) {
    const hlo::Instruction& element = computation.instruction(root.operands[k]);
    if (element.opcode != hlo::Opcode::kGetTupleElement || element.operands[0] != call->id ||
        hlo::attributes_of<hlo::GetTupleElementAttributes>(element).index != static_cast<int64_t>(k))
      return nullptr;
  }
  return called;
}

StatusOr<std::string> written(const Program& program, std::string_view name) {
  const std::optional<ProgramFormat> format = program_format(name);
  if (!format)
    return invalid_argument(
        fmt::format("hilo_program_write: got format '{}'; wanted hlo, proto, stablehlo or bytecode", name));
  hlo::Module module;
  module.name = program.name;
  HILO_ASSIGN_OR_RETURN(module.entry, staged(program));
  // Programs of files are called by the trace.
  while (hlo::ComputationPtr called = only_called(*module.entry)) module.entry = std::move(called);
  return write_program(std::move(module), *format);
}

}  // namespace

hilo_array described(const LoadedValue& value) {
  hilo_array array = {};
  array.path = value.name.c_str();
  array.text = value.type.c_str();
  if (!value.shape.is_array()) return array;  // its sizes are open
  array.type = element_type_info(value.shape.element_type()).proto_value;
  array.rank = static_cast<int32_t>(value.shape.rank());
  array.dimensions = value.shape.dimensions().data();
  array.bytes = static_cast<size_t>(value.shape.byte_size());
  array.alignment = static_cast<size_t>(element_size_bytes(value.shape.element_type()));
  return array;
}

extern "C" {

int hilo_load(const char* path, const hilo_load_options* options, hilo_program** program, char** error) {
  return guarded(error, [&]() -> Status {
    if (program == nullptr) return null_parameter("hilo_load", "program");
    *program = nullptr;
    if (path == nullptr) return null_parameter("hilo_load", "path");
    HILO_ASSIGN_OR_RETURN(const hilo_load_options own, read_struct(options, "hilo_load_options"));
    HILO_ASSIGN_OR_RETURN(std::string bytes, read_any(path));
    HILO_ASSIGN_OR_RETURN(ProgramPtr loaded, program_of(std::move(bytes), path, own));
    *program = new hilo_program{std::move(loaded)};
    return ok_status();
  });
}

int hilo_load_bytes(const void* bytes, size_t count, const char* source, const hilo_load_options* options,
                    hilo_program** program, char** error) {
  return guarded(error, [&]() -> Status {
    if (program == nullptr) return null_parameter("hilo_load_bytes", "program");
    *program = nullptr;
    if (bytes == nullptr) return null_parameter("hilo_load_bytes", "bytes");
    HILO_ASSIGN_OR_RETURN(const hilo_load_options own, read_struct(options, "hilo_load_options"));
    HILO_ASSIGN_OR_RETURN(ProgramPtr loaded, program_of(std::string(static_cast<const char*>(bytes), count),
                                                        source == nullptr ? "program" : source, own));
    *program = new hilo_program{std::move(loaded)};
    return ok_status();
  });
}

void hilo_program_free(hilo_program* program) { delete program; }

const char* hilo_program_name(const hilo_program* program) {
  return program == nullptr ? nullptr : program->program->name.c_str();
}

size_t hilo_argument_count(const hilo_program* program) {
  return program == nullptr ? 0 : program->program->arguments.size();
}

size_t hilo_result_count(const hilo_program* program) {
  return program == nullptr ? 0 : program->program->results.size();
}

int hilo_argument(const hilo_program* program, size_t index, hilo_array* array, char** error) {
  return guarded(error, [&] {
    if (program == nullptr) return null_parameter("hilo_argument", "program");
    return describe(program->program->arguments, index, "hilo_argument", array);
  });
}

int hilo_result(const hilo_program* program, size_t index, hilo_array* array, char** error) {
  return guarded(error, [&] {
    if (program == nullptr) return null_parameter("hilo_result", "program");
    return describe(program->program->results, index, "hilo_result", array);
  });
}

int hilo_program_write(const hilo_program* program, const char* format, char** bytes, size_t* count, char** error) {
  return guarded(error, [&]() -> Status {
    if (bytes == nullptr) return null_parameter("hilo_program_write", "bytes");
    *bytes = nullptr;
    if (count == nullptr) return null_parameter("hilo_program_write", "count");
    if (program == nullptr) return null_parameter("hilo_program_write", "program");
    if (format == nullptr) return null_parameter("hilo_program_write", "format");
    HILO_ASSIGN_OR_RETURN(const std::string all, written(*program->program, format));
    *bytes = c_copy(all);
    if (*bytes == nullptr) return resource_exhausted("hilo_program_write: out of memory");
    *count = all.size();
    return ok_status();
  });
}

void hilo_bytes_free(char* bytes) { std::free(bytes); }

}  // extern "C"

}  // namespace hilo::c
