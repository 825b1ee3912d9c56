// SPDX-License-Identifier: Apache-2.0
// tools/hilo/bisect.cc -- `hilo bisect FILE`: finds the first op for which the engine and the reference differ.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/import/program.h"
#include "hilo/inspect/bisect/bisect.h"
#include "hilo/io/npy.h"
#include "hilo/types/literal_leaves.h"
#include "tools/hilo/arguments.h"
#include "tools/hilo/command.h"
#include "tools/hilo/interrupt.h"

namespace hilo::tool {
namespace {

constexpr int64_t kMaxElementsInText = 4096;  // maximum number of elements of a value in the reduced program's text

struct BisectOptions {
  std::string file, function, output;
  ArgumentOptions arguments;
};

/// The CPU engine. It caches the last program, because a loop runs it repeatedly.
class CpuEngine {
 public:
  StatusOr<std::vector<Literal>> operator()(const hlo::Module& module, const std::vector<Literal>& arguments) {
    if (executable_ == nullptr || compiled_ != module.entry) HILO_RETURN_IF_ERROR(compile(module));
    std::vector<BufferPtr> buffers, results(executable_->result_shapes().size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Shape& shape = executable_->argument_shapes()[i];
      HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(*executable_->devices()[0], arguments[i], shape));
      buffers.push_back(std::move(buffer));
    }
    ExecuteOptions options;
    options.cancellation = &interrupt_token();
    HILO_RETURN_IF_ERROR(executable_->execute(buffers, results, options));
    std::vector<Literal> literals;
    for (const BufferPtr& result : results) {
      HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_buffer(*result));
      literals.push_back(std::move(literal));
    }
    return literals;
  }

 private:
  Status compile(const hlo::Module& module) {
    executable_ = nullptr;
    HILO_ASSIGN_OR_RETURN(const ClientPtr client, make_platform_client("Host", {}));
    HILO_ASSIGN_OR_RETURN(executable_, client->compile(module, {}, nullptr));
    compiled_ = module.entry;
    return ok_status();
  }

  hlo::ComputationPtr compiled_;
  std::unique_ptr<Executable> executable_;
};

/// Reads the program and its arguments. Other parts of the module don't affect results.
StatusOr<hlo::Invocation> read_invocation(const BisectOptions& options) {
  HILO_ASSIGN_OR_RETURN(hlo::Module module,
                        read_program(options.file, options.function, argument_shapes(options.arguments)));
  HILO_RETURN_IF_ERROR(hlo::normalize_layouts(module).status());
  hlo::Invocation program;
  program.module.name = module.name;
  program.module.entry = module.entry;
  std::vector<Shape> leaves;
  for (const Shape& parameter : module.entry->parameter_shapes()) {
    for (const Shape& leaf : parameter.leaves()) leaves.push_back(leaf);
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> values, read_arguments(options.arguments, module.name, leaves));
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (values[i].shape().compatible(leaves[i])) continue;
    return invalid_argument(fmt::format("{}: argument {}; got {}; wanted {}", module.name, i,
                                        values[i].shape().to_string(), leaves[i].to_string()));
  }
  size_t next = 0;
  for (const Shape& parameter : module.entry->parameter_shapes())
    program.arguments.push_back(packed(parameter, values, next));
  return program;
}

bool is_small(const Literal& value) { return value.shape().element_count() <= kMaxElementsInText; }

/// Returns whether the value can't be saved as .npy, so that the program's text must contain it.
bool has_no_npy(const Literal& value) { return !io::npy_bytes(Literal(value.shape().with_dimensions({}))).ok(); }

/// Writes the program, and the other values as FILE.inputN.npy in the same folder. Returns the command that runs it
/// again.
StatusOr<std::string> write_reduced(const std::string& path, const hlo::Invocation& program) {
  std::string command = "hilo bisect " + path;
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const std::string file = fmt::format("{}.input{}.npy", path, i);
    HILO_RETURN_IF_ERROR(io::write_npy(file, program.arguments[i]));
    command += " --input " + file;
  }
  HILO_RETURN_IF_ERROR(write_file_atomic(path, hlo::print_module(program.module)));
  return command;
}

std::string parting_text(const hlo::Bisection& found) {
  const hlo::Parting& parting = *found.parting;
  std::string text = parting.op.empty() ? "the engines differ on the program as a whole\n"
                                        : fmt::format("the engines differ at {}\n", parting.op);
  for (const std::string& place : parting.path) text += fmt::format("  in {}\n", place);
  text += fmt::format("  {}\n", parting.difference);
  for (size_t k = 0; k < parting.operands.size(); ++k)
    text += fmt::format("  operand {} = {}\n", k, parting.operands[k]);
  if (parting.together) {
    text += fmt::format(
        "  No op{} differs by itself: the fused code of several ops differs, or rounding errors accumulate.\n",
        parting.op.empty() ? "" : " that this one calls");
  } else if (!parting.alone) {
    text += "  By itself this op agrees: it differs only together with the ops around it.\n";
  }
  return text + fmt::format("{} ops before it agree\n", found.agreed);
}

/// Returns the first form of the reduced program that still differs after it is written and read: with small values in
/// its text, or with as few as possible.
StatusOr<hlo::Invocation> readable(const hlo::Bisection& found, const hlo::EngineFunction& engine,
                                   const hlo::CompareOptions& options) {
  const auto in_text = [](const Literal& value) { return is_small(value) || has_no_npy(value); };
  HILO_ASSIGN_OR_RETURN(hlo::Invocation program, hlo::with_constants(found.reduced, in_text));
  if (!hlo::disagreement(program, engine, options).empty()) return program;
  return hlo::with_constants(found.reduced, has_no_npy);
}

Status report(const BisectOptions& options, const hlo::Bisection& found, const hlo::EngineFunction& engine,
              const hlo::CompareOptions& compare) {
  std::string text = parting_text(found);
  if (found.reduced_difference.empty()) {
    text += "no reduced program: the engines differ only if every value of the program is a result\n";
    return write_result("", text);
  }
  HILO_ASSIGN_OR_RETURN(const hlo::Invocation small, readable(found, engine, compare));
  text += fmt::format("reduced to {} ops: {}\n", hlo::op_count(*found.reduced.module.entry), found.reduced_difference);
  if (!options.output.empty()) {
    HILO_ASSIGN_OR_RETURN(const std::string command, write_reduced(options.output, small));
    text += command + "\n";
  } else if (small.arguments.empty()) {
    text += "\n" + hlo::print_module(small.module);
  } else {
    text += "Hint: --output REDUCED.hlo writes it with its arguments\n";
  }
  return write_result("", text);
}

hlo::CompareOptions compare_options() {
  hlo::CompareOptions options;
  options.cancel_word = interrupt_token().word();
  if (::isatty(STDERR_FILENO) != 1) return options;
  options.progress = [](std::string_view what, int64_t done, int64_t of) {
    const std::string count = of < 0 ? fmt::format("{}", done) : fmt::format("{}/{}", done, of);
    std::fprintf(stderr, "\r\x1b[K%s %s", printable(what.substr(0, 60)).c_str(), count.c_str());
  };
  return options;
}

Status run_bisect(const BisectOptions& options) {
  HILO_ASSIGN_OR_RETURN(const hlo::Invocation program, read_invocation(options));
  const hlo::CompareOptions compare = compare_options();
  CpuEngine cpu;
  const hlo::EngineFunction engine = std::ref(cpu);
  const StatusOr<hlo::Bisection> found = hlo::bisect(program, engine, compare);
  if (compare.progress) std::fprintf(stderr, "\r\x1b[K");
  if (!found.ok()) return found.status();
  if (interrupted()) return cancelled("interrupted");
  if (!found->parting) {
    const std::string rest =
        found->not_compared == 0
            ? ""
            : fmt::format("; not compared, because of effects or without arrays: {}", found->not_compared);
    return write_result(
        "", fmt::format("engines agree on {} op{}{}\n", found->agreed, found->agreed == 1 ? "" : "s", rest));
  }
  HILO_RETURN_IF_ERROR(report(options, *found, engine, compare));
  return failed_precondition(fmt::format("{}: the engines cpu and reference differ{}", options.file,
                                         found->parting->op.empty() ? "" : " at " + found->parting->op));
}

}  // namespace

Command add_bisect(CLI::App& parent) {
  auto options = std::make_shared<BisectOptions>();
  CLI::App* app = parent.add_subcommand(
      "bisect",
      "Find the first op whose results differ between the engines cpu and reference, and reduce the program to it");
  app->add_option("FILE", options->file, "HLO text, HloModuleProto, StableHLO, or a file of jax.export")->required();
  app->add_option("--function", options->function,
                  "Function of an MLIR module. Default: main, or the only public function")
      ->type_name("NAME");
  add_argument_options(*app, options->arguments);
  app->add_option("-o,--output", options->output,
                  "Write the reduced program to this file, and large arguments to FILE.inputN.npy. Default: stdout")
      ->type_name("FILE");
  app->footer(
      "Exit code 0: the engines agree. 1: they differ, or the program can't be run.\nEach op is compared on the "
      "operands that the cpu engine computed. A program with collectives runs as a single replica.");
  return {app, [options] { return run_bisect(*options); }};
}

}  // namespace hilo::tool
