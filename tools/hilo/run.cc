// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/base/log.h"
#include "hilo/client/local_computation.h"
#include "hilo/client/replicas.h"
#include "hilo/import/program.h"
#include "hilo/inspect/explain/explanation.h"
#include "hilo/io/npy.h"
#include "tools/hilo/arguments.h"
#include "tools/hilo/command.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/jax_flags.h"
#include "tools/hilo/limits.h"
#include "tools/hilo/partitioned_file.h"

namespace hilo::tool {
namespace {

constexpr int64_t kShownElements = 16;  // elements shown of each result
using Clock = std::chrono::steady_clock;

struct RunOptions {
  std::string file;
  std::string function;
  ArgumentOptions arguments;
  std::string output_dir;
  std::string engine;
  int64_t repeat = 1;
  bool explain = false;
  bool explain_shardings = false;
  std::string graph;
  LimitOptions limits;
};

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Status check_interrupted() { return interrupted() ? cancelled("interrupted") : ok_status(); }

/// Buffers: one list of arguments or results per replica.
using PerReplica = std::vector<std::vector<BufferPtr>>;

/// Returns one replica's arguments: files in order, equal for all replicas, then random values for the seed + replica.
StatusOr<std::vector<BufferPtr>> argument_buffers(const RunOptions& options, const Executable& program, int replica) {
  const std::span<const Shape> shapes = program.argument_shapes();
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> literals,
                        read_arguments(options.arguments, program.name(), shapes, replica));
  std::vector<BufferPtr> arguments;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Literal& literal = literals[i];
    const bool fits = literal.shape().compatible(shapes[i]);  // otherwise execute reports the error
    Device& device = *program.devices()[static_cast<size_t>(replica)];
    HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(device, literal, fits ? shapes[i] : literal.shape()));
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

/// Describes the instructions of a program that aren't compiled, if there are any.
std::string evaluated_text(const ExecutableStatistics& statistics) {
  if (statistics.evaluated_count == 0) return "";
  return fmt::format(", instructions run by the reference evaluator: {}", statistics.evaluated_count);
}

/// Prints and saves results. `prefix` precedes the names of results and of their files.
Status show_results(const RunOptions& options, std::span<const BufferPtr> results, const std::string& prefix) {
  std::string text;
  if (!options.output_dir.empty()) HILO_RETURN_IF_ERROR(make_directories(options.output_dir));
  for (size_t i = 0; i < results.size(); ++i) {
    HILO_RETURN_IF_ERROR(check_interrupted());
    HILO_ASSIGN_OR_RETURN(const Literal literal, literal_from_buffer(*results[i]));
    text += fmt::format("{}out{} = {}\n", prefix, i, literal.to_string(kShownElements));
    if (options.output_dir.empty()) continue;
    const std::string path = fmt::format("{}/{}out{}.npy", options.output_dir, prefix, i);
    HILO_RETURN_IF_ERROR(io::write_npy(path, literal));
  }
  return write_result("", text);
}

/// Runs the program and returns the results of all replicas, which run together. `observer` may be null.
StatusOr<PerReplica> execute(Executable& program, const PerReplica& arguments, const Limits& limits,
                             ExecutionObserver* observer) {
  ExecuteOptions options;
  options.observer = observer;
  limits.limit(options);
  if (arguments.size() > 1) return execute_per_replica(program, arguments, options);
  PerReplica results(1, std::vector<BufferPtr>(program.result_shapes().size()));
  HILO_RETURN_IF_ERROR(program.execute(arguments[0], results[0], options));
  return results;
}

struct Prepared {
  std::shared_ptr<Executable> program;
  bool together;      ///< whether the replicas communicate; otherwise all have the same results
  std::string phase;  ///< "compiled in 12.3 ms"
};

/// Compiles or loads the program.
StatusOr<Prepared> prepare(const RunOptions& options, const Limits& limits) {
  HILO_ASSIGN_OR_RETURN(const std::optional<std::string> saved, cpu::read_saved(options.file));
  if (saved) {
    const Clock::time_point begin = Clock::now();
    HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
    HILO_ASSIGN_OR_RETURN(std::shared_ptr<Executable> program, client->load(*saved));
    const bool together = program->signature().meets_others;
    return Prepared{std::move(program), together, fmt::format("loaded in {:.1f} ms", milliseconds_since(begin))};
  }
  HILO_ASSIGN_OR_RETURN(hlo::Module module,
                        read_program(options.file, options.function, argument_shapes(options.arguments)));
  HILO_RETURN_IF_ERROR(check_interrupted());
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  if (values->jax_replica_count == 1) {
    HILO_ASSIGN_OR_RETURN(const int64_t stated, make_only_replica(module));
    if (stated > 1) {
      log_warning("{}: replica_count={}; running one of them alone. Hint: --jax_replica_count={}", options.file, stated,
                  stated);
    }
  }
  const bool together = depends_on_replicas(module);
  const Clock::time_point begin = Clock::now();
  HILO_ASSIGN_OR_RETURN(
      const LocalComputation computation,
      compile_under_flags(std::move(module), [&](CompileOptions& compile) { limits.limit(compile); }));
  return Prepared{computation.executable(), together, fmt::format("compiled in {:.1f} ms", milliseconds_since(begin))};
}

/// Explains the plan of a program that has run under `clock`, next to the estimates for this machine.
StatusOr<std::string> explanation(const Executable& program, const UnitClock& clock) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, program.serialize());
  HILO_ASSIGN_OR_RETURN(const cpu::SavedProgram saved, cpu::read_program(bytes));
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  HILO_ASSIGN_OR_RETURN(const MachineFigures figures, machine_figures(*client));
  HILO_ASSIGN_OR_RETURN(const std::vector<ExplainedUnit> units, explained(program, saved.plan, clock, figures));
  return explanation_text(units, figures);
}

/// Explains how the program is partitioned over its devices, without running it.
Status explain_shardings(const RunOptions& options) {
  if (!options.function.empty())
    return invalid_argument("--function: shardings are explained only for the main function");
  HILO_ASSIGN_OR_RETURN(const PartitionedFile file, partition_file(options.file));
  if (!options.graph.empty()) HILO_RETURN_IF_ERROR(draw(file, options.graph));
  return write_result("", explained(file));
}

Status run_program(const RunOptions& options) {
  if (options.explain_shardings) return explain_shardings(options);
  if (!options.graph.empty())
    return invalid_argument("--graph: goes with --explain-shardings. Hint: hilo convert draws programs");
  const Limits limits(options.limits);
  HILO_RETURN_IF_ERROR(choose_engine(options.engine));
  HILO_ASSIGN_OR_RETURN(const Prepared prepared, prepare(options, limits));
  Executable* const program = prepared.program.get();
  PerReplica arguments, results;
  for (int replica = 0; replica < (prepared.together ? program->replica_count() : 1); ++replica) {
    HILO_ASSIGN_OR_RETURN(std::vector<BufferPtr> own, argument_buffers(options, *program, replica));
    arguments.push_back(std::move(own));
  }

  UnitClock clock;
  std::vector<double> times;
  for (int64_t i = 0; i < options.repeat; ++i) {
    HILO_RETURN_IF_ERROR(check_interrupted());
    const Clock::time_point start = Clock::now();
    HILO_ASSIGN_OR_RETURN(results, execute(*program, arguments, limits, options.explain ? &clock : nullptr));
    times.push_back(milliseconds_since(start));
  }
  if (options.explain) {
    HILO_ASSIGN_OR_RETURN(const std::string text, explanation(*program, clock));
    HILO_RETURN_IF_ERROR(write_result("", text));
  }
  for (size_t replica = 0; replica < results.size(); ++replica) {
    const std::string prefix = results.size() == 1 ? "" : fmt::format("replica{}.", replica);
    HILO_RETURN_IF_ERROR(show_results(options, results[replica], prefix));
  }
  return write_result("", fmt::format("{} on {}: {}, {}{}\n", program->name(), default_platform_name(), prepared.phase,
                                      times_text(std::move(times)), evaluated_text(program->statistics())));
}

}  // namespace

Command add_run(CLI::App& parent) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* app = parent.add_subcommand(
      "run", "Compile and run a program. A program with collectives runs on jax_replica_count replicas");
  app->add_option("FILE", options->file,
                  "HLO text, HloModuleProto, StableHLO as text or bytecode, or a file of `hilo compile`")
      ->required();
  app->add_option("--function", options->function,
                  "Function of an MLIR module. Default: main, or the only public function")
      ->type_name("NAME");
  add_argument_options(*app, options->arguments);
  app->add_option("--output-dir", options->output_dir,
                  "Write each result to outN.npy in this folder; with several replicas, to replicaR.outN.npy")
      ->type_name("DIR");
  app->add_option("--engine", options->engine,
                  "Engine: cpu or reference. Default: the flag jax_platform_name, else cpu")
      ->check(CLI::IsMember({"cpu", "reference"}));
  app->add_option("--repeat", options->repeat, "Number of runs")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
      ->type_name("N");
  app->add_flag("--explain", options->explain,
                "Print the choices of the plan and their reasons, the fastest measured time of each part and the time "
                "predicted for this machine, and choices that measured times contradict. With --repeat, the fastest "
                "run of each part counts");
  app->add_flag("--explain-shardings", options->explain_shardings,
                "Print how arrays are sharded over the mesh, which collectives run and why, and which ops are "
                "replicated. The program does not run");
  app->add_option("--graph", options->graph,
                  "With --explain-shardings: write a picture of the program of one device, with bytes on links, as "
                  ".html, .svg or .dot")
      ->type_name("FILE");
  add_limit_options(*app, options->limits);
  add_jax_flags(*app);
  return {app, [options] { return run_program(*options); }};
}

}  // namespace hilo::tool
