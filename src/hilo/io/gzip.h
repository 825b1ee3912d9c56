// SPDX-License-Identifier: Apache-2.0
// io/gzip.h -- unpacks .gz files that are in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// True if the bytes begin as a gzip file does.
bool is_gzip(std::string_view bytes);

/// What a gzip file holds; several one after the other count as one.
/// Errors    DATA_LOSS if it is cut off, damaged or followed by other bytes; RESOURCE_EXHAUSTED beyond `limit` bytes.
StatusOr<std::string> gunzip(std::string_view bytes, int64_t limit);

}  // namespace hilo::io
