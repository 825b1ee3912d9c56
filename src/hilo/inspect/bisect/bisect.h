// SPDX-License-Identifier: Apache-2.0
// inspect/bisect/bisect.h -- the first op on which an engine and the reference evaluator part.
#pragma once

#include <optional>

#include "hilo/inspect/bisect/reduce.h"

namespace hilo::hlo {

/// Where they part.
struct Parting {
  /// The calls, branches and loops around the op, from the outside in: "while 'w', body in iteration 3".
  std::vector<std::string> path;
  std::string op;                     ///< "dot 'y' (model.py:12): f32[4,8] dot(f32[4,16], f32[16,8])"
  std::string difference;             ///< how many elements, and the largest
  std::vector<std::string> operands;  ///< their values, where they are small
  /// No op parts on the operands that the engine itself gave it, but the program's results do, or those of what `op`
  /// calls: what the engine makes of several ops at once is wrong, or roundings grow on the way. Of the program's
  /// results: `op` is empty.
  bool together = false;
  bool alone = false;  ///< the op parts also in a program of its own; else only among others
};

struct Bisection {
  int64_t agreed = 0;        ///< ops of the entry that gave the same on the same operands, up to the one that parts
  int64_t not_compared = 0;  ///< ops of the entry with effects, or on values that aren't arrays
  std::optional<Parting> parting;
  Invocation reduced;  ///< a small program on which they part, if they do
  std::string reduced_difference;
};

/// Has the engine give every value of the entry, and the reference evaluator do each op on the operands that the engine
/// gave it, so that roundings of one op don't count against the next. Into the first op that parts and calls a
/// computation it goes further: calls, fusions, the branch taken, the loop's first iteration that parts. Last the
/// program's results are compared, as the engine gives them when it isn't asked for more.
/// Errors    those of the engine and of the evaluator
/// Cost      the engine compiles the program once for each 256 MiB of values; the evaluator runs each op once
StatusOr<Bisection> bisect(const Invocation& program, const EngineFunction& engine, const CompareOptions& options = {});

}  // namespace hilo::hlo
