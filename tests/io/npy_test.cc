// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <random>

#include "hilo/base/files.h"
#include "tests/paths.h"

namespace hilo::io {
namespace {

// A file of this version: the header text unchanged, then the data.
std::string npy(std::string_view header, std::string_view data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes.append(header).append(data);
}

std::string header(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}

std::string error_of(std::string_view bytes) {
  const StatusOr<Literal> literal = parse_npy(bytes, "a.npy");
  return literal.ok() ? "no error: " + literal->to_string() : literal.status().to_string();
}

std::string text_of(std::string_view bytes) {
  const StatusOr<Literal> literal = parse_npy(bytes, "a.npy");
  return literal.ok() ? literal->to_string() : literal.status().to_string();
}

TEST(Npy, ReadsWhatNumpyWrites) {
  // numpy.save of numpy.arange(6, dtype='<i4').reshape(2, 3). The first 128 bytes are the header.
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  bytes.append(127 - bytes.size(), ' ');
  bytes += '\n';
  for (char i = 0; i < 6; ++i) bytes.append({i, 0, 0, 0});
  EXPECT_EQ(text_of(bytes), "s32[2,3] {{0, 1, 2}, {3, 4, 5}}");
}

TEST(Npy, ReadsAllVersions) {
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(text_of(npy(header("|u1", "(2,)"), "\x05\x06", version)), "u8[2] {5, 6}");
  }
}

TEST(Npy, ReadsFortranOrder) {
  EXPECT_EQ(text_of(npy(header("|u1", "(2, 3)", true), std::string("\0\3\1\4\2\5", 6))),
            "u8[2,3] {{0, 1, 2}, {3, 4, 5}}");
  std::string data(24, '\0');
  // Element [i,j,k] of 2x3x4 is 12i + 4j + k at offset i + 2j + 6k.
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 4; ++k) data[i + 2 * j + 6 * k] = static_cast<char>(12 * i + 4 * j + k);
    }
  }
  const StatusOr<Literal> literal = parse_npy(npy(header("|u1", "(2, 3, 4)", true), data), "a.npy");
  ASSERT_TRUE(literal.ok());
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(literal->data<uint8_t>()[i], i);
}

TEST(Npy, FortranOrderOfEmptyAndFlatArraysIsNothingSpecial) {
  EXPECT_EQ(text_of(npy(header("|u1", "(0, 3)", true), "")), "u8[0,3] {}");
  EXPECT_EQ(text_of(npy(header("|u1", "(2,)", true), "\1\2")), "u8[2] {1, 2}");
  EXPECT_EQ(text_of(npy(header("|u1", "()", true), "\7")), "u8[] 7");
}

TEST(Npy, ReadsBigEndian) {
  EXPECT_EQ(text_of(npy(header(">i2", "(2,)"), std::string("\x01\x02\xff\xfe", 4))), "s16[2] {258, -2}");
  EXPECT_EQ(text_of(npy(header(">f4", "(1,)"), std::string("\x3f\xc0\x00\x00", 4))), "f32[1] {1.5}");
  EXPECT_EQ(text_of(npy(header(">f8", "()"), std::string("\xc0\x04\0\0\0\0\0\0", 8))), "f64[] -2.5");
  // The two parts of a complex number are byte-swapped separately.
  EXPECT_EQ(text_of(npy(header(">c8", "()"), std::string("\x3f\xc0\0\0\xbf\x80\0\0", 8))), "c64[] (1.5, -1)");
  EXPECT_EQ(text_of(npy(header(">i2", "(1, 2)", true), std::string("\x01\x02\xff\xfe", 4))), "s16[1,2] {{258, -2}}");
}

TEST(Npy, NormalisesBooleans) {
  const StatusOr<Literal> literal = parse_npy(npy(header("|b1", "(3,)"), std::string("\0\1\x80", 3)), "a.npy");
  ASSERT_TRUE(literal.ok());
  EXPECT_EQ(literal->to_string(), "pred[3] {false, true, true}");
  EXPECT_EQ(literal->bytes()[2], std::byte{1});
}

TEST(Npy, HeaderMayBeWrittenInOtherWays) {
  EXPECT_EQ(text_of(npy("{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"=u1\"}   \n", "\5\6")), "u8[2] {5, 6}");
  EXPECT_EQ(text_of(npy("{ 'descr' : 'u1' , 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , }", "\5\6")),
            "u8[1,2] {{5, 6}}");
}

template <typename T>
Literal sample(std::initializer_list<int64_t> dimensions) {
  Literal literal(Shape::array(element_type_of<T>, dimensions));
  std::minstd_rand random(7);
  for (std::byte& b : literal.mutable_bytes())
    b = static_cast<std::byte>(random() & (std::is_same_v<T, bool> ? 1 : 255));
  return literal;
}

template <typename T>
void expect_round_trip() {
  for (const Literal& literal : {sample<T>({}), sample<T>({1}), sample<T>({17}), sample<T>({3, 5}),
                                 sample<T>({2, 0, 4}), sample<T>({2, 3, 4})}) {
    const StatusOr<std::string> bytes = npy_bytes(literal);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ((bytes->size() - literal.bytes().size()) % 64, 0u);
    const StatusOr<Literal> back = parse_npy(*bytes, "a.npy");
    ASSERT_TRUE(back.ok()) << back.status().to_string();
    EXPECT_TRUE(back->identical(literal)) << literal.shape().to_string();
  }
}

TEST(Npy, EveryTypeRoundTripsBitForBit) {
  expect_round_trip<bool>();
  expect_round_trip<int8_t>();
  expect_round_trip<int16_t>();
  expect_round_trip<int32_t>();
  expect_round_trip<int64_t>();
  expect_round_trip<uint8_t>();
  expect_round_trip<uint16_t>();
  expect_round_trip<uint32_t>();
  expect_round_trip<uint64_t>();
  expect_round_trip<float16>();
  expect_round_trip<float>();
  expect_round_trip<double>();
  expect_round_trip<std::complex<float>>();
  expect_round_trip<std::complex<double>>();
}

TEST(Npy, WritesTheHeaderNumpyWrites) {
  const std::string bytes = *npy_bytes(Literal::array<float>({2}, {1.0f, 2.0f}));
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_TRUE(bytes.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  "));
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.size(), 128u + 8u);
}

TEST(Npy, GoesThroughAFile) {
  const std::string path = ::testing::TempDir() + "hilo_npy_test.npy";
  const Literal literal = Literal::array<double>({2, 2}, {1, 2, 3, 4});
  ASSERT_TRUE(write_npy(path, literal).ok());
  const StatusOr<Literal> back = read_npy(path);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->identical(literal));
  std::remove(path.c_str());
  EXPECT_EQ(read_npy(path).status().code(), StatusCode::kNotFound);
}

TEST(Npy, ReadsNoFurtherThanTheHeaderSays) {
  EXPECT_EQ(read_npy("/dev/zero").status().to_string(),
            "INVALID_ARGUMENT: /dev/zero: not an .npy file; first bytes '\\x00\\x00\\x00\\x00\\x00\\x00'");
  const std::string path = ::testing::TempDir() + "hilo_npy_test_sparse.npy";
  ASSERT_TRUE(write_npy(path, Literal::array<float>({2}, {1, 2})).ok());
  ASSERT_EQ(::truncate(path.c_str(), off_t{3} << 30), 0);  // uses no disk space
  EXPECT_EQ(read_npy(path).status().to_string(),
            "RESOURCE_EXHAUSTED: reading " + path + ": more than 136 bytes; got 3221225472");
  std::remove(path.c_str());
}

TEST(Npy, ReadsFilesWhoseHeaderOrDataAreLongerThanTheFirstPiece) {
  const std::string path = ::testing::TempDir() + "hilo_npy_test_long.npy";
  Literal literal(Shape::array(ElementType::kU8, {300000}));
  std::ranges::fill(literal.data<uint8_t>(), uint8_t{7});
  const StatusOr<std::string> bytes = npy_bytes(literal);
  ASSERT_TRUE(bytes.ok());
  ASSERT_TRUE(write_file_atomic(path, *bytes).ok());
  StatusOr<Literal> back = read_npy(path);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_TRUE(back->identical(literal));
  const std::string text = bytes->substr(10, 117) + std::string(99999, ' ') + "\n";
  const auto length = static_cast<uint32_t>(text.size());
  const std::string prefix =
      std::string("\x93NUMPY\x02\x00", 8) + std::string(reinterpret_cast<const char*>(&length), 4);
  ASSERT_TRUE(write_file_atomic(path, prefix + text + bytes->substr(128)).ok());
  back = read_npy(path);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_TRUE(back->identical(literal));
  std::remove(path.c_str());
}

TEST(Npy, RefusesToWriteWhatNumpyLacks) {
  EXPECT_EQ(npy_bytes(Literal(Shape::scalar(ElementType::kF8E5M2))).status().to_string(),
            "UNIMPLEMENTED: npy: NumPy has no element type f8e5m2; got f8e5m2[]. Hint: convert to f32");
  EXPECT_EQ(npy_bytes(Literal()).status().to_string(), "INVALID_ARGUMENT: npy: only arrays can be written; got ()");
  EXPECT_EQ(write_npy("unused", Literal()).code(), StatusCode::kInvalidArgument);
}

TEST(Npy, HoldsBfloat16AsNumpyWritesThatOfMlDtypes) {
  const std::string path = std::string(tests::kSourceDir) + "/tests/io/data/bfloat16.npy";
  const StatusOr<Literal> read = read_npy(path);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(read->to_string(), "bf16[2] {1, -2.5}");
  EXPECT_EQ(*npy_bytes(*read), *read_file(path));
}

TEST(NpyError, NamesFilesOfOtherKinds) {
  EXPECT_EQ(error_of("PK\x03\x04..."), "INVALID_ARGUMENT: a.npy: a zip file, as .npz is; wanted an .npy file");
  EXPECT_EQ(
      error_of("PAR1...PAR1"),
      "UNIMPLEMENTED: a.npy: a Parquet file, which hilo doesn't read; wanted an .npy file. Hint: write it as csv, or "
      "its columns with numpy.savez");
}

TEST(NpyError, BadMagic) {
  EXPECT_EQ(error_of("\x7f"
                     "ELF\x02\x01 and so on"),
            "INVALID_ARGUMENT: a.npy: not an .npy file; first bytes '\\x7fELF\\x02\\x01'");
  EXPECT_EQ(error_of(""), "INVALID_ARGUMENT: a.npy: not an .npy file; first bytes ''");
}

TEST(NpyError, UnknownVersion) {
  EXPECT_EQ(error_of(npy(header("|u1", "()"), "x", 4)),
            "UNIMPLEMENTED: a.npy: version 4.0; hilo reads 1.0, 2.0 and 3.0");
  EXPECT_EQ(error_of(npy(header("|u1", "()"), "x", 0)),
            "UNIMPLEMENTED: a.npy: version 0.0; hilo reads 1.0, 2.0 and 3.0");
}

TEST(NpyError, HeaderLongerThanTheFile) {
  std::string bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
  bytes.append(116, ' ');
  EXPECT_EQ(error_of(bytes), "INVALID_ARGUMENT: a.npy: header says 4294967295 bytes, file has 128");
}

TEST(NpyError, HeaderLongerThanAnyNeedBe) {
  EXPECT_EQ(error_of(npy(std::string((1 << 20) + 1, ' '), "", 2)),
            "INVALID_ARGUMENT: a.npy: header says 1048577 bytes; wanted at most 1048576");
}

TEST(NpyError, CutOffAtEveryByte) {
  const std::string whole = npy(header("<f4", "(2, 3)"), std::string(24, 'x'), 2);
  ASSERT_TRUE(parse_npy(whole, "a.npy").ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(parse_npy(whole.substr(0, size), "a.npy").status().code(), StatusCode::kInvalidArgument) << size;
  }
  EXPECT_EQ(error_of(whole.substr(0, 7)), "INVALID_ARGUMENT: a.npy: ends at byte 7, within the version");
  EXPECT_EQ(error_of(whole.substr(0, 9)), "INVALID_ARGUMENT: a.npy: ends at byte 9, within the header's length");
}

TEST(NpyError, BytesAfterTheArray) {
  EXPECT_EQ(error_of(npy(header("<f4", "(2,)"), std::string(9, 'x'))),
            "INVALID_ARGUMENT: a.npy: f32[2] needs 8 bytes after the header; file has 9");
}

TEST(NpyError, ShapeOfMoreBytesThanTheFile) {
  EXPECT_EQ(error_of(npy(header("<f4", "(1099511627776,)"), "1234")),
            "INVALID_ARGUMENT: a.npy: f32[1099511627776] needs 4398046511104 bytes after the header; file has 4");
  EXPECT_EQ(error_of(npy(header("<f8", "(536870913,)", true), "1234")),
            "INVALID_ARGUMENT: a.npy: f64[536870913] needs 4294967304 bytes after the header; file has 4");
}

TEST(NpyError, ShapeWhoseBytesOverflow) {
  for (const char* shape :
       {"(9223372036854775807,)", "(2147483648, 2147483648)", "(4294967296, 4294967296, 4294967296)"}) {
    EXPECT_EQ(parse_npy(npy(header("<f8", shape), "x"), "a.npy").status().code(), StatusCode::kInvalidArgument)
        << shape;
  }
  EXPECT_EQ(error_of(npy(header("<f8", "(99999999999999999999,)"), "x")),
            "INVALID_ARGUMENT: a.npy: header, byte 51: dimension '99999999999999999999' does not fit int64");
}

TEST(NpyError, TooManyDimensions) {
  std::string shape = "(";
  for (int i = 0; i < 1000; ++i) shape += "1,";
  EXPECT_EQ(parse_npy(npy(header("|u1", shape + ")"), "x"), "a.npy").status().code(), StatusCode::kInvalidArgument);
}

TEST(NpyError, NegativeDimension) {
  EXPECT_EQ(error_of(npy(header("|u1", "(-1,)"), "x")),
            "INVALID_ARGUMENT: a.npy: header, byte 51: negative dimension -1");
}

TEST(NpyError, NulInTheHeader) {
  std::string text = header("|u1", "(1,)");
  text[text.find("'shape'") - 1] = '\0';
  EXPECT_EQ(error_of(npy(text, "x")), "INVALID_ARGUMENT: a.npy: header, byte 40: wanted a string");
  text = header("|u1", "(1,)");
  text.back() = '\0';
  EXPECT_EQ(error_of(npy(text, "x")), "INVALID_ARGUMENT: a.npy: header, byte 57: text after the dictionary");
}

TEST(NpyError, PythonObjects) {
  EXPECT_EQ(error_of(npy(header("|O", "(1,)"), "x")),
            "UNIMPLEMENTED: a.npy: holds Python objects ('|O'); hilo never unpickles");
}

TEST(NpyError, TypesWithoutACounterpart) {
  for (const char* descr : {"<U5", "|S3", "<M8[ns]", "|V3", "<f16", "<c32", "<i3", "<", ""}) {
    EXPECT_EQ(error_of(npy(header(descr, "(1,)"), "x")),
              std::string("UNIMPLEMENTED: a.npy: element type '") + descr +
                  "' has no counterpart; wanted bool, int, uint, float or complex. Hint: save "
                  "array.astype('float32')");
  }
  EXPECT_EQ(error_of(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")),
            "UNIMPLEMENTED: a.npy: header, byte 10: structured element types have no counterpart");
}

TEST(NpyError, HeaderThatIsNoDictionaryOfThree) {
  const auto wanted = [](std::string_view text, std::string_view message) {
    EXPECT_EQ(error_of(npy(text, "x")), "INVALID_ARGUMENT: a.npy: header, " + std::string(message));
  };
  wanted("", "byte 0: wanted '{'");
  wanted("{", "byte 1: wanted a string");
  wanted("{}", "byte 2: no entry 'descr'");
  wanted("{'descr': '|u1'}", "byte 16: no entry 'fortran_order'");
  wanted("{'descr': '|u1', 'fortran_order': False}", "byte 40: no entry 'shape'");
  wanted("{'descr': '|u1', 'descr': '|u1'}", "byte 25: entry 'descr' appears twice");
  wanted("{'other': 1}", "byte 9: unknown entry 'other'");
  wanted("{'descr", "byte 1: a string is not terminated");
  wanted("{'descr': 'a\\n'}", "byte 10: a string with an escape");
  wanted("{'descr' '|u1'}", "byte 9: wanted ':'");
  wanted("{'descr': '|u1' 'shape': ()}", "byte 16: wanted '}'");
  wanted("{'fortran_order': 1}", "byte 18: wanted True or False");
  wanted("{'shape': 3}", "byte 10: wanted '('");
  wanted("{'shape': (3)}", "byte 13: wanted ',': (3) is a number, (3,) is a shape");
  wanted("{'shape': (3 4)}", "byte 13: wanted ',' or ')'");
  wanted("{'shape': (x)}", "byte 11: wanted a dimension");
}

TEST(NpyError, NoChangedBitCrashes) {
  const std::string whole = npy(header("<f4", "(2, 3)", true), std::string(24, 'x'));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    const StatusOr<Literal> literal = parse_npy(changed, "a.npy");
    EXPECT_TRUE(literal.ok() || !literal.status().message().empty());
  }
}

}  // namespace
}  // namespace hilo::io
