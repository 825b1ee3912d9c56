// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string_view>
#include <vector>

#include "hilo/base/files.h"

namespace hilo::io {
namespace {

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// Takes one chunk off the front and checks its sum.
std::string take_chunk(std::string_view& bytes, std::string_view name) {
  const size_t length = big_endian(bytes);
  const std::string_view named = bytes.substr(4, 4 + length);
  EXPECT_EQ(named.substr(0, 4), name);
  EXPECT_EQ(big_endian(bytes.substr(8 + length)),
            crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size())));
  bytes.remove_prefix(12 + length);
  return std::string(named.substr(4));
}

// The rows of a picture as they are before packing.
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
            "INVALID_ARGUMENT: png: size 0 x 2; wanted 1 to 2147483647 each");
  EXPECT_EQ(png_bytes(2, int64_t{1} << 40, 1, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: size 2 x 1099511627776; wanted 1 to 2147483647 each");
  EXPECT_EQ(png_bytes(3, 2, 2, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: 2 channels; wanted 1 (grey) or 3 (red, green, blue)");
  EXPECT_EQ(png_bytes(3, 3, 1, pixels).status().to_string(),
            "INVALID_ARGUMENT: png: 3 x 3 pixels of 1 bytes; got 6 bytes");
  EXPECT_EQ(png_bytes(INT32_MAX, INT32_MAX, 3, pixels).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::io
