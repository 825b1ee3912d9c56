// SPDX-License-Identifier: Apache-2.0
// inspect/bisect/bisect.h -- finds the first op on which an engine and the reference evaluator differ.
#pragma once

#include <optional>

#include "hilo/inspect/bisect/reduce.h"

namespace hilo::hlo {

/// The place of divergence.
struct Parting {
  /// The calls, branches and loops around the op, from the outside in: "while 'w', body in iteration 3".
  std::vector<std::string> path;
  std::string op;                     ///< "dot 'y' (model.py:12): f32[4,8] dot(f32[4,16], f32[16,8])"
  std::string difference;             ///< number of different elements, and the largest difference
  std::vector<std::string> operands;  ///< values of the operands, if they are small
  /// No single op diverges on the engine's own operands, but the results of the program do, or of the computations that
  /// `op` calls. Either the engine is wrong about several ops together, or rounding errors grow. For the program's
  /// results, `op` is empty.
  bool together = false;
  bool alone = false;  ///< the op diverges also in a separate program; otherwise only among others
};

struct Bisection {
  int64_t agreed = 0;        ///< ops of the entry that agreed on equal operands, before the diverging one
  int64_t not_compared = 0;  ///< ops of the entry with effects, or with values that aren't arrays
  std::optional<Parting> parting;
  Invocation reduced;  ///< a small diverging program, if there is one
  std::string reduced_difference;
};

/// Finds the first op on which an engine and the reference evaluator differ. The engine returns every value of the
/// entry, and the evaluator computes each op on the engine's operands, so that rounding errors don't accumulate. If the
/// first diverging op calls a computation, the search continues inside: calls, fusions, the selected branch, the first
/// diverging iteration of a loop. Finally the program's results are compared, as the engine computes them without the
/// other values.
/// Errors     those of the engine and of the evaluator
/// Cost       the engine compiles the program once for each 256 MiB of values; the evaluator runs each op once
StatusOr<Bisection> bisect(const Invocation& program, const EngineFunction& engine, const CompareOptions& options = {});

}  // namespace hilo::hlo
