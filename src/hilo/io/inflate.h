// SPDX-License-Identifier: Apache-2.0
// io/inflate.h -- unpacks what deflate packed, in the framing of gzip, zlib or none. Not for users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// What stands around the packed bytes; the values are zlib's.
enum class Framing : int { kRaw = -15, kZlib = 15, kGzip = 31 };

/// Appends to `out` what one stream holds that begins at bytes[at], and moves `at` to its end.
/// Errors    DATA_LOSS if it is cut off or damaged; RESOURCE_EXHAUSTED if `out` gets more than `limit` bytes
Status inflate(std::string_view bytes, size_t& at, Framing framing, int64_t limit, std::string& out);

}  // namespace hilo::io
