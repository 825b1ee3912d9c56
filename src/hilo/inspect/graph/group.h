// SPDX-License-Identifier: Apache-2.0
// inspect/graph/group.h -- groups of instructions that an engine runs together, for pictures.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// A fused region, or an instruction that runs by itself.
struct InstructionGroup {
  std::string name;                              ///< "row kernel y"
  std::vector<const Instruction*> instructions;  ///< of the drawn module
  double bytes = 0;                              ///< read and written in one run
  bool is_kernel = true;                         ///< false: a library call or a loop
};

}  // namespace hilo::hlo
