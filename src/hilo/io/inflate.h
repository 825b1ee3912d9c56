// SPDX-License-Identifier: Apache-2.0
// io/inflate.h -- decompresses deflate streams with a gzip, zlib or no header. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// The header and trailer around the compressed bytes. The values are those of zlib's windowBits.
enum class Framing : int { kRaw = -15, kZlib = 15, kGzip = 31 };

/// Decompresses the stream that begins at bytes[at], appends the result to `out`, and advances `at` to the stream's
/// end.
/// Errors    DATA_LOSS if the stream is truncated or damaged; RESOURCE_EXHAUSTED if `out` exceeds `limit` bytes
Status inflate(std::string_view bytes, size_t& at, Framing framing, int64_t limit, std::string& out);

}  // namespace hilo::io
