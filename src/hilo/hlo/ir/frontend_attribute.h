// SPDX-License-Identifier: Apache-2.0
// hlo/ir/frontend_attribute.h -- reads single keys of an instruction's frontend attributes, {key="value", ...}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Returns the value without its quotes, or "" if the key is missing.
std::string frontend_attribute(std::string_view attributes, std::string_view key);
/// Returns the value as a number, or nothing if the key is missing.
std::optional<int64_t> frontend_number(const Instruction& instruction, std::string_view key);

}  // namespace hilo::hlo
