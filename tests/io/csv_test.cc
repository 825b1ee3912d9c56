// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/csv.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "hilo/base/files.h"
#include "hilo/io/gzip.h"

namespace hilo::io {
namespace {

std::string gzip(std::string_view text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string text_of(std::string_view text, const CsvOptions& options = {}) {
  const StatusOr<Literal> literal = parse_csv(text, "a.csv", options);
  return literal.ok() ? literal->to_string() : literal.status().to_string();
}

TEST(Csv, ReadsATable) { EXPECT_EQ(text_of("1,2,3\n4,5,6\n"), "f32[2,3] {{1, 2, 3}, {4, 5, 6}}"); }

TEST(Csv, LastLineNeedsNoEnd) { EXPECT_EQ(text_of("1,2\n3,4"), "f32[2,2] {{1, 2}, {3, 4}}"); }

TEST(Csv, TakesCarriageReturnsSpacesAndEmptyLinesAtTheEnd) {
  EXPECT_EQ(text_of(" 1 ,\t2\r\n3,4\r\n\r\n \n"), "f32[2,2] {{1, 2}, {3, 4}}");
}

TEST(Csv, TakesEveryWayToWriteANumber) {
  EXPECT_EQ(text_of("+1,-2.5,1e3,.5,inf,-Infinity"), "f32[1,6] {{1, -2.5, 1000, 0.5, inf, -inf}}");
  const StatusOr<Literal> literal = parse_csv("nan,NaN", "a.csv");
  ASSERT_TRUE(literal.ok());
  EXPECT_TRUE(std::isnan(literal->data<float>()[0]) && std::isnan(literal->data<float>()[1]));
}

TEST(Csv, ReadsDoublesExactly) {
  EXPECT_EQ(text_of("0.1\n1e300\n", {.type = ElementType::kF64}), "f64[2,1] {{0.1}, {1e+300}}");
}

TEST(Csv, WhatIsTooSmallBecomesZero) {
  EXPECT_EQ(text_of("1e-60,-1e-60"), "f32[1,2] {{0, -0}}");
  EXPECT_EQ(text_of("1e-999", {.type = ElementType::kF64}), "f64[1,1] {{0}}");
}

TEST(Csv, FileWithoutRowsIsEmpty) {
  EXPECT_EQ(text_of(""), "f32[0,0] {}");
  EXPECT_EQ(text_of("\n\n"), "f32[0,0] {}");
}

TEST(Csv, SkipsHeadLinesAndTakesOtherSeparators) {
  EXPECT_EQ(text_of("x;y\n1;2\n", {.separator = ';', .skip_lines = 1}), "f32[1,2] {{1, 2}}");
}

TEST(Csv, ReadsPlainAndPackedFiles) {
  const std::string path = ::testing::TempDir() + "hilo_csv_test.csv";
  for (const std::string& bytes : {std::string("1,2\n"), gzip("1,2\n")}) {
    ASSERT_TRUE(write_file_atomic(path, bytes).ok());
    const StatusOr<Literal> literal = read_csv(path);
    ASSERT_TRUE(literal.ok()) << literal.status().to_string();
    EXPECT_EQ(literal->to_string(), "f32[1,2] {{1, 2}}");
  }
  ASSERT_TRUE(write_file_atomic(path, gzip("1,2\nx")).ok());
  EXPECT_EQ(read_csv(path).status().to_string(), "INVALID_ARGUMENT: " + path + ":2:1: 'x' is no number");
  ASSERT_TRUE(write_file_atomic(path, gzip("1,2\n").substr(0, 15)).ok());
  EXPECT_EQ(read_csv(path).status().to_string(), "DATA_LOSS: " + path + ": gzip: ends at byte 15, within the data");
  std::remove(path.c_str());
  EXPECT_EQ(read_csv(path).status().code(), StatusCode::kNotFound);
}

TEST(CsvError, NamesLineAndColumn) {
  EXPECT_EQ(text_of("1,2\n3, abc\n"), "INVALID_ARGUMENT: a.csv:2:4: 'abc' is no number");
  EXPECT_EQ(text_of("1,,2"), "INVALID_ARGUMENT: a.csv:1:3: '' is no number");
  EXPECT_EQ(text_of("1,2,"), "INVALID_ARGUMENT: a.csv:1:5: '' is no number");
  EXPECT_EQ(text_of("1 2"), "INVALID_ARGUMENT: a.csv:1:1: '1 2' is no number");
  EXPECT_EQ(text_of("+-1"), "INVALID_ARGUMENT: a.csv:1:1: '+-1' is no number");
  EXPECT_EQ(text_of(std::string("1\0", 2)), "INVALID_ARGUMENT: a.csv:1:1: '1\\x00' is no number");
}

TEST(CsvError, EmptyLineBetweenRows) { EXPECT_EQ(text_of("1\n\n2"), "INVALID_ARGUMENT: a.csv:2:1: '' is no number"); }

TEST(CsvError, RowsOfUnequalLength) {
  EXPECT_EQ(text_of("1,2\n3,4\n5\n"), "INVALID_ARGUMENT: a.csv:3: row has 1 values; wanted 2 as in the first row");
}

TEST(CsvError, NumberTooLargeForTheType) {
  EXPECT_EQ(text_of("1e39"), "INVALID_ARGUMENT: a.csv:1:1: '1e39' does not fit f32");
  EXPECT_EQ(text_of("-1e999", {.type = ElementType::kF64}), "INVALID_ARGUMENT: a.csv:1:1: '-1e999' does not fit f64");
}

TEST(CsvError, TypeThatIsNotRead) {
  EXPECT_EQ(text_of("1", {.type = ElementType::kS32}),
            "INVALID_ARGUMENT: a.csv: csv is read as f32 or f64; got s32. Hint: convert afterwards");
}

TEST(Gzip, UnpacksWhatWasPacked) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i);
  EXPECT_EQ(*gunzip(gzip(text), 1 << 24), text);
  EXPECT_EQ(*gunzip(gzip(""), 0), "");
  EXPECT_EQ(*gunzip(gzip("ab") + gzip("cd"), 100), "abcd");
}

TEST(Gzip, StopsAtItsLimit) {
  const std::string bomb = gzip(std::string(10000000, '\0'));
  EXPECT_EQ(gunzip(bomb, 1000).status().to_string(),
            "RESOURCE_EXHAUSTED: gzip: holds more than 1000 bytes; file has " + std::to_string(bomb.size()));
}

TEST(Gzip, RefusesDamage) {
  const std::string whole = gzip("some text that is worth packing, packing, packing");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(gunzip(whole.substr(0, size), 1000).status().code(), StatusCode::kDataLoss) << size;
  }
  EXPECT_EQ(gunzip(whole + "x", 1000).status().to_string(),
            "DATA_LOSS: gzip: byte " + std::to_string(whole.size()) + ": bytes after the end");
  std::string changed = whole;
  changed[whole.size() - 6] ^= 1;
  EXPECT_EQ(gunzip(changed, 1000).status().to_string(),
            "DATA_LOSS: gzip: byte " + std::to_string(whole.size() - 4) + ": incorrect data check");
}

}  // namespace
}  // namespace hilo::io
