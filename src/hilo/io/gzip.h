// SPDX-License-Identifier: Apache-2.0
// io/gzip.h -- decompresses .gz files in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// Returns whether the bytes begin with the gzip signature.
bool is_gzip(std::string_view bytes);

/// Decompresses a gzip file. Several members are concatenated.
/// Errors    DATA_LOSS if the file is truncated, damaged or followed by other bytes; RESOURCE_EXHAUSTED above `limit`
///           bytes
StatusOr<std::string> gunzip(std::string_view bytes, int64_t limit);

}  // namespace hilo::io
