// SPDX-License-Identifier: Apache-2.0
// io/png.h -- reads and writes PNG images.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hilo/types/literal.h"

namespace hilo::io {

/// Encodes an image as PNG. Pixels are stored row by row from the top left, with one byte per channel: grey (1
/// channel), grey and alpha (2), red, green, blue (3), red, green, blue, alpha (4).
/// Errors    INVALID_ARGUMENT if a size is not positive, `channels` is not 1 to 4, or the number of bytes doesn't match
///           the sizes
StatusOr<std::string> png_bytes(int64_t width, int64_t height, int64_t channels, std::span<const uint8_t> pixels);

/// Writes an image to a PNG file, which is replaced atomically.
/// Errors    those of png_bytes and write_file_atomic
Status write_png(const std::string& path, int64_t width, int64_t height, int64_t channels,
                 std::span<const uint8_t> pixels);

/// Writes an array as a PNG file, which is replaced atomically.
/// Shapes    u8[height, width] or u8[height, width, channels]
/// Errors    INVALID_ARGUMENT for other shapes and types
Status write_png(const std::string& path, const Literal& pixels);

/// Reads a PNG file of any standard kind: grey, colour or palette, 1 to 16 bits per sample, interlaced or not. A
/// palette is replaced by its colours, and tRNS by an alpha channel. Gamma and colour profiles are ignored.
/// Shapes    u8[height, width, channels]; u16 for files of 16 bits. Samples of fewer than 8 bits are scaled to 0...255.
/// Errors    INVALID_ARGUMENT for an inconsistent file; DATA_LOSS if it is truncated or a checksum differs;
///           RESOURCE_EXHAUSTED if the image has more than `limit` bytes
/// Cost      the header is checked against the file's size before any allocation
/// Source    W3C, Portable Network Graphics (Third Edition), 2025
StatusOr<Literal> read_png(const std::string& path, int64_t limit = int64_t{1} << 30);

/// Like read_png, for bytes in memory. Messages use `name` as the file name.
StatusOr<Literal> parse_png(std::string_view bytes, std::string_view name, int64_t limit = int64_t{1} << 30);

}  // namespace hilo::io
