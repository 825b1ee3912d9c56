// SPDX-License-Identifier: Apache-2.0
// device/compile_options.h -- options of a compilation.
#pragma once

#include <optional>
#include <string>

#include "hilo/device/cancellation.h"
#include "hilo/device/device_assignment.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Limits for a compilation and for the runs of the program; 0 means no limit.
struct CompileLimits {
  /// Maximum number of instructions in all computations, checked at the beginning and after every pass. If an engine
  /// clones a computation per call site, each clone counts.
  int64_t instructions = int64_t{1} << 20;
  double compile_seconds = 0;
  int64_t memory_bytes = 0;  ///< maximum planned memory of one run: arguments, results, temporaries and constants
  double run_seconds = 0;    ///< default timeout of a run in seconds, used if ExecuteOptions::deadline is not set
  bool operator==(const CompileLimits&) const = default;
  std::string to_string() const;
};

/// How much time the compiler spends on faster code. No effort changes a bit of a result.
enum class Effort : uint8_t {
  kFastest,  ///< code generation by LLVM's quick pipeline
  kDefault,
  kBest,  ///< code generation by LLVM's slowest pipeline
};

/// The effort of a compilation.
struct CompileEffort {
  Effort effort = Effort::kDefault;
  /// Seconds for code generation, from the beginning of the compilation; 0 means no limit. The compiler looks at the
  /// clock before each function; what it expects to end later is generated as under kFastest.
  double budget = 0;
  /// Whether quick code is replaced at run time, by code as of kDefault: another thread generates it after the program
  /// has run for about as long as that takes.
  bool tiers = true;
  bool operator==(const CompileEffort&) const = default;
  std::string to_string() const;
};

/// Returns the effort of that name: "fastest", "default" or "best"; nullopt for other text.
std::optional<Effort> effort_of_name(std::string_view name);

/// Token that cancels a compilation. It doesn't change the result, so all values compare equal.
struct CompileCancellation {
  const CancellationToken* token = nullptr;
  bool operator==(const CompileCancellation&) const { return true; }
};

/// Compile options, those of XLA's client of 2018 first. All are unset by default.
struct CompileOptions {
  std::optional<std::string> generate_hlo_graph;  ///< regular expression for module names; empty matches all
  std::optional<std::string> dump_unoptimized_hlo_proto_to;
  std::optional<std::string> dump_optimized_hlo_proto_to;
  std::optional<std::string> dump_per_pass_hlo_proto_to;
  bool hlo_profile = false;
  bool straight_lines = true;         ///< programs over small arrays may be one function over their elements
  std::optional<Shape> result_shape;  ///< result shape with the requested layout

  int64_t replica_count = 1;
  std::optional<DeviceAssignment> device_assignment;  ///< if not set, replica r runs on device r
  CompileLimits limits;
  CompileEffort effort;
  CompileCancellation cancellation;
  bool operator==(const CompileOptions&) const = default;
  std::string to_string() const;
};

}  // namespace hilo
