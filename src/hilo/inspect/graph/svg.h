// SPDX-License-Identifier: Apache-2.0
// inspect/graph/svg.h -- pictures of programs as SVG.
#pragma once

#include <span>
#include <string>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

/// Returns an SVG document: the entry computation with its fused regions of `groups` open, then the called
/// computations. Equal programs give equal bytes.
/// Cost       O(n log n) in the number of instructions
std::string svg_graph(const Module& module, std::span<const InstructionGroup> groups = {});

}  // namespace hilo::hlo
