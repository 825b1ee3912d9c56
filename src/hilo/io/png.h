// SPDX-License-Identifier: Apache-2.0
// io/png.h -- writes pictures: 8-bit grey or RGB.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hilo/base/status.h"

namespace hilo::io {

/// A PNG file. Pixels are rows from the top, left to right, one byte each (channels 1) or red, green, blue (channels
/// 3). Errors    INVALID_ARGUMENT if a size is not positive, channels is neither 1 nor 3, or the bytes don't fit the
/// sizes.
StatusOr<std::string> png_bytes(int64_t width, int64_t height, int64_t channels, std::span<const uint8_t> pixels);

/// The same into a file, whole or not at all.
/// Errors    those of png_bytes and write_file_atomic.
Status write_png(const std::string& path, int64_t width, int64_t height, int64_t channels,
                 std::span<const uint8_t> pixels);

}  // namespace hilo::io
