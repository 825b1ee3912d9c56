// SPDX-License-Identifier: Apache-2.0
// io/jpeg.h -- reads JPEG images with libjpeg-turbo, which is opened on first use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

/// Reads a JPEG file with the library's most accurate decoder. The orientation in EXIF data is ignored.
/// Shapes    u8[height, width, 1] for grey images, u8[height, width, 3] (red, green, blue) for others
/// Errors    FAILED_PRECONDITION if the library isn't installed; INVALID_ARGUMENT for other files and for CMYK;
///           DATA_LOSS for a damaged file; RESOURCE_EXHAUSTED if the image has more than `limit` bytes
StatusOr<Literal> read_jpeg(const std::string& path, int64_t limit = int64_t{1} << 30);

/// Like read_jpeg, for bytes in memory. Messages use `name` as the file name.
StatusOr<Literal> parse_jpeg(std::string_view bytes, std::string_view name, int64_t limit = int64_t{1} << 30);

}  // namespace hilo::io
