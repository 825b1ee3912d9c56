// SPDX-License-Identifier: Apache-2.0
// hlo/passes/pass_list.h -- the passes by name, and the order in which backends run them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {

/// What passes must know about the engine that runs the program.
struct EngineFacts {
  std::span<const Opcode> whole = {};  ///< ops that the engine runs itself; passes must not decompose them
  SmallMatrices small_matrices = {};   ///< matrices for which elementwise ops are better than library calls
  int64_t core_cache_bytes = kSinkBytes;
};

/// A pass rewrites the module in place and returns whether it changed. Its name is also that of its function and file.
struct PassEntry {
  std::string_view name;
  StatusOr<bool> (*run)(Module&);
  /// For a pass that depends on the engine: the same pass for a known one. Null for others.
  StatusOr<bool> (*run_for)(Module&, const EngineFacts& engine) = nullptr;
};

/// Returns all passes.
std::span<const PassEntry> all_passes();

/// Returns the passes that an engine runs before it compiles. Every pass is linear, and none iterates to a fixed point.
/// `simplify` runs twice, because unrolled loops and removed branches allow further simplification.
std::span<const PassEntry> default_pipeline();

/// Returns the passes that follow if the code must compute the same bits on every processor.
std::span<const PassEntry> exact_pipeline();

/// Returns the passes that run on a program from a file before it is transformed. They recognize written-out ops,
/// because those ops have rules for derivatives and batching.
std::span<const PassEntry> raise_pipeline();

/// Returns the pass of that name.
/// Errors    NOT_FOUND "pass 'x' doesn't exist; wanted one of ... Hint: did you mean 'y'?"
StatusOr<PassEntry> find_pass(std::string_view name);

/// Returns the passes of a list such as "dce,cse".
/// Errors    NOT_FOUND as find_pass
StatusOr<std::vector<PassEntry>> parse_pass_list(std::string_view names);

}  // namespace hilo::hlo
