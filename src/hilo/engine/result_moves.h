// SPDX-License-Identifier: Apache-2.0
// engine/result_moves.h -- separates what a computation computes from how its results arrange it.
#pragma once

#include <optional>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// A computation in two parts.
struct ResultMoves {
  hlo::ComputationPtr values;             ///< computes the tuple of values that the results consist of
  hlo::ComputationPtr moves;              ///< of these values, its parameters, to the results
  std::vector<hlo::InstructionId> moved;  ///< the instructions of `moves` in the whole computation
};

/// Separates the moves to fixed places that nothing but results reads. Returns nullopt without any.
/// Example   (s[0:2], sum(s[2:4])) with s = sin(x)   is   x -> (s, sum(s[2:4])) and (s, t) -> (s[0:2], t)
std::optional<ResultMoves> result_moves(const hlo::Computation& computation);

}  // namespace hilo::engine
