// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/nodes.h -- emits the nodes of a region: node.cc, load.cc, gather.cc, store.cc.
#pragma once

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

/// Computes node n at the builder's place, if it isn't a constant or reduction.
void emit_node(RegionState& s, uint32_t n);

/// Computes the nodes that change with this dimension and none further in, before any reduction.
void emit_level(RegionState& s, int level);

/// The nodes that loop `loop` over the row computes or reads at the level of row dimension k.
std::vector<uint32_t> row_nodes(const RegionState& s, int loop, size_t k);

/// The value of a kLoad node: zero where its guards don't hold.
llvm::Value* emit_load(RegionState& s, uint32_t n, bool wide);

/// The vector of a load whose index has terms that differ by lane; `mask`, of its guards, may be null. Where indices
/// are computed so that they follow one another, though each is wrapped and clamped by itself, the vector asks whether
/// they do: of windows x[start + 0..8] all but those at the ends of x are one load.
llvm::Value* emit_gather(RegionState& s, uint32_t n, llvm::Value* mask);

/// Writes the outputs of the innermost loop of row loop `loop`, or those outside the row.
void store_outputs(RegionState& s, bool in_row, int loop);

}  // namespace hilo::cpu
