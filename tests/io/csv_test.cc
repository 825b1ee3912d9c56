// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/csv.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

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
  EXPECT_EQ(read_csv(path).status().to_string(), "INVALID_ARGUMENT: " + path + ":2:1: 'x' is not a number");
  ASSERT_TRUE(write_file_atomic(path, gzip("1,2\n").substr(0, 15)).ok());
  EXPECT_EQ(read_csv(path).status().to_string(), "DATA_LOSS: " + path + ": gzip: ends at byte 15, within the data");
  std::remove(path.c_str());
  EXPECT_EQ(read_csv(path).status().code(), StatusCode::kNotFound);
}

TEST(CsvError, NamesLineAndColumn) {
  EXPECT_EQ(text_of("1,2\n3, abc\n"), "INVALID_ARGUMENT: a.csv:2:4: 'abc' is not a number");
  EXPECT_EQ(text_of("1,,2"), "INVALID_ARGUMENT: a.csv:1:3: '' is not a number");
  EXPECT_EQ(text_of("1,2,"), "INVALID_ARGUMENT: a.csv:1:5: '' is not a number");
  EXPECT_EQ(text_of("1 2"), "INVALID_ARGUMENT: a.csv:1:1: '1 2' is not a number");
  EXPECT_EQ(text_of("+-1"), "INVALID_ARGUMENT: a.csv:1:1: '+-1' is not a number");
  EXPECT_EQ(text_of(std::string("1\0", 2)), "INVALID_ARGUMENT: a.csv:1:1: '1\\x00' is not a number");
}

TEST(CsvError, EmptyLineBetweenRows) {
  EXPECT_EQ(text_of("1\n\n2"), "INVALID_ARGUMENT: a.csv:2:1: '' is not a number");
}

TEST(CsvError, RowsOfUnequalLength) {
  EXPECT_EQ(text_of("1,2\n3,4\n5\n"), "INVALID_ARGUMENT: a.csv:3: row has 1 values; wanted 2 as in the first row");
}

TEST(CsvError, NumberTooLargeForTheType) {
  EXPECT_EQ(text_of("1e39"), "INVALID_ARGUMENT: a.csv:1:1: '1e39' does not fit f32");
  EXPECT_EQ(text_of("-1e999", {.type = ElementType::kF64}), "INVALID_ARGUMENT: a.csv:1:1: '-1e999' does not fit f64");
}

TEST(CsvError, TypeThatIsNotRead) {
  EXPECT_EQ(text_of("1", {.type = ElementType::kF16}),
            "INVALID_ARGUMENT: a.csv: csv is read as f32, f64 or integers; got f16. Hint: convert afterwards");
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
            "RESOURCE_EXHAUSTED: gzip: expands to more than 1000 bytes; file has " + std::to_string(bomb.size()));
}

TEST(Gzip, RefusesDamage) {
  const std::string whole = gzip("some text that is worth packing, packing, packing");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(gunzip(whole.substr(0, size), 1000).status().code(), StatusCode::kDataLoss) << size;
  }
  EXPECT_EQ(gunzip(whole + "x", 1000).status().to_string(),
            "DATA_LOSS: gzip: byte " + std::to_string(whole.size()) + ": extra bytes after the end");
  std::string changed = whole;
  changed[whole.size() - 6] ^= 1;
  EXPECT_EQ(gunzip(changed, 1000).status().to_string(),
            "DATA_LOSS: gzip: byte " + std::to_string(whole.size() - 4) + ": incorrect data check");
}

TEST(Csv, ReadsIntegersExactly) {
  const CsvOptions options = {.type = ElementType::kS64};
  EXPECT_EQ(parse_csv("9007199254740993,-1\n", "a", options)->to_string(), "s64[1,2] {{9007199254740993, -1}}");
  EXPECT_EQ(parse_csv("1.5\n", "a", options).status().to_string(), "INVALID_ARGUMENT: a:1:1: '1.5' is not an integer");
  EXPECT_EQ(parse_csv("300\n", "a", {.type = ElementType::kU8}).status().to_string(),
            "INVALID_ARGUMENT: a:1:1: '300' does not fit u8");
  EXPECT_EQ(parse_csv("-1\n", "a", {.type = ElementType::kU8}).status().to_string(),
            "INVALID_ARGUMENT: a:1:1: '-1' is not an integer");
}

TEST(Csv, SpacesSeparate) {
  EXPECT_EQ(parse_csv(" 1 \t2\n3   4 \r\n", "a", {.separator = kSpaces})->to_string(), "f32[2,2] {{1, 2}, {3, 4}}");
}

TEST(Csv, CommentsAndEmptyLinesAreLeftOut) {
  const CsvOptions options = {.comments = "#", .skip_empty_lines = true};
  EXPECT_EQ(parse_csv("# a\n1,2 # b\n\n3,4\n#\n", "a", options)->to_string(), "f32[2,2] {{1, 2}, {3, 4}}");
  EXPECT_EQ(parse_csv("# nothing\n", "a", options)->shape(), Shape::array(ElementType::kF32, {0, 0}));
}

TEST(Csv, HeadFootRowsAndColumnsMayBeChosen) {
  const std::string text = "a,b,c\n1,2,3\n4,5,6\n7,8,9\nsum\n";
  EXPECT_EQ(parse_csv(text, "a", {.skip_lines = 1, .skip_footer = 1})->shape(),
            Shape::array(ElementType::kF32, {3, 3}));
  const CsvOptions options = {.skip_lines = 1, .max_rows = 2, .columns = {-1, 0}};
  EXPECT_EQ(parse_csv(text, "a", options)->to_string(), "f32[2,2] {{3, 1}, {6, 4}}");
  EXPECT_EQ(parse_csv("1,2\n", "a", {.columns = {2}}).status().to_string(),
            "INVALID_ARGUMENT: a:1: no column 2; row has 2 values");
  EXPECT_EQ(parse_csv("1\n2", "a", {.skip_footer = 5})->shape(), Shape::array(ElementType::kF32, {0, 0}));
}

TEST(Csv, MissingFieldsAreFilled) {
  EXPECT_EQ(parse_csv("1,,x\n", "a", {.filling = -9})->to_string(), "f32[1,3] {{1, -9, -9}}");
  EXPECT_EQ(parse_csv("1\n", "a", {.type = ElementType::kS32, .filling = 0.5}).status().to_string(),
            "INVALID_ARGUMENT: a: 0.5 can't replace a missing s32");
}

TEST(Csv, ParquetIsRefusedByName) {
  const std::string path = ::testing::TempDir() + "hilo_csv_test.parquet";
  ASSERT_TRUE(write_file_atomic(path, "PAR1 and so on PAR1").ok());
  EXPECT_EQ(read_csv(path).status().to_string(),
            "UNIMPLEMENTED: " + path +
                ": a Parquet file, which hilo doesn't read; wanted a table of text. Hint: write it as "
                "csv, or its columns with numpy.savez");
  std::remove(path.c_str());
}

TEST(Csv, TextOfATableReadsBack) {
  const Literal table = Literal::array<float>({2, 2}, {0.1f, -1e30f, std::numeric_limits<float>::infinity(), 3});
  const std::string text = *csv_text(table);
  EXPECT_EQ(text, "0.1,-1e+30\ninf,3\n");
  EXPECT_TRUE(parse_csv(text, "a")->identical(table));
  EXPECT_EQ(*csv_text(Literal::array<int64_t>({2}, {1, -2}), ' '), "1\n-2\n");
  EXPECT_EQ(csv_text(Literal::scalar(1.0f)).status().to_string(),
            "INVALID_ARGUMENT: csv: wanted a vector or a matrix; got f32[]");
  EXPECT_EQ(csv_text(Literal::array<bool>({1}, {true})).status().to_string(),
            "UNIMPLEMENTED: csv: type pred[1] can't be written as text. Hint: convert to f32");
}

}  // namespace
}  // namespace hilo::io
