// SPDX-License-Identifier: Apache-2.0
// inspect/graph/group.h -- which instructions an engine runs in one go, as pictures are told.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// A fused region, or an instruction that runs by itself.
struct InstructionGroup {
  std::string name;                              ///< "row kernel y"
  std::vector<const Instruction*> instructions;  ///< of the module that is drawn
  double bytes = 0;                              ///< of memory read and written in one run
  bool is_kernel = true;                         ///< false: a library call or a loop
};

}  // namespace hilo::hlo
