// SPDX-License-Identifier: Apache-2.0
// tools/hilo/check.cc -- `hilo check FILE`: runs MLIR programs that contain their own checks.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/import/program.h"
#include "hilo/stablehlo/bytecode/reader.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/text/reader.h"
#include "tools/hilo/command.h"
#include "tools/hilo/compare.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/jax_flags.h"
#include "tools/hilo/whole_program.h"

namespace hilo::tool {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::string engine;
};

struct Tally {
  int64_t passed = 0, failed = 0, skipped = 0;
  size_t file = 0, files = 0;
  bool terminal = false;

  void show(const std::string& name) const {
    if (terminal) std::fprintf(stderr, "\r\x1b[K%zu/%zu %s", file, files, printable(name.substr(0, 100)).c_str());
  }
  void add(const std::string& name, const Status& status) {
    if (terminal) std::fprintf(stderr, "\r\x1b[K");
    ++(status.ok() ? passed : failed);
    if (!status.ok()) std::printf("failed %s\n", printable(name + ": " + status.to_string()).c_str());
  }
};

/// Returns all elements of a dense attribute; a splat is expanded.
Literal all_elements(const stablehlo::ModuleTree& tree, const stablehlo::Attribute& value) {
  const std::vector<int64_t>& dimensions = tree.types[value.type].dimensions;
  if (!value.literal->shape().is_scalar() || dimensions.empty()) return *value.literal;
  Literal all(Shape::array(value.literal->shape().element_type(), dimensions));
  const std::span<const std::byte> one = value.literal->bytes();
  const std::span<std::byte> bytes = all.mutable_bytes();
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = one[i % one.size()];
  return all;
}

/// Returns the arguments of main from a comment of the file for MLIR's interpreter: --args="[dense<1> :
/// tensor<2xi32>]".
StatusOr<std::vector<Literal>> recorded_arguments(std::string_view text, const std::string& path) {
  constexpr std::string_view kOption = "--interpret --args=\"";
  std::vector<Literal> arguments;
  const size_t found = text.find(kOption);
  if (found == std::string_view::npos) return arguments;
  const size_t begin = found + kOption.size(), end = text.find('"', begin);
  const std::string module =
      fmt::format("module attributes {{args = {}}} {{}}", text.substr(begin, end == text.npos ? end : end - begin));
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_text(module, path + " --args"));
  const stablehlo::Attribute* const list = tree.find(tree.operations[0], "args");
  if (list == nullptr || list->kind != stablehlo::AttributeKind::kArray)
    return invalid_argument("--args isn't a list of dense elements");
  for (const stablehlo::AttributeId id : list->elements) {
    const stablehlo::Attribute& value = tree.attributes[id];
    if (!value.literal) return invalid_argument("--args isn't a list of dense elements");
    arguments.push_back(all_elements(tree, value));
  }
  return arguments;
}

/// Compiles and runs a function, and performs its checks.
Status run_function(const stablehlo::ModuleTree& tree, const std::string& function,
                    std::span<const Literal> arguments) {
  std::vector<stablehlo::Check> checks;
  HILO_ASSIGN_OR_RETURN(hlo::Module module, stablehlo::translate(tree, {.function = function, .checks = &checks}));
  HILO_ASSIGN_OR_RETURN(const LocalComputation computation, compile_whole(std::move(module)));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::vector<Literal>> results, run_whole(computation, arguments));
  for (const stablehlo::Check& check : checks) {
    for (const std::vector<Literal>& own : results) {  // for each replica
      const Difference found = difference(check, own[check.actual], own[check.expected]);
      if (found.found) return failed_precondition(found.text);
    }
  }
  return ok_status();
}

/// Returns main, or all functions without arguments.
std::vector<std::string> functions_to_run(const stablehlo::ModuleTree& tree) {
  std::vector<std::string> names;
  for (const stablehlo::FunctionInfo& function : stablehlo::functions_of(tree)) {
    if (function.name == "main") return {"main"};
    if (function.is_public && function.argument_count == 0) names.push_back(function.name);
  }
  return names;
}

void check_part(std::string_view text, const std::string& path, std::pair<size_t, size_t> part, bool sole,
                Tally& tally) {
  StatusOr<stablehlo::ModuleTree> tree = stablehlo::is_bytecode(text)
                                             ? stablehlo::read_bytecode(text, path)
                                             : stablehlo::read_text(text, path, part.first, part.second);
  if (!tree.ok()) return tally.add(path, tree.status());
  const StatusOr<std::vector<Literal>> arguments =
      stablehlo::is_bytecode(text) ? std::vector<Literal>()
                                   : recorded_arguments(text.substr(part.first, part.second - part.first), path);
  if (!arguments.ok()) return tally.add(path, arguments.status());
  for (const std::string& function : functions_to_run(*tree)) {
    if (interrupted()) return;
    const std::string name = sole && function == "main" ? path : fmt::format("{} @{}", path, function);
    tally.show(name);
    tally.add(name, run_function(*tree, function, function == "main" ? *arguments : std::vector<Literal>()));
  }
}

Status check_files(const CheckOptions& options) {
  HILO_RETURN_IF_ERROR(choose_engine(options.engine));
  HILO_RETURN_IF_ERROR(offer_replicas());
  Tally tally;
  tally.files = options.files.size();
  tally.terminal = ::isatty(STDERR_FILENO) == 1;
  for (const std::string& path : options.files) {
    ++tally.file;
    const int64_t before = tally.passed + tally.failed;
    StatusOr<std::string> text = read_program_bytes(path);
    if (!text.ok()) {
      tally.add(path, text.status());
      continue;
    }
    const bool binary = stablehlo::is_bytecode(*text);
    const auto parts =
        binary ? std::vector<std::pair<size_t, size_t>>{{0, text->size()}} : stablehlo::split_text(*text);
    for (const auto& part : parts) check_part(*text, path, part, parts.size() == 1, tally);
    if (interrupted()) break;
    if (tally.passed + tally.failed == before)
      tally.add(path, invalid_argument("nothing to check: got no function that runs by itself; wanted @main, or public "
                                       "functions without arguments"));
  }
  HILO_RETURN_IF_ERROR(
      write_result("", fmt::format("{} passed, {} failed, {} skipped\n", tally.passed, tally.failed, tally.skipped)));
  if (interrupted()) return cancelled("interrupted");
  if (tally.failed != 0)
    return failed_precondition(fmt::format("{} of {} functions failed", tally.failed, tally.failed + tally.passed));
  return ok_status();
}

}  // namespace

Command add_check(CLI::App& parent) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* app =
      parent.add_subcommand("check", "Run MLIR programs that test themselves with check.expect_* operations");
  app->add_option("FILE", options->files, "StableHLO as text (parts are separated by '// -----') or bytecode")
      ->required();
  app->add_option("--engine", options->engine,
                  "Engine: cpu or reference. Default: the flag jax_platform_name, else cpu")
      ->check(CLI::IsMember({"cpu", "reference"}));
  add_jax_flags(*app);
  return {app, [options] { return check_files(*options); }};
}

}  // namespace hilo::tool
