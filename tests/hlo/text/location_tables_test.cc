// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/location_tables.h"

#include <gtest/gtest.h>

#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kNames = "FileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"f\"\n\n";
constexpr std::string_view kLocations = "FileLocations\n1 {file_name_id=2 function_name_id=1 line=3}\n\n";

/// A module with these tables between its header and its only computation. They begin on line 3.
std::string text_with(std::string_view tables) {
  return "HloModule m\n\n" + std::string(tables) + "\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n";
}

std::string error_of(const std::string& text) {
  const StatusOr<Module> module = parse_module(text, {.source = "m.hlo"});
  return module.ok() ? "parsed" : module.status().to_string();
}

std::string error_with(std::initializer_list<std::string_view> tables) {
  std::string all;
  for (const std::string_view table : tables) all += table;
  return error_of(text_with(all));
}

TEST(LocationTables, AreKeptAsTheyAreWritten) {
  const std::string tables = std::string(kNames) + std::string(kLocations) +
                             "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=1, "
                             "parent_frame_id=2}\n\n";
  const StatusOr<Module> module = parse_module(text_with(tables));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_NE(print_module(*module).find(tables), std::string::npos) << print_module(*module);
}

TEST(LocationTables, EmptyAndMissingOnesAreNoMistake) {
  EXPECT_EQ(error_with({"FileNames\n\nFunctionNames\n\nFileLocations\n\nStackFrames\n\n"}), "parsed");
  EXPECT_EQ(error_with({"FunctionNames\n1 \"f\"\n"}), "parsed");
  EXPECT_EQ(error_with({kNames, "FileLocations\n1 {file_name_id=1}\n"}), "parsed");  // no function
}

TEST(LocationTables, RowsMustNameWhatIsThere) {
  EXPECT_EQ(error_with({kNames, "FileLocations\n1 {file_name_id=3 function_name_id=1}\n"}),
            "INVALID_ARGUMENT: m.hlo:11:3: file_name_id names no row of FileNames; got 3; wanted one of 1 to 2");
  EXPECT_EQ(error_with({kNames, "FileLocations\n1 {function_name_id=1}\n"}),
            "INVALID_ARGUMENT: m.hlo:11:3: file_name_id names no row of FileNames; got 0; wanted one of 1 to 2");
  EXPECT_EQ(
      error_with({kNames, "FileLocations\n1 {file_name_id=1 function_name_id=2}\n"}),
      "INVALID_ARGUMENT: m.hlo:11:3: function_name_id names no row of FunctionNames; got 2; wanted one of 1 to 1");
  EXPECT_EQ(
      error_with({kNames, kLocations, "StackFrames\n1 {file_location_id=2 parent_frame_id=1}\n"}),
      "INVALID_ARGUMENT: m.hlo:14:3: file_location_id names no row of FileLocations; got 2; wanted one of 1 to 1");
  EXPECT_EQ(error_with({kNames, kLocations, "StackFrames\n1 {file_location_id=1 parent_frame_id=3}\n"}),
            "INVALID_ARGUMENT: m.hlo:14:3: parent_frame_id names no row of StackFrames; got 3; wanted one of 1 to 2");
}

TEST(LocationTables, NoFrameIsAmongItsOwnParents) {
  EXPECT_EQ(error_with({kNames, kLocations, "StackFrames\n1 {file_location_id=1 parent_frame_id=2}\n"}),
            "INVALID_ARGUMENT: m.hlo:14:3: frame 1 is its own ancestor");
  EXPECT_EQ(error_with({kNames, kLocations,
                        "StackFrames\n1 {file_location_id=1 parent_frame_id=3}\n"
                        "2 {file_location_id=1 parent_frame_id=2}\n"}),
            "INVALID_ARGUMENT: m.hlo:14:3: frame 1 is its own ancestor");
  EXPECT_EQ(error_with({kNames, kLocations,
                        "StackFrames\n1 {file_location_id=1 parent_frame_id=3}\n"
                        "2 {file_location_id=1 parent_frame_id=1}\n"}),
            "parsed");  // the parent follows its child
}

TEST(LocationTables, RowsCountFromOneAndHaveXlasKeysOnce) {
  EXPECT_EQ(error_with({"FileNames\n2 \"a\"\n"}), "INVALID_ARGUMENT: m.hlo:4:1: FileNames: got row 2; wanted row 1");
  EXPECT_EQ(
      error_with({kNames, "FileLocations\n1 {file_name_id=1 lime=3}\n"}),
      "INVALID_ARGUMENT: m.hlo:11:19: 'lime' is not a key of FileLocations; wanted file_name_id, function_name_id, "
      "line, end_line, column, end_column. Hint: did you mean 'line'?");
  EXPECT_EQ(error_with({kNames, "FileLocations\n1 {file_name_id=1 file_name_id=2}\n"}),
            "INVALID_ARGUMENT: m.hlo:11:19: file_name_id appears twice in a row of FileLocations");
  EXPECT_EQ(error_with({kNames, "FileLocations\n1 {file_name_id=1 line=4294967296}\n"}),
            "INVALID_ARGUMENT: m.hlo:11:19: line is out of range; got 4294967296");
  EXPECT_EQ(error_with({kNames, "FileLocations\n1 \"a\"\n"}),
            "INVALID_ARGUMENT: m.hlo:11:3: expected '{' before a row of FileLocations; got '\"'");
}

TEST(LocationTables, StandBeforeTheComputationsInXlasOrder) {
  const std::string order = "INVALID_ARGUMENT: m.hlo:6:1: FileNames must come before all computations, in XLA's order";
  EXPECT_EQ(error_with({"FunctionNames\n1 \"f\"\n\nFileNames\n1 \"a\"\n"}), order);
  EXPECT_EQ(error_of("HloModule m\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n\nFileNames\n1 \"a\"\n"), order);
}

TEST(LocationTables, MessagesAreHeldToTheSame) {
  const StatusOr<Module> module = parse_module(text_with(std::string(kNames) + std::string(kLocations) +
                                                         "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const std::string bytes = *to_proto(*module);
  const std::string frame("\x22\x02\x08\x01", 4);  // field 4 of StackFrameIndexProto: location 1, no parent
  const size_t at = bytes.find(frame);
  ASSERT_NE(at, std::string::npos);
  std::string broken = bytes;
  broken[at + 3] = 2;
  EXPECT_EQ(from_proto(broken).status().to_string(),
            "INVALID_ARGUMENT: StackFrameIndexProto:9:3: file_location_id names no row of FileLocations; got 2; wanted "
            "one of 1 to 1");
}

TEST(LocationTables, MessagesBecomeTextThatXlaReads) {
  const StatusOr<Module> module = parse_module(text_with(std::string(kNames) + std::string(kLocations)));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const StatusOr<Module> again = from_proto(*to_proto(*module));
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  const std::string text = print_module(*again);  // XLA's parser requires every table and every key
  EXPECT_NE(text.find("FileLocations\n1 {file_name_id=2 function_name_id=1 line=3 end_line=0 column=0 end_column=0}\n\n"
                      "StackFrames\n\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace hilo::hlo
