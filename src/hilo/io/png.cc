// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/png.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "hilo/base/files.h"
#include "hilo/types/checked.h"

namespace hilo::io {
namespace {

void append_big_endian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

// Length, name, data, check sum of name and data.
void append_chunk(std::string& out, std::string_view name, std::string_view data) {
  append_big_endian(out, static_cast<uint32_t>(data.size()));
  const size_t begin = out.size();
  out.append(name).append(data);
  const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + begin);
  append_big_endian(out, static_cast<uint32_t>(::crc32_z(0, bytes, out.size() - begin)));
}

Status check(int64_t width, int64_t height, int64_t channels, size_t bytes) {
  constexpr int64_t kMost = INT32_MAX;  // of the format
  if (width < 1 || height < 1 || width > kMost || height > kMost) {
    return invalid_argument(fmt::format("png: size {} x {}; wanted 1 to {} each", width, height, kMost));
  }
  if (channels < 1 || channels > 4) {
    return invalid_argument(
        fmt::format("png: {} channels; wanted 1 (grey), 3 (red, green, blue), 2 or 4 (the same with alpha)", channels));
  }
  const std::optional<int64_t> wanted = checked_mul(width * channels, height);
  if (!wanted || *wanted != static_cast<int64_t>(bytes)) {
    return invalid_argument(
        fmt::format("png: {} x {} pixels of {} bytes; got {} bytes", width, height, channels, bytes));
  }
  return ok_status();
}

}  // namespace

StatusOr<std::string> png_bytes(int64_t width, int64_t height, int64_t channels, std::span<const uint8_t> pixels) {
  HILO_RETURN_IF_ERROR(check(width, height, channels, pixels.size()));
  const auto row = static_cast<size_t>(width * channels);
  std::string raw;  // each row after its filter's number, 0: none
  raw.reserve(pixels.size() + static_cast<size_t>(height));
  for (size_t y = 0; y < static_cast<size_t>(height); ++y) {
    raw += '\0';
    raw.append(reinterpret_cast<const char*>(pixels.data() + y * row), row);
  }
  uLongf packed_size = ::compressBound(raw.size());
  std::string packed(packed_size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &packed_size, reinterpret_cast<const Bytef*>(raw.data()),
                  raw.size(), Z_DEFAULT_COMPRESSION) != Z_OK) {
    return resource_exhausted(fmt::format("png: {} x {}: out of memory", width, height));
  }
  std::string head;
  append_big_endian(head, static_cast<uint32_t>(width));
  append_big_endian(head, static_cast<uint32_t>(height));
  constexpr std::array<char, 4> kColourTypes = {0, 4, 2, 6};  // by channels
  head += '\x08';                                             // bits a channel
  head += kColourTypes[static_cast<size_t>(channels - 1)];
  head.append(3, '\0');  // deflate, the usual filters, not interlaced
  std::string out("\x89PNG\r\n\x1a\n", 8);
  append_chunk(out, "IHDR", head);
  constexpr size_t kPiece = size_t{1} << 30;  // bytes; a chunk holds less than 2 GiB
  const std::string_view all(packed.data(), packed_size);
  for (size_t at = 0; at < all.size(); at += kPiece) append_chunk(out, "IDAT", all.substr(at, kPiece));
  append_chunk(out, "IEND", "");
  return out;
}

Status write_png(const std::string& path, int64_t width, int64_t height, int64_t channels,
                 std::span<const uint8_t> pixels) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, png_bytes(width, height, channels, pixels));
  return write_file_atomic(path, bytes);
}

Status write_png(const std::string& path, const Literal& pixels) {
  const Shape& shape = pixels.shape();
  if (!shape.is_array() || shape.element_type() != ElementType::kU8 || (shape.rank() != 2 && shape.rank() != 3)) {
    return invalid_argument(
        fmt::format("png: got {}; wanted u8[height, width] or u8[height, width, channels]", shape.to_string()));
  }
  return write_png(path, shape.dimension(1), shape.dimension(0), shape.rank() == 3 ? shape.dimension(2) : 1,
                   pixels.data<uint8_t>());
}

}  // namespace hilo::io
