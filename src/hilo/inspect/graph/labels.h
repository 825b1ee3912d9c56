// SPDX-License-Identifier: Apache-2.0
// inspect/graph/labels.h -- the lines that stand in a node, for every picture of a program.
#pragma once

#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ir/source_lines.h"

namespace hilo::hlo::graph {

/// What an instruction's box says.
struct NodeLabel {
  std::string title;   ///< "add sum"
  std::string shape;   ///< "f32[4,3]"
  std::string source;  ///< "train.cc:41", or "" if unknown
  std::string calls;   ///< "calls body, condition", or ""
  std::string cost;    ///< "24 flop, 96 B", or "" for none
};
NodeLabel label_of(const Instruction& instruction, const Cost& cost, const SourceLines& lines);

/// "1.5 Mflop, 12 kB, 64 transcendental"; "" for no cost, "at least ..." where not all is known.
std::string cost_text(const Cost& cost);

}  // namespace hilo::hlo::graph
