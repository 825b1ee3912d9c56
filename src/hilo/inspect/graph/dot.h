// SPDX-License-Identifier: Apache-2.0
// inspect/graph/dot.h -- programs in the DOT language of Graphviz.
#pragma once

#include <span>
#include <string>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

/// Returns a digraph: a cluster per computation, in it a cluster per fused region of `groups`; an edge per operand, a
/// dashed edge per call.
/// Cost       O(n log n) in the number of instructions
std::string dot_graph(const Module& module, std::span<const InstructionGroup> groups = {});

}  // namespace hilo::hlo
