// SPDX-License-Identifier: Apache-2.0
// transform/stages.h -- ahead of time: lower traces, compile compiles, and the compiled program is called or looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hilo/mesh/named_sharding.h"
#include "hilo/transform/compiler_options.h"
#include "hilo/transform/flat_call.h"

namespace hilo {

class Executable;

/// What a program does, counted from its instructions.
struct CostAnalysis {
  double flops = 0;            ///< a multiply and an add of a dot are two
  double transcendentals = 0;  ///< exp, log, sin, ...: not among flops
  double bytes_accessed = 0;   ///< if each instruction ran alone
  bool exact = true;           ///< false with loops of unknown length, which count once
};

/// The memory that a run of a compiled program takes, as planned. Names are JAX's.
struct CompiledMemoryStats {
  int64_t generated_code_size_in_bytes = 0;
  int64_t argument_size_in_bytes = 0;
  int64_t output_size_in_bytes = 0;
  int64_t alias_size_in_bytes = 0;  ///< of outputs, in the memory of donated arguments
  int64_t temp_size_in_bytes = 0;
  int64_t constant_size_in_bytes = 0;
  int64_t peak_memory_in_bytes = 0;
};

/// A leaf of the arguments that a program was lowered for.
struct ArgInfo {
  std::string path;  ///< "args[0].w"
  Shape shape;
  bool donated = false;
};

namespace stages_detail {

class Program;  // traced, and compiled once asked for
using ProgramPtr = std::shared_ptr<Program>;

std::string text_as_traced(const Program& program, const std::string& dialect);
CostAnalysis cost_as_traced(const Program& program);
/// The program compiled; another one if there are options.
ProgramPtr compile(const ProgramPtr& program, const CompilerOptions& options);
std::vector<ArgInfo> args_info(const Program& program);
std::shared_ptr<Executable> executable(const Program& program);
std::vector<NamedSharding> input_shardings(const Program& program);
std::vector<NamedSharding> output_shardings(const Program& program);
std::string text_as_compiled(const Program& program);
CostAnalysis cost_as_compiled(const Program& program);
CompiledMemoryStats memory(const Program& program);
/// Errors    INVALID_ARGUMENT if arguments differ in tree, shape or type from those that were lowered; UNIMPLEMENTED for a
///           tracer
std::vector<Array> call(Program& program, const FlatTree& arguments,
                        const std::function<std::string(size_t)>& path_of_leaf);
std::string serialize(const Program& program);
void load(Program& program, const std::string& bytes);
const std::shared_ptr<void>& prototype_of(const Program& program);

}  // namespace stages_detail

/// A program that is compiled. What Lowered::compile returns.
template <typename Arguments, typename Result>
class Compiled {
 public:
  explicit Compiled(stages_detail::ProgramPtr program) : program_(std::move(program)) {}

  /// Runs it on arguments of the trees, shapes and types that were lowered; static arguments must have the same values.
  /// Errors     INVALID_ARGUMENT where they differ; UNIMPLEMENTED under a transformation, as in JAX
  template <typename... Args>
  Result operator()(const Args&... args) const {
    static_assert(sizeof...(Args) == std::tuple_size_v<Arguments>,
                  "a compiled program takes as many arguments as were lowered");
    const Arguments arguments(args...);
    const std::vector<Array> leaves = stages_detail::call(
        *program_, hilo::flatten(arguments), [&arguments](size_t leaf) { return flat_call::path_of(arguments, leaf); });
    return hilo::unflatten(*static_cast<const Result*>(stages_detail::prototype_of(*program_).get()), leaves);
  }

  /// The leaves of the arguments that were lowered, in order.
  std::vector<ArgInfo> args_info() const { return stages_detail::args_info(*program_); }
  /// What runs (device/executable.h): its devices, statistics, steps as planned, and the module after all passes.
  std::shared_ptr<Executable> runtime_executable() const { return stages_detail::executable(*program_); }
  /// How devices share the leaves of the arguments, as propagation has it where nothing was said, and those of the results. An
  /// argument that isn't committed goes where this says; one that is committed must lie there.
  std::vector<NamedSharding> input_shardings() const { return stages_detail::input_shardings(*program_); }
  std::vector<NamedSharding> output_shardings() const { return stages_detail::output_shardings(*program_); }
  /// HLO after all passes of the engine; of one device, where several share the arrays.
  std::string as_text() const { return stages_detail::text_as_compiled(*program_); }
  CostAnalysis cost_analysis() const { return stages_detail::cost_as_compiled(*program_); }
  CompiledMemoryStats memory_analysis() const { return stages_detail::memory(*program_); }
  /// The compiled program as bytes, which Lowered::deserialize_and_load of the same function takes, in another process too.
  /// jax.experimental.serialize_executable.serialize.
  /// Errors     UNIMPLEMENTED where the platform can't, and where devices share the arrays
  std::string serialize() const { return stages_detail::serialize(*program_); }

 private:
  stages_detail::ProgramPtr program_;
};

/// A program that is traced. What jit(f).lower(args...) returns.
template <typename Arguments, typename Result>
class Lowered {
 public:
  explicit Lowered(stages_detail::ProgramPtr program) : program_(std::move(program)) {}

  /// The program before any pass.
  /// Errors     INVALID_ARGUMENT for a dialect that is neither "stablehlo" nor "hlo"; UNIMPLEMENTED for what StableHLO lacks
  std::string as_text(const std::string& dialect = "stablehlo") const {
    return stages_detail::text_as_traced(*program_, dialect);
  }
  /// Of the program before any pass.
  CostAnalysis cost_analysis() const { return stages_detail::cost_as_traced(*program_); }
  /// The leaves of the arguments, in order.
  std::vector<ArgInfo> args_info() const { return stages_detail::args_info(*program_); }
  /// `options` outrank those of jit, which outrank the flags. Where devices share the arguments that were lowered, or the
  /// function or jit say how they do, the program is compiled for them: a constraint, in_shardings, out_shardings.
  /// Errors     UNIMPLEMENTED where the function closes over a value of a transformation around it; INVALID_ARGUMENT for
  ///            options that there aren't
  Compiled<Arguments, Result> compile(const CompilerOptions& options = {}) const {
    return Compiled<Arguments, Result>(stages_detail::compile(program_, options));
  }
  /// What Compiled::serialize wrote, without compiling. jax.experimental.serialize_executable.deserialize_and_load.
  /// Errors     INVALID_ARGUMENT for other bytes, or those of a program of another meaning; FAILED_PRECONDITION for those
  ///            of another build or kind of processor
  Compiled<Arguments, Result> deserialize_and_load(const std::string& bytes) const {
    stages_detail::load(*program_, bytes);
    return Compiled<Arguments, Result>(program_);
  }

 private:
  stages_detail::ProgramPtr program_;
};

}  // namespace hilo
