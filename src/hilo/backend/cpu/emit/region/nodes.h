// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/nodes.h -- emits the nodes of a region: node.cc, load.cc, gather.cc, store.cc.
#pragma once

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

/// Emits node n at the builder's position, unless it is a constant or reduction.
void emit_node(RegionState& s, uint32_t n);

/// Emits the nodes whose innermost dimension is this one, before any reduction.
void emit_level(RegionState& s, int level);

/// Returns the nodes that loop `loop` over the row computes or reads at the level of row dimension k.
std::vector<uint32_t> row_nodes(const RegionState& s, int loop, size_t k);

/// Emits a kLoad node. The value is zero where its guards don't hold.
llvm::Value* emit_load(RegionState& s, uint32_t n, bool wide);

/// Emits the loads of all columns of which node n is the first. Emits nothing and returns false if it isn't one, or if
/// a mask is needed.
bool emit_column_loads(RegionState& s, uint32_t n);

/// Emits the vector of a load whose index has terms that differ by lane. `mask`, of its guards, may be null. Computed
/// indices may be consecutive although each is wrapped and clamped separately. In that case the code tests whether they
/// are consecutive. Example: of windows x[start + 0..8], all except those at the ends of x are one load.
llvm::Value* emit_gather(RegionState& s, uint32_t n, llvm::Value* mask);

/// Emits stores of the outputs of the innermost loop of row loop `loop`, or of those outside the row.
void store_outputs(RegionState& s, bool in_row, int loop);

}  // namespace hilo::cpu
