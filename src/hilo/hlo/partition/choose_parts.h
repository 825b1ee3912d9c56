// SPDX-License-Identifier: Apache-2.0
// hlo/partition/choose_parts.h -- along which of its dimensions an op is shared.
#pragma once

#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/sharding/mesh_atoms.h"

namespace hilo::hlo {

/// How the arrays of an op are cut.
struct OpSplits {
  std::vector<ArraySplit> operands, results;
  bool operator==(const OpSplits&) const = default;
};

struct ChosenParts {
  OpSplits splits;
  Atoms partial;  ///< results are still to be reduced over these
};

/// By what its arrays are: operands as they lie, results as they are wanted. The largest array has the first word; of several
/// ways to listen that counts which sends the fewest bytes. `voters` say which operands lie somewhere at all; constants don't.
ChosenParts choose_parts(const LocalOp& op, const std::vector<Shape>& operands, const std::vector<Shape>& results,
                         const OpSplits& now, const std::vector<bool>& voters, const MeshAtoms& mesh);

}  // namespace hilo::hlo
