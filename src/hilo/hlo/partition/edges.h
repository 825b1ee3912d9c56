// SPDX-License-Identifier: Apache-2.0
// hlo/partition/edges.h -- checks the shardings of the arguments and results of a program that is to be partitioned.
#pragma once

#include "hilo/hlo/sharding/mesh_atoms.h"
#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

/// Checks that shards have equal sizes and that unreduced arrays can be sums. `what` names `arrays` in messages:
/// "parameter", "result".
/// Errors    INVALID_ARGUMENT for shards of unequal size, UNIMPLEMENTED for sums; those of MeshAtoms::atoms_of
Status check_edges(const std::vector<std::optional<Sharding>>& stated, const std::vector<FlowArrayId>& arrays,
                   const PropagatedFlow& propagated, const MeshAtoms& mesh, std::string_view what);

}  // namespace hilo::hlo
