// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/edges.h"

#include <fmt/format.h>

#include "hilo/hlo/partition/summands.h"

namespace hilo::hlo {

Status check_edges(const std::vector<std::optional<Sharding>>& stated, const std::vector<FlowArrayId>& arrays,
                   const PropagatedFlow& propagated, const MeshAtoms& mesh, std::string_view what) {
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i]) continue;
    HILO_ASSIGN_OR_RETURN(const Unreduced sum, unreduced_of(*stated[i], mesh));
    HILO_RETURN_IF_ERROR(check_summands(propagated.flow.arrays[arrays[i]].shape, propagated.splits[arrays[i]], sum)
                             .with_context(fmt::format("{} {}", what, i)));
    for (size_t d = 0; d < stated[i]->dimensions.size(); ++d) {
      HILO_ASSIGN_OR_RETURN(const Atoms atoms, mesh.atoms_of(stated[i]->dimensions[d].axes));
      const Shape& shape = propagated.flow.arrays[arrays[i]].shape;
      const int64_t size = shape.dimension(d);
      if (size % mesh.size(atoms) != 0)
        return invalid_argument(
            fmt::format("{} {} of {} is to be sharded by {} devices along dimension {}, which should "
                        "evenly divide its size {}",
                        what, i, shape.to_string(), mesh.size(atoms), d, size));
    }
  }
  return ok_status();
}

}  // namespace hilo::hlo
