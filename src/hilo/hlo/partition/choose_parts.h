// SPDX-License-Identifier: Apache-2.0
// hlo/partition/choose_parts.h -- chooses along which dimensions an op is sharded.
#pragma once

#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/sharding/mesh_atoms.h"

namespace hilo::hlo {

/// How the arrays of an op are sharded.
struct OpSplits {
  std::vector<ArraySplit> operands, results;
  bool operator==(const OpSplits&) const = default;
};

struct ChosenParts {
  OpSplits splits;
  Atoms partial;  ///< atoms over which results must still be reduced
};

/// Chooses a sharding of an op from the current sharding of its operands and the requested one of its results. Larger
/// arrays take precedence. Of several attempts the one that sends the fewest bytes wins. `voters` is false for
/// constants, which don't vote.
ChosenParts choose_parts(const LocalOp& op, const std::vector<Shape>& operands, const std::vector<Shape>& results,
                         const OpSplits& now, const std::vector<bool>& voters, const MeshAtoms& mesh);

}  // namespace hilo::hlo
