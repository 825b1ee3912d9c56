// SPDX-License-Identifier: Apache-2.0
// transform/stages.h -- ahead-of-time compilation: Lowered is a traced program, Compiled a compiled one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hilo/device/object_files.h"
#include "hilo/mesh/named_sharding.h"
#include "hilo/transform/compiler_options.h"
#include "hilo/transform/flat_call.h"

namespace hilo {

class Executable;

/// Costs of a program, counted from its instructions.
struct CostAnalysis {
  double flops = 0;            ///< a multiply and an add of a dot count as two
  double transcendentals = 0;  ///< exp, log, sin, ...: not counted in flops
  double bytes_accessed = 0;   ///< if each instruction ran alone
  bool exact = true;           ///< false if loops have unknown lengths; they count once
};

/// The memory that a run of a compiled program needs, as planned. Names are JAX's.
struct CompiledMemoryStats {
  int64_t generated_code_size_in_bytes = 0;
  int64_t argument_size_in_bytes = 0;
  int64_t output_size_in_bytes = 0;
  int64_t alias_size_in_bytes = 0;  ///< of outputs in the memory of donated arguments
  int64_t temp_size_in_bytes = 0;
  int64_t constant_size_in_bytes = 0;
  int64_t peak_memory_in_bytes = 0;
};

/// A leaf of the arguments for which a program was lowered.
struct ArgInfo {
  std::string path;  ///< "args[0].w"
  Shape shape;
  bool donated = false;
};

namespace stages_detail {

class Program;  // a traced program, compiled on request
using ProgramPtr = std::shared_ptr<Program>;

std::string text_as_traced(const Program& program, const std::string& dialect);
CostAnalysis cost_as_traced(const Program& program);
/// Compiles the program; returns a new one if there are options.
ProgramPtr compile(const ProgramPtr& program, const CompilerOptions& options);
std::vector<ArgInfo> args_info(const Program& program);
std::shared_ptr<Executable> executable(const Program& program);
std::vector<NamedSharding> input_shardings(const Program& program);
std::vector<NamedSharding> output_shardings(const Program& program);
std::string text_as_compiled(const Program& program);
CostAnalysis cost_as_compiled(const Program& program);
CompiledMemoryStats memory(const Program& program);
/// Runs the program.
/// Errors     INVALID_ARGUMENT if arguments differ in tree, shape or type from the lowered ones; UNIMPLEMENTED for a
///            tracer
std::vector<Array> call(Program& program, const FlatTree& arguments,
                        const std::function<std::string(size_t)>& path_of_leaf);
std::string serialize(const Program& program);
void load(Program& program, const std::string& bytes);
ObjectFiles object_files(const Program& program, ObjectOptions options);
const std::shared_ptr<void>& prototype_of(const Program& program);

}  // namespace stages_detail

/// A compiled program: the result of Lowered::compile.
template <typename Arguments, typename Result>
class Compiled {
 public:
  explicit Compiled(stages_detail::ProgramPtr program) : program_(std::move(program)) {}

  /// Runs the program on arguments with the trees, shapes and types for which it was lowered. Static arguments must
  /// have the same values.
  /// Errors     INVALID_ARGUMENT if arguments differ; UNIMPLEMENTED under a transformation, as in JAX
  template <typename... Args>
  Result operator()(const Args&... args) const {
    static_assert(sizeof...(Args) == std::tuple_size_v<Arguments>,
                  "a compiled program takes as many arguments as were lowered");
    const Arguments arguments(args...);
    const std::vector<Array> leaves = stages_detail::call(
        *program_, hilo::flatten(arguments), [&arguments](size_t leaf) { return flat_call::path_of(arguments, leaf); });
    return hilo::unflatten(*static_cast<const Result*>(stages_detail::prototype_of(*program_).get()), leaves);
  }

  /// Returns the leaves of the lowered arguments, in order.
  std::vector<ArgInfo> args_info() const { return stages_detail::args_info(*program_); }
  /// Returns the executable (device/executable.h): its devices, statistics, planned steps, and the module after all
  /// passes.
  std::shared_ptr<Executable> runtime_executable() const { return stages_detail::executable(*program_); }
  /// Returns the shardings of the argument leaves, and of the result leaves below, as specified or inferred. An
  /// uncommitted argument is moved accordingly; a committed one must already have this sharding.
  std::vector<NamedSharding> input_shardings() const { return stages_detail::input_shardings(*program_); }
  std::vector<NamedSharding> output_shardings() const { return stages_detail::output_shardings(*program_); }
  /// Returns the HLO text after all passes of the engine; of a partitioned program, that of one device.
  std::string as_text() const { return stages_detail::text_as_compiled(*program_); }
  CostAnalysis cost_analysis() const { return stages_detail::cost_as_compiled(*program_); }
  CompiledMemoryStats memory_analysis() const { return stages_detail::memory(*program_); }
  /// Returns the compiled program as bytes for Lowered::deserialize_and_load of the same function, also in another
  /// process. jax.experimental.serialize_executable.serialize.
  /// Errors     UNIMPLEMENTED if the platform doesn't support it, and for partitioned programs
  std::string serialize() const { return stages_detail::serialize(*program_); }

 private:
  stages_detail::ProgramPtr program_;
};

/// A traced program: the result of jit(f).lower(args...).
template <typename Arguments, typename Result>
class Lowered {
 public:
  explicit Lowered(stages_detail::ProgramPtr program) : program_(std::move(program)) {}

  /// Returns the text of the program before any pass.
  /// Errors     INVALID_ARGUMENT for a dialect other than "stablehlo" and "hlo"; UNIMPLEMENTED for operations that
  ///            StableHLO lacks
  std::string as_text(const std::string& dialect = "stablehlo") const {
    return stages_detail::text_as_traced(*program_, dialect);
  }
  /// Returns the costs of the program before any pass.
  CostAnalysis cost_analysis() const { return stages_detail::cost_as_traced(*program_); }
  /// Returns the leaves of the arguments, in order.
  std::vector<ArgInfo> args_info() const { return stages_detail::args_info(*program_); }
  /// Compiles the program. `options` take precedence over those of jit, which take precedence over the flags. If
  /// arguments are sharded, or a constraint, in_shardings or out_shardings specify a sharding, the program is
  /// partitioned.
  /// Errors     UNIMPLEMENTED if the function captures a tracer of a surrounding transformation; INVALID_ARGUMENT for
  ///            unknown options
  Compiled<Arguments, Result> compile(const CompilerOptions& options = {}) const {
    return Compiled<Arguments, Result>(stages_detail::compile(program_, options));
  }
  /// Loads the bytes that Compiled::serialize wrote, without compiling.
  /// jax.experimental.serialize_executable.deserialize_and_load.
  /// Errors     INVALID_ARGUMENT for other bytes, or those of a program of another meaning; FAILED_PRECONDITION for
  ///            those of another build or kind of processor
  Compiled<Arguments, Result> deserialize_and_load(const std::string& bytes) const {
    stages_detail::load(*program_, bytes);
    return Compiled<Arguments, Result>(program_);
  }

 private:
  template <typename A, typename R>
  friend ObjectFiles export_object(const Lowered<A, R>& lowered, ObjectOptions options);

  stages_detail::ProgramPtr program_;
};

/// Compiles a traced program to an object file that a C or C++ program links and calls without hilo, with its header.
/// Paths of the arguments that the options don't name are those of args_info().
/// Errors     UNIMPLEMENTED with the first operation that needs hilo's library, for sharded arguments, and if the
///            function captures a tracer; INVALID_ARGUMENT for wrong options
/// Example    const auto f = jit([](Array x) { return numpy::sum(numpy::sin(x)); });
///            export_object(f.lower(ShapeDtypeStruct({3}, float32)), {.name = "sine"}).object.substr(1, 3)  // ELF
template <typename Arguments, typename Result>
ObjectFiles export_object(const Lowered<Arguments, Result>& lowered, ObjectOptions options) {
  return stages_detail::object_files(*lowered.program_, std::move(options));
}

/// Writes object, header and manifest to PATH with .o, .h and .json appended, and a test to PATH_test.c.
/// Errors     those of the file system
void write_object(const ObjectFiles& files, const std::string& path);

}  // namespace hilo
