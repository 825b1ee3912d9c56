// SPDX-License-Identifier: Apache-2.0
// io/png.h -- PNG pictures in and out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

/// A PNG file. Pixels are rows from the top, left to right, one byte each (channels 1), grey and alpha (2), red, green,
/// blue (3), and alpha (4).
/// Errors    INVALID_ARGUMENT if a size is not positive, channels is not 1 to 4, or the bytes don't fit the sizes
StatusOr<std::string> png_bytes(int64_t width, int64_t height, int64_t channels, std::span<const uint8_t> pixels);

/// The same into a file, whole or not at all.
/// Errors    those of png_bytes and write_file_atomic
Status write_png(const std::string& path, int64_t width, int64_t height, int64_t channels,
                 std::span<const uint8_t> pixels);

/// The same of an array.
/// Shapes    u8[height, width] or u8[height, width, channels]
/// Errors    INVALID_ARGUMENT for other shapes and types
Status write_png(const std::string& path, const Literal& pixels);

/// The picture in a PNG file of any kind that the standard has: grey, colours or a palette, 1 to 16 bits a sample,
/// interlaced or not. A palette becomes colours; tRNS becomes an alpha channel; gamma and the like are left alone.
/// Shapes    u8[height, width, channels]; u16 for files of 16 bits. Fewer bits become 8: the largest is 255
/// Errors    INVALID_ARGUMENT for a file that says two things; DATA_LOSS for one that is cut off or whose checksums
///           differ; RESOURCE_EXHAUSTED if the picture has more than `limit` bytes
/// Cost      what the header claims is never allocated before it is held against the file's size
/// Source    W3C, Portable Network Graphics (Third Edition), 2025
StatusOr<Literal> read_png(const std::string& path, int64_t limit = int64_t{1} << 30);

/// The same from bytes in memory; `name` stands for the file in messages.
StatusOr<Literal> parse_png(std::string_view bytes, std::string_view name, int64_t limit = int64_t{1} << 30);

}  // namespace hilo::io
