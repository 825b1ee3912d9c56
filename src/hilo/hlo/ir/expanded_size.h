// SPDX-License-Identifier: Apache-2.0
// hlo/ir/expanded_size.h -- the size of a program with every call replaced by the called computation.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Returns the number of instructions after inlining every call. Saturates at INT64_MAX.
/// Cost      one pass over the instructions
int64_t expanded_instruction_count(const Module& module);

/// Returns the largest expanded_instruction_count() that is compiled or traced: 16,384, or 256 times
/// instruction_count() if that is more.
int64_t max_expanded_instructions(const Module& module);

}  // namespace hilo::hlo
