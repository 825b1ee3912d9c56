// SPDX-License-Identifier: Apache-2.0
// inspect/graph/labels.h -- the lines of text in a node, for all kinds of pictures.
#pragma once

#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ir/source_lines.h"

namespace hilo::hlo::graph {

/// The text of an instruction's box.
struct NodeLabel {
  std::string title;   ///< "add sum"
  std::string shape;   ///< "f32[4,3]"
  std::string source;  ///< "train.cc:41", or "" if unknown
  std::string calls;   ///< "calls body, condition", or ""
  std::string cost;    ///< "24 flop, 96 B", or "" for none
};
NodeLabel label_of(const Instruction& instruction, const Cost& cost, const SourceLines& lines);

/// Returns "1.5 Mflop, 12 kB, 64 transcendental"; "" for no cost, "at least ..." if not all costs are known.
std::string cost_text(const Cost& cost);

}  // namespace hilo::hlo::graph
