// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

namespace hilo::cpu {

namespace {

RegionFacts facts_of(const Region& region, const RegionShape& shape, Isa isa) {
  RegionFacts facts;
  facts.shape = shape;
  facts.column_loads = column_loads(region, facts.shape, isa);
  facts.chunks = row_chunks_of(region, facts.shape);
  if (!region.extents.empty()) facts.cuts = cuts_of(region, facts.shape.vector_dimension);
  if (facts.shape.folded > 1) {  // its masks are constants, or there are few
    for (size_t k = facts.shape.vector_dimension; k < facts.cuts.size(); ++k) facts.cuts[k].clear();
  }
  facts.nodes = node_facts(region, facts.shape);
  facts.row = row_loops_of(region, facts.shape, facts.nodes);
  return facts;
}

}  // namespace

RegionFacts analyse_region(const Region& region, Isa isa) { return facts_of(region, shape_of_rows(region, isa), isa); }

RegionFacts analyse_columns(const Region& region, Isa isa) {
  return facts_of(region, shape_of_columns(region, isa), isa);
}

}  // namespace hilo::cpu
