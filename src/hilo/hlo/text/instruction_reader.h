// SPDX-License-Identifier: Apache-2.0
// hlo/text/instruction_reader.h -- the instructions of one computation.
#pragma once

#include "hilo/hlo/text/computation_reader.h"

namespace hilo::hlo::text {

/// Reads `%name = shape opcode(operands), key=value, ...` again and again, up to the closing brace.
Status read_instructions(Cursor& cursor, SharedState& shared, ParsedComputation& computation);

/// Reads a text that is one such instruction, whose name may be missing; its parameters come first.
Status read_instruction_alone(Cursor& cursor, SharedState& shared, ParsedComputation& computation);

/// The nearest of `names` as a hint with '%' before it, or "".
std::string name_hint(std::string_view name, std::span<const std::string_view> names);

/// "cycle: a -> b -> a" for {"a", "b"}.
std::string cycle_text(std::span<const std::string> names);

}  // namespace hilo::hlo::text
