// SPDX-License-Identifier: Apache-2.0
// device/compile_options.h -- what a caller may ask of a compilation.
#pragma once

#include <optional>
#include <string>

#include "hilo/device/cancellation.h"
#include "hilo/device/device_assignment.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// What a compilation may cost, and what a run of the program may. 0: as much as it takes.
struct CompileLimits {
  /// Over all computations, at the beginning and after every pass; where an engine clones those that are called from several
  /// places, each counts once for each of these.
  int64_t instructions = int64_t{1} << 20;
  double compile_seconds = 0;
  int64_t memory_bytes = 0;  ///< arguments, results, temporaries and constants of one run, as planned
  double run_seconds = 0;    ///< of each run for which ExecuteOptions::deadline says nothing else
  bool operator==(const CompileLimits&) const = default;
  std::string to_string() const;
};

/// Who may end a compilation. Not part of what is compiled, so all are equal.
struct CompileCancellation {
  const CancellationToken* token = nullptr;
  bool operator==(const CompileCancellation&) const { return true; }
};

/// The options of the 2018 client, unset unless asked for; and what hilo adds after them.
struct CompileOptions {
  std::optional<std::string> generate_hlo_graph;  ///< regular expression of module names; empty matches all
  std::optional<std::string> dump_unoptimized_hlo_proto_to;
  std::optional<std::string> dump_optimized_hlo_proto_to;
  std::optional<std::string> dump_per_pass_hlo_proto_to;
  bool hlo_profile = false;
  std::optional<Shape> result_shape;  ///< with the layout that the caller wants

  int64_t replica_count = 1;
  std::optional<DeviceAssignment> device_assignment;  ///< nothing: replica r on device r
  CompileLimits limits;
  CompileCancellation cancellation;
  bool operator==(const CompileOptions&) const = default;
  std::string to_string() const;
};

}  // namespace hilo
