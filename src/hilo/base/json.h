// SPDX-License-Identifier: Apache-2.0
// base/json.h -- writes strings in JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hilo {

/// Returns the length in bytes of the UTF-8 character at the front, or 0 if it is invalid (RFC 3629, section 4).
size_t utf8_length(std::string_view text);

/// Returns `text` in double quotes with JSON's escapes. Bytes that aren't UTF-8 become U+FFFD.
/// Source    RFC 8259, section 7
std::string json_string(std::string_view text);

}  // namespace hilo
