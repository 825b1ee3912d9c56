// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/region/node_traits.h"
#include "hilo/base/sizes.h"

namespace hilo::cpu {
namespace {

/// Marks the nodes for which each loop exists: reductions, and values that are written along the row.
void find_roots(RowLoops& loops, const Region& region, const std::vector<NodeFacts>& nodes) {
  const auto add = [&](uint32_t n) {
    const size_t loop = nodes[n].stage;
    if (loops.evaluated.size() <= loop) loops.evaluated.resize(loop + 1, std::vector<bool>(nodes.size(), false));
    loops.evaluated[loop][n] = true;
  };
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (region.nodes[n].kind == NodeKind::kReduce) add(n);
  }
  for (const RegionOutput& o : region.outputs) {
    if (nodes[o.node].in_row || o.index.coefficients.size() > region.row_begin) add(o.node);
  }
  loops.count = static_cast<int>(loops.evaluated.size());
}

/// Returns the first loop before `loop` that computes node n, or -1.
int first_loop_of(const RowLoops& loops, int loop, uint32_t n) {
  for (int earlier = 0; earlier < loop; ++earlier) {
    if (loops.evaluated[earlier][n]) return earlier;
  }
  return -1;
}

}  // namespace

RowLoops row_loops_of(const Region& region, const RegionShape& shape, const std::vector<NodeFacts>& nodes) {
  RowLoops loops;
  loops.stored_in.assign(nodes.size(), -1);
  if (!region.has_row()) return loops;
  find_roots(loops, region, nodes);
  int64_t tile = is_column(region, shape) ? shape.lanes : 1, left = engine::kMaxKeptBytes;
  for (size_t k = region.row_begin; k < region.extents.size(); ++k) tile *= region.extents[k];
  for (int loop = 0; loop < loops.count; ++loop) {
    std::vector<bool>& here = loops.evaluated[loop];
    const auto need = [&](uint32_t n) {
      if (nodes[n].in_row && region.nodes[n].kind != NodeKind::kReduce) here[n] = true;
    };
    for (auto n = size32(nodes); n-- > 0;) {
      if (!here[n] || (loops.stored_in[n] >= 0 && loops.stored_in[n] < loop)) continue;
      const int64_t bytes = tile * register_bytes(region.nodes[n].type);
      if (is_expensive(region.nodes[n]) && nodes[n].in_row && loops.stored_in[n] < 0 && bytes <= left) {
        loops.stored_in[n] = first_loop_of(loops, loop, n);
        if (loops.stored_in[n] >= 0) {
          left -= bytes;
          continue;
        }
      }
      for (uint32_t o : region.nodes[n].operands) need(o);
      for_each_term(region.nodes[n], need);
    }
  }
  return loops;
}

}  // namespace hilo::cpu
