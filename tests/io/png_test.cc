// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/io/npz.h"
#include "tests/paths.h"

namespace hilo::io {
namespace {

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// Removes one chunk from the front and checks its CRC.
std::string take_chunk(std::string_view& bytes, std::string_view name) {
  const size_t length = big_endian(bytes);
  const std::string_view named = bytes.substr(4, 4 + length);
  EXPECT_EQ(named.substr(0, 4), name);
  EXPECT_EQ(big_endian(bytes.substr(8 + length)),
            crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size())));
  bytes.remove_prefix(12 + length);
  return std::string(named.substr(4));
}

// The rows of an image before compression.
std::string rows_of(std::string_view file, size_t size, std::string_view head) {
  EXPECT_TRUE(file.starts_with("\x89PNG\r\n\x1a\n"));
  file.remove_prefix(8);
  EXPECT_EQ(take_chunk(file, "IHDR"), head);
  const std::string packed = take_chunk(file, "IDAT");
  EXPECT_EQ(take_chunk(file, "IEND"), "");
  EXPECT_TRUE(file.empty());
  std::string rows(size, '\0');
  uLongf got = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &got, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(got, size);
  return rows;
}

TEST(Png, HoldsGreyPixels) {
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6};
  const StatusOr<std::string> file = png_bytes(3, 2, 1, pixels);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(rows_of(*file, 8, std::string("\0\0\0\3\0\0\0\2\x08\0\0\0\0", 13)), std::string("\0\1\2\3\0\4\5\6", 8));
}

TEST(Png, HoldsRgbPixels) {
  const std::vector<uint8_t> pixels = {255, 0, 0, 0, 255, 0};
  const StatusOr<std::string> file = png_bytes(1, 2, 3, pixels);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(rows_of(*file, 8, std::string("\0\0\0\1\0\0\0\2\x08\2\0\0\0", 13)), std::string("\0\xff\0\0\0\0\xff\0", 8));
}

TEST(Png, GoesIntoAFile) {
  const std::string path = ::testing::TempDir() + "hilo_png_test.png";
  const std::vector<uint8_t> pixels(100 * 50 * 3, 7);
  ASSERT_TRUE(write_png(path, 100, 50, 3, pixels).ok());
  EXPECT_EQ(*read_file(path), *png_bytes(100, 50, 3, pixels));
  std::remove(path.c_str());
  EXPECT_EQ(write_png(path, 100, 50, 1, pixels).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(file_exists(path));
}

TEST(PngError, NamesWhatDoesNotFit) {
  const std::vector<uint8_t> pixels(6);
  EXPECT_EQ(png_bytes(0, 2, 1, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: got size 0 x 2; wanted 1 to 2147483647 for both");
  EXPECT_EQ(png_bytes(2, int64_t{1} << 40, 1, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: got size 2 x 1099511627776; wanted 1 to 2147483647 for both");
  EXPECT_EQ(png_bytes(3, 2, 5, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: 5 channels; wanted 1 (grey), 3 (red, green, blue), 2 or 4 (the same with alpha)");
  EXPECT_EQ(png_bytes(3, 3, 1, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: 3 x 3 pixels of 1 bytes; got 6 bytes");
  EXPECT_EQ(png_bytes(INT32_MAX, INT32_MAX, 3, pixels).status().code(), StatusCode::kInvalidArgument);
}

TEST(Png, HoldsAlpha) {
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int64_t channels : {2, 4}) {
    const StatusOr<std::string> file = png_bytes(4 / channels, 2, channels, pixels);
    ASSERT_TRUE(file.ok());
    const StatusOr<Literal> back = parse_png(*file, "x");
    ASSERT_TRUE(back.ok()) << back.status().to_string();
    EXPECT_TRUE(std::ranges::equal(back->data<uint8_t>(), pixels));
    EXPECT_EQ(back->shape(), Shape::array(ElementType::kU8, {2, 4 / channels, channels}));
  }
}

TEST(Png, WritesArrays) {
  const std::string path = ::testing::TempDir() + "hilo_png_array_test.png";
  const Literal pixels = Literal::array<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(write_png(path, pixels).ok());
  EXPECT_EQ(read_png(path)->to_string(), "u8[2,3,1] {{{1}, {2}, {3}}, {{4}, {5}, {6}}}");
  EXPECT_EQ(write_png(path, Literal::array<float>({1, 1}, {1})).to_string(),
            "INVALID_ARGUMENT: png: got f32[1,1]; wanted u8[height, width] or u8[height, width, channels]");
  std::remove(path.c_str());
}

std::string data(const std::string& name) { return std::string(tests::kSourceDir) + "/tests/io/data/" + name; }

TEST(PngReading, GivesThePixelsOfEveryKindOfFile) {
  const StatusOr<NamedLiterals> pixels = read_npz(data("pixels.npz"));
  ASSERT_TRUE(pixels.ok()) << pixels.status().to_string();
  int pictures = 0;
  for (const auto& [name, wanted] : *pixels) {
    if (name.ends_with("_jpg")) continue;
    const StatusOr<Literal> picture = read_png(data(name + ".png"));
    ASSERT_TRUE(picture.ok()) << picture.status().to_string();
    EXPECT_TRUE(picture->identical(wanted))
        << name << ": " << picture->to_string(20) << " and " << wanted.to_string(20);
    ++pictures;
  }
  EXPECT_EQ(pictures, 26);  // 22 kinds of samples, two palettes, a transparent colour, all filters
}

TEST(PngReading, EveryPrefixIsAnError) {
  const std::string bytes = *read_file(data("rgba8_interlaced.png"));
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(parse_png(bytes.substr(0, size), "x").ok()) << size;
}

TEST(PngReading, EveryDamagedByteIsAnError) {
  const std::string bytes = *read_file(data("palette.png"));
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_FALSE(parse_png(other, "x").ok()) << at;
  }
}

// An image with this header and one IDAT, the compressed `rows`.
std::string picture(std::string_view head, std::string_view rows) {
  const auto chunk = [](std::string name, std::string_view content) {
    const auto number = [](uint64_t value) {
      std::string out;
      for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
      return out;
    };
    name += content;
    return number(content.size()) + name + number(crc32_z(0, reinterpret_cast<const Bytef*>(name.data()), name.size()));
  };
  std::string packed(compressBound(rows.size()), '\0');
  uLongf size = packed.size();
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                     rows.size()),
            Z_OK);
  packed.resize(size);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) + chunk("IDAT", packed) + chunk("IEND", "");
}
std::string error_of(std::string_view head, std::string_view rows) {
  const StatusOr<Literal> parsed = parse_png(picture(head, rows), "a.png");
  return parsed.ok() ? "no error" : parsed.status().to_string();
}

TEST(PngReadingError, NamesWhatIsWrong) {
  using namespace std::string_view_literals;
  EXPECT_EQ(error_of("\0\0\0\1\0\0\0\1\x08\0\0\0\0"sv, "\0\7"sv), "no error");
  EXPECT_EQ(error_of("\0\0\0\1\0\0\0\1\x08\0\0\0\0"sv, "\5\7"sv), "INVALID_ARGUMENT: a.png: bad adaptive filter value");
  EXPECT_EQ(error_of("\0\0\0\1\0\0\0\1\x08\0\0\0\0"sv, "\0\7\7"sv),
            "INVALID_ARGUMENT: a.png: IDAT: Too much image data");
  EXPECT_EQ(error_of("\0\0\0\1\0\0\0\1\x03\0\0\0\0"sv, "\0\7"sv),
            "INVALID_ARGUMENT: a.png: Invalid IHDR data (Invalid bit depth in IHDR)");
  EXPECT_EQ(error_of("\0\0\0\0\0\0\0\1\x08\0\0\0\0"sv, "\0\7"sv),
            "INVALID_ARGUMENT: a.png: Invalid IHDR data (Image width is zero in IHDR)");
  EXPECT_EQ(error_of("\0\0\0\1\0\0\0\1\x08\3\0\0\0"sv, "\0\7"sv),
            "INVALID_ARGUMENT: a.png: IDAT: Missing PLTE before IDAT");
  EXPECT_EQ(error_of("\0\0\x40\0\0\0\x40\0\x08\0\0\0\0"sv, "\0\7"sv),
            "DATA_LOSS: a.png: 16384 x 16384 pixels can't be encoded in 67 bytes");
  EXPECT_EQ(error_of("\x7f\0\0\0\x7f\0\0\0\x10\6\0\0\0"sv, "\0\7"sv),
            "RESOURCE_EXHAUSTED: a.png: 2130706432 x 2130706432 pixels of 4 channels; limit is 1073741824 bytes");
  EXPECT_EQ(read_png(data("rgb.jpg")).status().to_string(),
            "INVALID_ARGUMENT: " + data("rgb.jpg") + ": a JPEG picture; wanted a PNG picture");
}

}  // namespace
}  // namespace hilo::io
