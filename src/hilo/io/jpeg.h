// SPDX-License-Identifier: Apache-2.0
// io/jpeg.h -- JPEG pictures in, by libjpeg-turbo, which is opened when the first one is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

/// The picture in a JPEG file, decoded as accurately as the library can; orientation in EXIF data is left alone.
/// Shapes    u8[height, width, 1] for grey pictures, u8[height, width, 3] (red, green, blue) for others
/// Errors    FAILED_PRECONDITION if the library isn't installed; INVALID_ARGUMENT for other files and CMYK; DATA_LOSS
///           for one that is damaged; RESOURCE_EXHAUSTED if the picture has more than `limit` bytes
StatusOr<Literal> read_jpeg(const std::string& path, int64_t limit = int64_t{1} << 30);

/// The same from bytes in memory; `name` stands for the file in messages.
StatusOr<Literal> parse_jpeg(std::string_view bytes, std::string_view name, int64_t limit = int64_t{1} << 30);

}  // namespace hilo::io
