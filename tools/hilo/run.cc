// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/client/compile.h"
#include "hilo/client/debug_dumps.h"
#include "hilo/client/platforms.h"
#include "hilo/io/npy.h"
#include "tools/hilo/command.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/random_input.h"

namespace hilo::tool {
namespace {

constexpr int64_t kShownElements = 16;  // of each result
using Clock = std::chrono::steady_clock;

struct RunOptions {
  std::string file;
  std::vector<std::string> inputs;
  std::optional<uint64_t> seed;
  std::string output_dir;
  std::string engine;
  int64_t repeat = 1;
};

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// What the flags ask for and this version does not do.
Status check_supported(const FlagValues& flags) {
  if (flags.jax_xla_backend != "xla") return unimplemented("jax_xla_backend: xrt is not implemented; wanted xla");
  if (flags.jax_backend_target != "local") {
    return unimplemented("jax_backend_target: remote targets are not implemented; wanted local");
  }
  if (flags.jax_replica_count != 1) {
    return unimplemented(
        fmt::format("jax_replica_count: got {}; wanted 1, more is not implemented", flags.jax_replica_count));
  }
  if (flags.jax_hlo_profile) return unimplemented("jax_hlo_profile: profiles are not implemented");
  return ok_status();
}

StatusOr<Backend*> chosen_backend(const RunOptions& options, const FlagValues& flags) {
  if (options.engine == "reference") return backend_for_platform("Reference");
  if (options.engine == "cpu" || flags.jax_platform_name.empty()) return backend_for_platform("Host");
  return backend_for_platform(flags.jax_platform_name);
}

Status check_interrupted() { return interrupted() ? cancelled("interrupted") : ok_status(); }

/// The arguments' buffers: the files in order, the rest from the seed.
StatusOr<std::vector<BufferPtr>> read_arguments(const RunOptions& options, const Executable& program) {
  const std::span<const Shape> shapes = program.argument_shapes();
  if (options.inputs.size() > shapes.size() || (options.inputs.size() < shapes.size() && !options.seed)) {
    return invalid_argument(
        fmt::format("{}: got {} arguments; wanted {}. Hint: --input a.npy for each, or --random SEED for the rest",
                    program.name(), options.inputs.size(), shapes.size()));
  }
  std::vector<BufferPtr> arguments;
  for (size_t i = 0; i < shapes.size(); ++i) {
    HILO_RETURN_IF_ERROR(check_interrupted());
    StatusOr<Literal> literal =
        i < options.inputs.size() ? io::read_npy(options.inputs[i]) : random_argument(shapes[i], *options.seed, i);
    if (!literal.ok()) return literal.status();
    HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(*literal));
    arguments.push_back(std::move(buffer));
  }
  return arguments;
}

std::string times_text(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  if (times.size() == 1) return fmt::format("ran in {:.3f} ms", times[0]);
  return fmt::format("ran {} times, fastest {:.3f} ms, median {:.3f} ms", times.size(), times[0],
                     times[times.size() / 2]);
}

Status show_results(const RunOptions& options, std::span<const BufferPtr> results) {
  std::string text;
  if (!options.output_dir.empty()) HILO_RETURN_IF_ERROR(make_directories(options.output_dir));
  for (size_t i = 0; i < results.size(); ++i) {
    HILO_RETURN_IF_ERROR(check_interrupted());
    HILO_ASSIGN_OR_RETURN(const Literal literal, literal_from_buffer(*results[i]));
    text += fmt::format("out{} = {}\n", i, literal.to_string(kShownElements));
    if (options.output_dir.empty()) continue;
    const std::string path = fmt::format("{}/out{}.npy", options.output_dir, i);
    HILO_RETURN_IF_ERROR(io::write_npy(path, literal));
  }
  return write_result("", text);
}

Status run_program(const RunOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  HILO_RETURN_IF_ERROR(check_supported(*values));
  HILO_ASSIGN_OR_RETURN(const hlo::Module module, read_program(options.file));
  HILO_RETURN_IF_ERROR(check_interrupted());
  HILO_ASSIGN_OR_RETURN(Backend* const backend, chosen_backend(options, *values));
  const Clock::time_point begin = Clock::now();
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program,
                        compile_observed(*backend, module, compile_options(*values)));
  const double compile_milliseconds = milliseconds_since(begin);
  HILO_ASSIGN_OR_RETURN(const std::vector<BufferPtr> arguments, read_arguments(options, *program));

  std::vector<BufferPtr> results(program->result_shapes().size());
  std::vector<double> times;
  ExecuteOptions execute;
  execute.cancellation = &interrupt_token();
  for (int64_t i = 0; i < options.repeat; ++i) {
    HILO_RETURN_IF_ERROR(check_interrupted());
    const Clock::time_point start = Clock::now();
    HILO_RETURN_IF_ERROR(program->execute(arguments, results, execute));
    times.push_back(milliseconds_since(start));
  }
  HILO_RETURN_IF_ERROR(show_results(options, results));
  return write_result("", fmt::format("{} on {}: compiled in {:.1f} ms, {}\n", program->name(),
                                      backend->platform_name(), compile_milliseconds, times_text(std::move(times))));
}

}  // namespace

Command add_run(CLI::App& parent) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* app = parent.add_subcommand("run", "Compile and run a program");
  app->add_option("FILE", options->file, "HLO text or HloModuleProto")->required();
  app->add_option("--input", options->inputs, "An argument as .npy; once per argument, in order")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  app->add_option(
         "--random", options->seed,
         "Arguments without --input are random: floats uniform in [-1, 1), integers 0..9, pred by bit; the same "
         "on every machine")
      ->type_name("SEED");
  app->add_option("--output-dir", options->output_dir, "Write each result there as outN.npy")->type_name("DIR");
  app->add_option("--engine", options->engine, "cpu or reference; the default is the flag jax_platform_name, else cpu")
      ->check(CLI::IsMember({"cpu", "reference"}));
  app->add_option("--repeat", options->repeat, "Run so many times")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
      ->type_name("N");
  app->footer("Flags, also from the environment in capitals:\n" + flags_help());
  return {app, [options] { return run_program(*options); }};
}

}  // namespace hilo::tool
