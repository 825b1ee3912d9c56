// SPDX-License-Identifier: Apache-2.0
// hlo/text/instruction_reader.h -- reads the instructions of one computation.
#pragma once

#include "hilo/hlo/text/computation_reader.h"

namespace hilo::hlo::text {

/// Reads `%name = shape opcode(operands), key=value, ...` repeatedly, up to the closing brace.
Status read_instructions(Cursor& cursor, SharedState& shared, ParsedComputation& computation);

/// Reads a text that is one such instruction with an optional name; parameters are created before it.
Status read_instruction_alone(Cursor& cursor, SharedState& shared, ParsedComputation& computation);

/// Returns the closest of `names` as a hint with '%' before it, or "".
std::string name_hint(std::string_view name, std::span<const std::string_view> names);

/// Returns "cycle: a -> b -> a" for {"a", "b"}.
std::string cycle_text(std::span<const std::string> names);

}  // namespace hilo::hlo::text
