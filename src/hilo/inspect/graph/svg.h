// SPDX-License-Identifier: Apache-2.0
// inspect/graph/svg.h -- a program as a still picture.
#pragma once

#include <span>
#include <string>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

/// An SVG document: the entry computation, its fused regions of `groups` open where they stand, then the computations
/// that are called. The same program gives the same bytes.
/// Cost    O(n log n) in the number of instructions
std::string svg_graph(const Module& module, std::span<const InstructionGroup> groups = {});

}  // namespace hilo::hlo
