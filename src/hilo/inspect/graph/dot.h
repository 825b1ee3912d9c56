// SPDX-License-Identifier: Apache-2.0
// inspect/graph/dot.h -- a program in the DOT language of Graphviz.
#pragma once

#include <span>
#include <string>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

/// One digraph: a cluster a computation, in it a cluster a fused region of `groups`; an edge an operand, a dashed edge
/// a call.
/// Cost    O(n log n) in the number of instructions
std::string dot_graph(const Module& module, std::span<const InstructionGroup> groups = {});

}  // namespace hilo::hlo
