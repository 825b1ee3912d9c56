// SPDX-License-Identifier: Apache-2.0
// hlo/graph/dot.h -- a program in the DOT language of Graphviz.
#pragma once

#include <string>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// One digraph: a cluster a computation, an edge an operand, a dashed edge a call.
/// Cost    linear in the program
std::string dot_graph(const Module& module);

}  // namespace hilo::hlo
