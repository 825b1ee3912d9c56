// SPDX-License-Identifier: Apache-2.0
// hlo/graph/labels.h -- the lines that stand in a node, for every picture of a program.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo::graph {

/// What an instruction's box says.
struct NodeLabel {
  std::string title;   ///< "add sum"
  std::string shape;   ///< "f32[4,3]"
  std::string source;  ///< "train.cc:41", or "" if unknown
  std::string calls;   ///< "calls body, condition", or ""
};
NodeLabel label_of(const Instruction& instruction);

}  // namespace hilo::hlo::graph
