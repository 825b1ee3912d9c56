// SPDX-License-Identifier: Apache-2.0
// base/json.h -- strings as JSON has them.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

/// `text` in double quotes with what JSON demands escaped; bytes that aren't UTF-8 become U+FFFD.
/// Source    RFC 8259, section 7
std::string json_string(std::string_view text);

}  // namespace hilo
