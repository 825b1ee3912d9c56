// SPDX-License-Identifier: Apache-2.0
// base/json.h -- writes strings in JSON.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

/// Returns `text` in double quotes with JSON's escapes. Bytes that aren't UTF-8 become U+FFFD.
/// Source    RFC 8259, section 7
std::string json_string(std::string_view text);

}  // namespace hilo
