// SPDX-License-Identifier: Apache-2.0
// hlo/ir/expanded_size.h -- how large a program is once each computation is written down where it is called.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Instructions of the program if every computation stood where it is called; saturates at INT64_MAX.
/// Cost    one look at every instruction
int64_t expanded_instruction_count(const Module& module);

/// The largest expanded_instruction_count() that is compiled or traced: 16,384, or 256 times instruction_count() if that is more.
int64_t max_expanded_instructions(const Module& module);

}  // namespace hilo::hlo
