// SPDX-License-Identifier: Apache-2.0
// hlo/ir/frontend_attribute.h -- what an instruction's frontend attributes, {key="value", ...}, say of a key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// The value, without its quotes; "" if the key isn't there.
std::string frontend_attribute(std::string_view attributes, std::string_view key);
/// A value that is a number; nothing if it isn't there.
std::optional<int64_t> frontend_number(const Instruction& instruction, std::string_view key);

}  // namespace hilo::hlo
