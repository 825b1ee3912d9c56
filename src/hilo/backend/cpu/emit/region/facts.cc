// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

namespace hilo::cpu {

RegionFacts analyse_region(const Region& region, Isa isa) {
  RegionFacts facts;
  facts.shape = shape_of_region(region, isa);
  facts.chunks = row_chunks_of(region, facts.shape);
  if (!region.extents.empty()) facts.cuts = cuts_of(region, facts.shape.vector_dimension);
  if (facts.shape.folded > 1) {  // its masks are constants, or there are few
    for (size_t k = facts.shape.vector_dimension; k < facts.cuts.size(); ++k) facts.cuts[k].clear();
  }
  facts.nodes = node_facts(region, facts.shape);
  facts.row = row_loops_of(region, facts.shape, facts.nodes);
  return facts;
}

}  // namespace hilo::cpu
