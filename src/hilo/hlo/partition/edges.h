// SPDX-License-Identifier: Apache-2.0
// hlo/partition/edges.h -- what callers see of a program that is to be partitioned: its arguments and results.
#pragma once

#include "hilo/hlo/sharding/mesh_atoms.h"
#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

/// Whether parts are of one size, and sums have summands. `what` are `arrays`: "parameter", "result".
/// Errors    INVALID_ARGUMENT for the one, UNIMPLEMENTED for the other; those of MeshAtoms::atoms_of
Status check_edges(const std::vector<std::optional<Sharding>>& stated, const std::vector<FlowArrayId>& arrays,
                   const PropagatedFlow& propagated, const MeshAtoms& mesh, std::string_view what);

}  // namespace hilo::hlo
