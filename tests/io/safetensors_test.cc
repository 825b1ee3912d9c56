// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/safetensors.h"

#include <gtest/gtest.h>

#include "hilo/base/files.h"
#include "tests/paths.h"

namespace hilo::io {
namespace {

std::string data(const std::string& name) { return std::string(tests::kSourceDir) + "/tests/io/data/" + name; }

// A file with this header, followed by `bytes` bytes.
std::string file_of(std::string_view header, size_t bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + std::string(header) + std::string(bytes, '\1');
}

std::string error_of(std::string_view header, size_t bytes) {
  const StatusOr<Safetensors> parsed = parse_safetensors(file_of(header, bytes), "w");
  return parsed.ok() ? "no error" : parsed.status().to_string();
}

std::string entry(std::string_view name, int begin, int end, std::string_view shape = "[2]") {
  return "\"" + std::string(name) + "\":{\"dtype\":\"U8\",\"shape\":" + std::string(shape) + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

TEST(Safetensors, ReadsWhatHuggingFaceWrites) {
  const StatusOr<Safetensors> file = read_safetensors(data("tensors.safetensors"));
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  EXPECT_EQ(file->tensors.at("w").to_string(), "f32[2,3] {{0, 1, 2}, {3, 4, 5}}");
  EXPECT_EQ(file->tensors.at("b").to_string(), "s64[2] {1, 2}");
  EXPECT_EQ(file->tensors.at("scalar").to_string(), "u8[] 5");
  EXPECT_EQ(file->tensors.at("empty").shape(), Shape::array(ElementType::kF16, {0, 3}));
  EXPECT_EQ(file->metadata, (Metadata{{"format", "np"}}));
}

TEST(Safetensors, ReadsOneTensorOfAFile) {
  const StatusOr<SafetensorsFile> file = open_safetensors(data("tensors.safetensors"));
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  EXPECT_EQ(file->tensor("b")->to_string(), "s64[2] {1, 2}");
  EXPECT_EQ(file->tensor("scalr").status().to_string(),
            "NOT_FOUND: " + data("tensors.safetensors") + ": no tensor 'scalr'. Hint: did you mean 'scalar'?");
}

TEST(Safetensors, GivesBackWhatWasPutIn) {
  NamedLiterals tensors = {{"\"\\\n\u00e4", Literal::scalar(true)}, {"", Literal::array<float>({3}, {1, 2, 3})}};
  for (ElementType type : {ElementType::kS8, ElementType::kS16, ElementType::kS64, ElementType::kU16, ElementType::kU32,
                           ElementType::kU64, ElementType::kF16, ElementType::kBf16, ElementType::kF64,
                           ElementType::kC64, ElementType::kF8E4M3Fn, ElementType::kF8E5M2, ElementType::kF8E8M0Fnu}) {
    Literal literal(Shape::array(type, {3, 5}));
    uint8_t next = 0;
    for (std::byte& b : literal.mutable_bytes()) b = std::byte{next++};
    tensors.emplace(element_type_name(type), std::move(literal));
  }
  const std::string bytes = *safetensors_bytes(tensors, {{"a", "b\t"}});
  const StatusOr<Safetensors> back = parse_safetensors(bytes, "x");
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  ASSERT_EQ(back->tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(back->tensors.at(name).identical(tensor)) << name;
  EXPECT_EQ(back->metadata, (Metadata{{"a", "b\t"}}));
}

TEST(Safetensors, TensorsOfAFileAreAligned) {
  const std::string bytes = *safetensors_bytes({{"a", Literal::scalar(uint8_t{1})},
                                                {"b", Literal::array<double>({1}, {2})},
                                                {"c", Literal::scalar(int16_t{1})}});
  const StatusOr<SafetensorsHeader> header = parse_safetensors_header(bytes);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->size % 64, 0);
  for (const SafetensorsEntry& one : header->tensors) {
    EXPECT_EQ(one.begin % element_size_bytes(one.shape.element_type()), 0) << one.name;
  }
}

TEST(Safetensors, AnyByteButZeroIsTrue) {
  const std::string header = R"({"x":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})";
  std::string file = file_of(header, 0) + std::string("\0\x07", 2);
  EXPECT_EQ(parse_safetensors(file, "x")->tensors.at("x").to_string(), "pred[2] {false, true}");
}

TEST(SafetensorsError, LengthOfTheHeader) {
  EXPECT_EQ(parse_safetensors("abc", "w").status().to_string(),
            "INVALID_ARGUMENT: w: ends at byte 3, within the header's length");
  EXPECT_EQ(parse_safetensors(std::string("\x10\0\0\0\0\0\0\0{}", 10), "w").status().to_string(),
            "INVALID_ARGUMENT: w: header says 16 bytes, file has 2");
  EXPECT_EQ(parse_safetensors(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), "w").status().to_string(),
            "INVALID_ARGUMENT: w: header says 18446744073709551615 bytes; wanted at most 100000000");
  EXPECT_EQ(error_of("[]", 0), "INVALID_ARGUMENT: w: header: byte 0: wanted '{'");
  EXPECT_EQ(error_of("", 0), "INVALID_ARGUMENT: w: header: byte 0: wanted '{'");
}

TEST(SafetensorsError, OverlapsAndHoles) {
  EXPECT_EQ(error_of("{" + entry("v", 0, 2) + "," + entry("w", 1, 3) + "}", 3),
            "INVALID_ARGUMENT: w: header: 'w' bytes [1,3) overlap 'v' [0,2)");
  EXPECT_EQ(error_of("{" + entry("v", 0, 2) + "," + entry("w", 0, 2) + "}", 2),
            "INVALID_ARGUMENT: w: header: 'w' bytes [0,2) overlap 'v' [0,2)");
  EXPECT_EQ(error_of("{" + entry("v", 0, 2) + "," + entry("w", 3, 5) + "}", 5),
            "INVALID_ARGUMENT: w: header: bytes [2,3) before 'w' belong to no tensor");
  EXPECT_EQ(error_of("{" + entry("v", 0, 2) + "}", 7),
            "INVALID_ARGUMENT: w: header: bytes [2,7) at the end belong to no tensor");
  EXPECT_EQ(error_of("{}", 1), "INVALID_ARGUMENT: w: header: bytes [0,1) at the end belong to no tensor");
  EXPECT_EQ(error_of("{" + entry("v", 0, 2) + "," + entry("e", 1, 1, "[0]") + "}", 2),
            "INVALID_ARGUMENT: w: header: 'e' bytes [1,1) overlap 'v' [0,2)");
}

TEST(SafetensorsError, NamesThatAppearTwice) {
  EXPECT_EQ(error_of("{" + entry("w", 0, 2) + "," + entry("w", 2, 4) + "}", 4),
            "INVALID_ARGUMENT: w: header: byte 57: key 'w' appears twice");
  EXPECT_EQ(error_of(R"({"__metadata__":{"a":"1","a":"2"}})", 0),
            "INVALID_ARGUMENT: w: header: byte 32: key 'a' appears twice");
  EXPECT_EQ(error_of(R"({"__metadata__":{},"__metadata__":{}})", 0),
            "INVALID_ARGUMENT: w: header: byte 34: key '__metadata__' appears twice");
  EXPECT_EQ(error_of(R"({"w":{"dtype":"U8","dtype":"U8"}})", 0),
            "INVALID_ARGUMENT: w: header: byte 31: 'dtype' appears twice");
}

TEST(SafetensorsError, ShapesAndOffsets) {
  EXPECT_EQ(error_of("{" + entry("w", 0, 2) + "}", 1),
            "INVALID_ARGUMENT: w: header: 'w' bytes [0,2); file has 1 after the header");
  EXPECT_EQ(error_of("{" + entry("w", 2, 0) + "}", 2),
            "INVALID_ARGUMENT: w: header: 'w' bytes [2,0); file has 2 after the header");
  EXPECT_EQ(error_of("{" + entry("w", 0, 3) + "}", 3),
            "INVALID_ARGUMENT: w: header: 'w': u8[2] needs 2 bytes, data_offsets [0,3) are 3");
  EXPECT_NE(error_of("{" + entry("w", 0, 2, "[4194305,4194305,211106198978564]") + "}", 2).find("'w': "),
            std::string::npos);
  EXPECT_EQ(error_of("{" + entry("w", 0, 2, "[-2]") + "}", 2),
            "INVALID_ARGUMENT: w: header: byte 28: wanted an integer >= 0");
  EXPECT_EQ(error_of("{" + entry("w", 0, 2, "[2.0]") + "}", 2), "INVALID_ARGUMENT: w: header: byte 29: wanted ','");
  EXPECT_EQ(error_of("{" + entry("w", 0, 2, "[99999999999999999999]") + "}", 2),
            "INVALID_ARGUMENT: w: header: byte 28: '99999999999999999999' does not fit int64");
}

TEST(SafetensorsError, ElementTypes) {
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", 1),
            "UNIMPLEMENTED: w: header: 'w': element type 'F4' has no counterpart");
  EXPECT_EQ(safetensors_bytes({{"z", Literal::scalar(std::complex<double>(1, 2))}}).status().to_string(),
            "UNIMPLEMENTED: safetensors: 'z': the format has no c128[]");
  EXPECT_EQ(safetensors_bytes({{"__metadata__", Literal::scalar(1.0f)}}).status().to_string(),
            "INVALID_ARGUMENT: safetensors: '__metadata__' is not a valid name or occurs twice");
}

TEST(SafetensorsError, TextOfTheHeader) {
  EXPECT_EQ(error_of("{\"a\":{\"dtype\":\"U8\"}}", 0),
            "INVALID_ARGUMENT: w: header: byte 19: wanted dtype, shape and data_offsets");
  EXPECT_EQ(error_of("{} x", 0), "INVALID_ARGUMENT: w: header: byte 3: text after the end");
  EXPECT_EQ(error_of("{\"\\ud800x\":", 0), "INVALID_ARGUMENT: w: header: byte 8: half a surrogate pair in a string");
  EXPECT_EQ(error_of("{\"\xff\":", 0), "INVALID_ARGUMENT: w: header: byte 2: a string that isn't UTF-8");
  EXPECT_EQ(error_of("{\"a", 0), "INVALID_ARGUMENT: w: header: byte 3: a string is not terminated");
  EXPECT_EQ(error_of("{\"\\q\":", 0), "INVALID_ARGUMENT: w: header: byte 3: unknown escape in a string");
}

TEST(SafetensorsError, EveryPrefixAndEveryDamagedByteOfTheHeaderIsAnErrorOrAFile) {
  const std::string bytes = *safetensors_bytes({{"a", Literal::array<float>({2}, {1, 2})}, {"b", Literal::scalar(1)}});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_safetensors(bytes.substr(0, size), "x").ok()) << size;
  }
  const StatusOr<SafetensorsHeader> header = parse_safetensors_header(bytes);
  for (size_t at = 0; at < static_cast<size_t>(header->size); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = bytes;
      other[at] = static_cast<char>(other[at] ^ 1 << bit);
      const StatusOr<Safetensors> parsed = parse_safetensors(other, "x");
      if (!parsed.ok()) continue;
      size_t total = 0;  // the tensors cover the file nevertheless
      for (const auto& [name, tensor] : parsed->tensors) total += tensor.bytes().size();
      EXPECT_EQ(total, bytes.size() - static_cast<size_t>(header->size)) << at;
    }
  }
}

TEST(SafetensorsError, NamesFilesOfOtherKinds) {
  EXPECT_EQ(read_safetensors(data("savez.npz")).status().to_string(),
            "INVALID_ARGUMENT: " + data("savez.npz") + ": a zip file, as .npz is; wanted a .safetensors file");
}

}  // namespace
}  // namespace hilo::io
