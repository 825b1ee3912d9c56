// SPDX-License-Identifier: Apache-2.0
// tools/hilo/conformance.cc -- `hilo conformance`: runs recorded programs and compares the results with the recorded
// outputs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"
#include "hilo/device/program_signature.h"
#include "hilo/io/npy.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/elements.h"
#include "tools/hilo/command.h"
#include "tools/hilo/compare.h"
#include "tools/hilo/corpus.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/jax_flags.h"
#include "tools/hilo/linalg_results.h"
#include "tools/hilo/loaded_object.h"
#include "tools/hilo/whole_program.h"

namespace hilo::tool {
namespace {

struct ConformanceOptions {
  std::string path;
  std::string engine;
  std::string digests;
  std::vector<std::string> only;
  bool text = false;
  std::string object;               ///< runtime of objects; empty: the programs are compiled as jit's
  std::vector<std::string> linked;  ///< files and flags behind an object
};

/// The tolerance for one kind of program and element type. Other types must be equal bit by bit.
struct ToleranceRow {
  std::string_view kind;
  ElementType type;
  double relative, absolute;
};
constexpr ToleranceRow kTolerances[] = {
    {"arith", ElementType::kF64, 1e-15, 1e-15},
    {"arith", ElementType::kF32, 1e-6, 1e-6},
    {"arith", ElementType::kF16, 1e-3, 1e-3},
    {"arith", ElementType::kBf16, 1e-2, 1e-2},
    {"transcendental", ElementType::kF64, 1e-13, 1e-14},
    {"transcendental", ElementType::kF32, 1e-5, 1e-6},
    {"transcendental", ElementType::kF16, 2e-3, 2e-3},
    {"transcendental", ElementType::kBf16, 2e-2, 1e-2},
    {"reduce", ElementType::kF64, 1e-12, 1e-13},
    {"reduce", ElementType::kF32, 1e-5, 1e-5},
    {"reduce", ElementType::kF16, 5e-3, 5e-3},
    {"reduce", ElementType::kBf16, 3e-2, 3e-2},
    {"linalg", ElementType::kF64, 1e-10, 1e-11},
    {"linalg", ElementType::kF32, 1e-3, 1e-4},
};

/// Returns the tolerance of a program's results. The difference between XLA's own two ways to run a program may be a
/// tenth of it.
Tolerance tolerance_of(const RecordedProgram& program, ElementType type) {
  Tolerance found;
  for (const ToleranceRow& t : kTolerances) {
    if (t.kind == program.kind && t.type == type) found = {t.relative, t.absolute};
  }
  if (program.kind == "exact") return found;
  // The recorded difference between XLA's own results, including numbers of iterations, is relative to max|b|, or
  // absolute if that is zero.
  found.of_zeros = 10 * program.alternative_error;
  found.absolute = std::max(found.absolute, found.of_zeros);
  return found;
}

/// Returns a recorded array with the program's element type. Types that NumPy lacks are stored as unsigned integers.
StatusOr<Literal> recorded_array(const Files& files, const std::string& name, const Shape& shape) {
  const auto file = files.find(name);
  if (file == files.end()) return not_found(fmt::format("{}: no such file", name));
  HILO_ASSIGN_OR_RETURN(Literal literal, io::parse_npy(file->second, name));
  if (literal.shape() == shape) return literal;
  const bool raw = is_array_type(shape.element_type()) && literal.shape().element_count() == shape.element_count() &&
                   element_size_bytes(literal.shape().element_type()) == element_size_bytes(shape.element_type());
  if (!raw)
    return invalid_argument(
        fmt::format("{} holds {}; the program has {}", name, literal.shape().to_string(), shape.to_string()));
  stablehlo::Type type;
  type.kind = stablehlo::TypeKind::kTensor;
  type.element = shape.element_type();
  type.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  type.spelled = shape.to_string();
  HILO_ASSIGN_OR_RETURN(Literal typed, stablehlo::literal_from_bytes(type, literal.bytes()));
  return typed.shape() == shape ? typed : typed.reshaped(shape);
}

/// A recorded program's results, one list a replica, with its inputs and expected outputs.
struct Recorded {
  const RecordedProgram& program;
  std::vector<Literal> arguments, expected;
  std::vector<std::vector<Literal>> results;
};

StatusOr<hlo::Module> read_module(const RecordedProgram& program, const Files& files, bool text) {
  const std::string name = program.name + (text ? ".mlir" : ".mlirbc");
  const auto code = files.find(name);
  if (code == files.end()) return not_found(fmt::format("{}: no such file", name));
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(code->second, name));
  return stablehlo::translate(tree);
}

/// Reads the arrays of a program with these shapes.
StatusOr<Recorded> read_arrays(const RecordedProgram& program, const Files& files, std::span<const Shape> arguments,
                               std::span<const Shape> results) {
  Recorded recorded{program, {}, {}, {}};
  const auto read = [&](std::string_view what, std::span<const Shape> shapes, std::vector<Literal>& into) -> Status {
    for (const Shape& shape : shapes) {
      const std::string path = fmt::format("{}.{}{}.npy", program.name, what, into.size());
      HILO_ASSIGN_OR_RETURN(Literal literal, recorded_array(files, path, shape));
      into.push_back(std::move(literal));
    }
    return ok_status();
  };
  HILO_RETURN_IF_ERROR(read("in", arguments, recorded.arguments));
  HILO_RETURN_IF_ERROR(read("out", results, recorded.expected));
  return recorded;
}

StatusOr<Recorded> run_compiled(const RecordedProgram& program, const Files& files, hlo::Module module) {
  HILO_ASSIGN_OR_RETURN(const LocalComputation computation, compile_whole(std::move(module)));
  const Executable& executable = *computation.executable();
  HILO_ASSIGN_OR_RETURN(Recorded recorded,
                        read_arrays(program, files, executable.argument_shapes(), executable.result_shapes()));
  HILO_ASSIGN_OR_RETURN(recorded.results, run_whole(computation, recorded.arguments));
  return recorded;
}

/// Runs the program as an object. Returns UNIMPLEMENTED if it can't be one.
StatusOr<Recorded> run_object(const RecordedProgram& program, const Files& files, const hlo::Module& module,
                              const ConformanceOptions& options) {
  const ObjectRuntime runtime = options.object == "rt" ? ObjectRuntime::kLibrary : ObjectRuntime::kNone;
  HILO_ASSIGN_OR_RETURN(const LoadedObject object,
                        LoadedObject::link(module, {.name = "program", .runtime = runtime}, options.linked));
  const ProgramSignature signature = signature_of(module);
  HILO_ASSIGN_OR_RETURN(Recorded recorded,
                        read_arrays(program, files, signature.argument_shapes, signature.result_shapes));
  HILO_ASSIGN_OR_RETURN(recorded.results.emplace_back(), object.call(recorded.arguments, signature.result_shapes));
  return recorded;
}

/// Reports the first result that differs. Vectors of decompositions may differ by phases and rotations.
Status compare_results(const Recorded& recorded, std::span<const Literal> actual) {
  std::vector<bool> equal;
  std::vector<Bounds> bounds;
  std::vector<Difference> differences;
  for (size_t i = 0; i < actual.size(); ++i) {
    const Tolerance tolerance = tolerance_of(recorded.program, real_type_of(actual[i].shape().element_type()));
    bounds.push_back({tolerance.relative, tolerance.absolute});
    differences.push_back(difference_within(tolerance, actual[i], recorded.expected[i]));
    equal.push_back(!differences.back().found);
  }
  if (recorded.program.kind == "linalg")
    equal = equal_but_for_phases({recorded.arguments, actual, recorded.expected, bounds}, equal);
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!equal[i]) return failed_precondition(fmt::format("result {} of {}", i, differences[i].text));
  }
  return ok_status();
}

/// Returns "NAME DIGEST
/// ". Results with equal bits have equal digests.
std::string digest_line(const RecordedProgram& program, const std::vector<std::vector<Literal>>& results) {
  std::string all;
  for (const std::vector<Literal>& device : results) {
    for (const Literal& result : device) {
      const std::span<const std::byte> bytes = result.bytes();
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      all += fmt::format("{}:{:016x};", result.shape().to_string_with_layout(), TextHash()(text));
    }
  }
  return fmt::format("{} {:016x}\n", program.name, TextHash()(all));
}

/// Runs a program, compares its results, and appends their digest to `digests`.
Status run_recorded(const RecordedProgram& program, const Files& files, const ConformanceOptions& options,
                    std::string& digests) {
  HILO_ASSIGN_OR_RETURN(hlo::Module module, read_module(program, files, options.text));
  HILO_ASSIGN_OR_RETURN(const Recorded recorded, options.object.empty()
                                                     ? run_compiled(program, files, std::move(module))
                                                     : run_object(program, files, module, options));
  digests += digest_line(program, recorded.results);
  // JAX shows the parts on the first device that has each of them. Devices can differ if a manual computation declares
  // an array as replicated along an axis but computes different values, which `check_vma=False` allows.
  return compare_results(recorded, recorded.results.front());
}

bool wanted(const ConformanceOptions& options, const RecordedProgram& program) {
  return options.only.empty() || std::any_of(options.only.begin(), options.only.end(), [&](const std::string& name) {
           return program.name.find(name) != std::string::npos;
         });
}

Status run_corpus(const ConformanceOptions& options) {
  ::setenv("HILO_DENORMALS", "flush", 0);  // the results were recorded with XLA:CPU, which flushes denormals
  HILO_RETURN_IF_ERROR(choose_engine(options.engine));
  HILO_RETURN_IF_ERROR(offer_replicas());
  HILO_ASSIGN_OR_RETURN(const std::vector<RecordedProgram> programs, read_manifest(options.path));
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  int64_t passed = 0, failed = 0, skipped = 0;
  std::string digests;
  std::set<std::string_view> seen;
  const auto report = [&](const RecordedProgram& program, const Status& status) {
    if (terminal) std::fprintf(stderr, "\r\x1b[K%zu/%zu", seen.size(), programs.size());
    const bool is_no_object = !options.object.empty() && status.code() == StatusCode::kUnimplemented;
    ++(status.ok() ? passed : is_no_object ? skipped : failed);
    if (status.ok()) return;
    if (terminal) std::fprintf(stderr, "\r\x1b[K");
    std::printf("%s %s\n", is_no_object ? "rejected" : "failed",
                printable(fmt::format("{} ({}): {}", program.name, program.test, status.to_string())).c_str());
  };
  for (const std::string& path : archives_in(options.path)) {
    HILO_ASSIGN_OR_RETURN(const Files files, read_archive(path));
    for (const RecordedProgram& program : programs) {
      if (interrupted()) return cancelled("interrupted");
      if (!files.contains(program.name + ".mlirbc") || !wanted(options, program)) continue;
      seen.insert(program.name);
      report(program, run_recorded(program, files, options, digests));
    }
  }
  for (const RecordedProgram& program : programs) {
    if (!seen.contains(program.name) && wanted(options, program))
      report(program, not_found("no archive contains the program"));
  }
  if (terminal) std::fprintf(stderr, "\r\x1b[K");
  if (!options.digests.empty()) HILO_RETURN_IF_ERROR(write_file_atomic(options.digests, digests));
  HILO_RETURN_IF_ERROR(write_result("", fmt::format("{} passed, {} failed, {} skipped\n", passed, failed, skipped)));
  if (failed != 0) return failed_precondition(fmt::format("{} of {} programs failed", failed, failed + passed));
  return ok_status();
}

}  // namespace

Command add_conformance(CLI::App& parent) {
  auto options = std::make_shared<ConformanceOptions>();
  CLI::App* app = parent.add_subcommand("conformance",
                                        "Run recorded programs of JAX and compare the results with the recorded ones");
  app->add_option("PATH", options->path, "Folder with manifest.tsv and archives of programs")->required();
  app->add_option("--engine", options->engine,
                  "Engine: cpu or reference. Default: the flag jax_platform_name, else cpu")
      ->check(CLI::IsMember({"cpu", "reference"}));
  app->add_option("--only", options->only,
                  "Run only programs whose names contain one of these texts, separated by commas")
      ->delimiter(',')
      ->type_name("NAMES");
  app->add_option("--digests", options->digests,
                  "Write one line per program to this file: its name and a digest of the bits of its results")
      ->type_name("FILE");
  app->add_option("--object", options->object,
                  "Run the programs as objects of `hilo compile --to object` with this runtime, linked by cc. Programs "
                  "that can't be objects are skipped, with the reason")
      ->check(CLI::IsMember({"none", "rt"}));
  app->add_option("--link", options->linked, "Link these files or flags with each object, such as libhilo_rt.a")
      ->delimiter(',')
      ->type_name("FILES");
  app->add_flag("--text", options->text, "Read the programs as text. Default: as bytecode");
  add_jax_flags(*app);
  return {app, [options] { return run_corpus(*options); }};
}

}  // namespace hilo::tool
