// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/object.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "hilo/client/object_under_flags.h"
#include "hilo/device/program_signature.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/import/casadi_object.h"
#include "hilo/import/load.h"
#include "hilo/import/program.h"
#include "hilo/import/with_gradients.h"
#include "hilo/stablehlo/jax_export.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/vmap.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

using Arrays = std::vector<Array>;

/// A program and the names of its leaves; empty for names that only number them.
struct NamedProgram {
  hlo::Module module;
  std::vector<std::string> arguments, results;
};

/// Whether readers made the name up: "3", "arg3", "Arg_3.4", "parameter.3".
bool is_number(std::string_view name) {
  for (const std::string_view prefix : {"parameter", "param", "arg", "Arg", "p"}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  return name.find_first_not_of("0123456789._") == std::string_view::npos;
}

std::vector<std::string> names_of(const std::vector<LoadedValue>& values) {
  std::vector<std::string> names;
  for (const LoadedValue& value : values) names.push_back(value.name);
  return std::ranges::all_of(names, is_number) ? std::vector<std::string>() : names;
}

/// Names the leaves that have none as the header would.
std::string name_or_number(const std::vector<std::string>& names, std::string_view letter, size_t k, size_t count) {
  if (!names.empty()) return names[k];
  return count == 1 ? std::string(letter) : fmt::format("{}{}", letter, k);
}

/// Returns the types of the arguments; those of unknown sizes are in the options.
StatusOr<std::vector<Aval>> avals_of(const LoadedFunction<Arrays>& program, const ArgumentOptions& options) {
  std::vector<Aval> avals;
  for (size_t k = 0; k < program.inputs().size(); ++k) {
    Shape shape = program.inputs()[k].shape;
    if (k < options.shapes.size()) {
      HILO_ASSIGN_OR_RETURN(shape, hlo::parse_shape(options.shapes[k]));
    }
    if (!shape.is_array())
      return invalid_argument(
          fmt::format("{}: argument {} has type {} with unknown sizes. Hint: --shape f32[7] for "
                      "each argument, in order",
                      program.name(), k, program.inputs()[k].type));
    avals.push_back({shape, false});
  }
  return avals;
}

bool for_casadi(const ObjectCommand& command) { return command.abi == "casadi"; }

/// Loads the program as a function and transforms it. CasADi's derivatives are in forward mode, too.
StatusOr<NamedProgram> transformed(const std::string& file, const std::string& function,
                                   const ArgumentOptions& arguments, const ObjectCommand& command) {
  const auto program = load<Arrays>(file, {.function = function, .use_vjp = !for_casadi(command)});
  const bool differentiates = !command.gradients.empty();
  if (differentiates) {
    HILO_RETURN_IF_ERROR(
        check_gradients(program.inputs(), program.outputs(), command.gradients, "--grad", program.name()));
  }
  HILO_ASSIGN_OR_RETURN(std::vector<Aval> avals, avals_of(program, arguments));
  const FlatFunction alone = [&](std::span<const Array> all) { return program(Arrays(all.begin(), all.end())); };
  const FlatFunction wanted = differentiates ? with_gradients(alone, command.gradients) : alone;
  const auto one = [&](const Arrays& all) { return wanted(all); };
  NamedProgram named{{}, names_of(program.inputs()), names_of(program.outputs())};
  if (differentiates) {
    for (size_t k = 0, count = program.outputs().size(); named.results.size() < count; ++k)
      named.results.push_back(name_or_number({}, "y", k, count));
    for (int64_t number : command.gradients)
      named.results.push_back("grad " +
                              name_or_number(named.arguments, "x", static_cast<size_t>(number), avals.size()));
  }
  for (Aval& aval : avals) {
    if (command.batch == 0) continue;
    std::vector<int64_t> dimensions(aval.shape.dimensions().begin(), aval.shape.dimensions().end());
    dimensions.insert(dimensions.begin(), command.batch);
    HILO_ASSIGN_OR_RETURN(aval.shape, Shape::make_array(aval.shape.element_type(), dimensions));
  }
  const auto whole = [&](std::span<const Array> leaves) {
    const Arrays all(leaves.begin(), leaves.end());
    return command.batch == 0 ? one(all) : vmap(one)(all);
  };
  named.module.name = program.name();
  named.module.entry = stage(whole, avals, "compile", program.name(), CapturePlace::kNone).computation;
  return named;
}

StatusOr<NamedProgram> read_named(const std::string& file, const std::string& function,
                                  const ArgumentOptions& arguments, const ObjectCommand& command) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_program_bytes(file));
  if (!command.gradients.empty() || command.batch != 0 || for_casadi(command) || stablehlo::is_jax_export(bytes)) {
    try {
      return transformed(file, function, arguments, command);
    } catch (const Error& error) {
      return error.status();
    }
  }
  NamedProgram program;
  HILO_ASSIGN_OR_RETURN(program.module, read_program(file, function, argument_shapes(arguments)));
  std::vector<std::string> names = signature_of(program.module).argument_names;
  if (!std::ranges::all_of(names, is_number)) program.arguments = std::move(names);
  return program;
}

StatusOr<ObjectFiles> files_of(const hlo::Module& module, const ObjectOptions& options, const ObjectCommand& command) {
  if (!for_casadi(command)) return object_under_flags(module, options);
  try {
    return casadi_object(module, options);
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace

void add_object_options(CLI::App& app, ObjectCommand& command) {
  app.add_option("--name", command.name, "Of an object: name of the C function. Default: the name of the output file")
      ->type_name("NAME");
  app.add_option(
         "--target", command.target,
         "Of an object: the processor, x86-64:v2, x86-64:v3, x86-64:v4, several of them, "
         "x86-64:v2,v3,v4, among which the first call chooses, or aarch64. Default: the instructions of this machine")
      ->type_name("TARGET");
  app.add_option("--runtime", command.runtime,
                 "Of an object: what it links: none, which is the C library's memcpy, memmove, memset and libm, or rt, "
                 "which is libhilo_rt.a too: sorts, scatters, convolutions, Fourier transforms, linear algebra")
      ->check(CLI::IsMember({"none", "rt"}));
  app.add_option(
         "--abi", command.abi,
         "Of an object: hilo, or casadi: with functions that CasADi's external() looks up, of doubles, and their "
         "sparse first and second derivatives")
      ->check(CLI::IsMember({"hilo", "casadi"}));
  app.add_option("--grad", command.gradients,
                 "Of an object: add the gradients of the first result, a scalar, with respect to these arguments: 0,2")
      ->delimiter(',')
      ->type_name("NUMBERS");
  app.add_option("--vmap", command.batch,
                 "Of an object: compute a batch of this size: all arrays get a first dimension")
      ->check(CLI::PositiveNumber)
      ->type_name("SIZE");
  app.add_flag("--exact", command.exact,
               "Of an object: compute the same bits for all targets, without fused multiply-adds: slower");
  app.add_flag(
      "--realtime", command.realtime,
      "Of an object: reject loops whose number of turns isn't known before a call, and print the work of a call");
  app.add_flag("--test", command.test,
               "Of an object: write a C program that calls the function on the arguments of --input and --random and "
               "compares the "
               "results");
}

Status refuse_object_options(const ArgumentOptions& arguments, const ObjectCommand& command) {
  const bool used = !arguments.inputs.empty() || arguments.seed || !command.name.empty() || !command.target.empty() ||
                    !command.gradients.empty() || command.batch != 0 || command.abi != "hilo" || command.exact ||
                    command.realtime || command.test || command.runtime != "none";
  return used ? invalid_argument("compile: an option of objects; wanted --to object with it") : ok_status();
}

Status write_object(const std::string& file, const std::string& function, const std::string& path,
                    const ArgumentOptions& arguments, const ObjectCommand& command) {
  HILO_ASSIGN_OR_RETURN(NamedProgram program, read_named(file, function, arguments, command));
  ObjectOptions options{.name = command.name,
                        .target = command.exact ? "exact:" + command.target : command.target,
                        .runtime = command.runtime == "rt" ? ObjectRuntime::kLibrary : ObjectRuntime::kNone,
                        .argument_paths = std::move(program.arguments),
                        .result_paths = std::move(program.results),
                        .realtime = command.realtime,
                        .test = command.test};
  if (options.name.empty()) options.name = std::filesystem::path(path).filename().string();
  if (command.test) {
    ArgumentOptions values = arguments;
    if (!values.seed) values.seed = 1;
    HILO_ASSIGN_OR_RETURN(options.test_arguments,
                          read_arguments(values, program.module.name, signature_of(program.module).argument_shapes));
  }
  HILO_ASSIGN_OR_RETURN(const ObjectFiles files, files_of(program.module, options, command));
  if (command.realtime) HILO_RETURN_IF_ERROR(write_result("", files.work + "\n"));
  return write_object_files(files, path);
}

}  // namespace hilo::tool
