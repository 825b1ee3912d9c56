// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/zip.h"

#include <gtest/gtest.h>

#include "hilo/base/files.h"
#include "tests/paths.h"

namespace hilo::io {
namespace {

std::string archive(bool deflate = false) {
  const std::string large(3000, 'a');
  return *zip_bytes({{"one", "first"}, {"two", large}, {"empty", ""}}, deflate);
}

std::string error_of(std::string_view bytes) {
  const StatusOr<std::vector<ZipMember>> members = zip_members(bytes);
  if (!members.ok()) return members.status().to_string();
  for (const ZipMember& member : *members) {
    const StatusOr<std::string> content = zip_unpack(member);
    if (!content.ok()) return content.status().to_string();
  }
  return "no error";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(Zip, GivesBackWhatWasPutIn) {
  for (bool deflate : {false, true}) {
    const std::string bytes = archive(deflate);
    const StatusOr<std::vector<ZipMember>> members = zip_members(bytes);
    ASSERT_TRUE(members.ok()) << members.status().to_string();
    ASSERT_EQ(members->size(), 3u);
    EXPECT_EQ((*members)[0].name, "one");
    EXPECT_EQ(*zip_unpack((*members)[0]), "first");
    EXPECT_EQ(*zip_unpack((*members)[1]), std::string(3000, 'a'));
    EXPECT_EQ(*zip_unpack((*members)[2]), "");
  }
  EXPECT_LT(archive(true).size(), 500u);
}

TEST(Zip, AnArchiveOfNothingHasNoMembers) {
  const std::string bytes = *zip_bytes({}, false);
  EXPECT_EQ(bytes.size(), 22u);
  EXPECT_TRUE(zip_members(bytes)->empty());
}

TEST(Zip, ReadsSizesOf64Bits) {
  // The ZIP64 records of the directory and of each entry, for a member "a" with the content "hi".
  const std::string plain = *zip_bytes({{"a", "hi"}}, false);
  const std::string local = plain.substr(0, 33), entry = plain.substr(33, 47);
  const auto number = [](uint64_t value, int width) {
    std::string out;
    for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
  };
  const std::string field = number(1, 2) + number(24, 2) + number(2, 8) + number(2, 8) + number(0, 8);
  const std::string wide = entry.substr(0, 20) + number(0xffffffff, 4) + number(0xffffffff, 4) + entry.substr(28, 2) +
                           number(field.size(), 2) + entry.substr(32, 10) + number(0xffffffff, 4) + "a" + field;
  const std::string end64 = "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(1, 8) +
                            number(1, 8) + number(wide.size(), 8) + number(local.size(), 8);
  const std::string locator = "PK\x06\x07" + number(0, 4) + number(local.size() + wide.size(), 8) + number(1, 4);
  const std::string end = "PK\x05\x06" + number(0, 4) + number(0xffff, 2) + number(0xffff, 2) + number(0xffffffff, 4) +
                          number(0xffffffff, 4) + number(0, 2);
  const std::string bytes = local + wide + end64 + locator + end;
  const StatusOr<std::vector<ZipMember>> members = zip_members(bytes);
  ASSERT_TRUE(members.ok()) << members.status().to_string();
  EXPECT_EQ(*zip_unpack(members->at(0)), "hi");
}

TEST(ZipError, EveryPrefixIsAnError) {
  for (bool deflate : {false, true}) {
    const std::string bytes = archive(deflate);
    for (size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(error_of(bytes.substr(0, size)), "no error") << size;
  }
  EXPECT_EQ(error_of(archive().substr(0, 100)), "INVALID_ARGUMENT: zip: truncated: the central directory is missing");
}

TEST(ZipError, ADamagedByteOfTheDataIsSeen) {
  std::string bytes = archive();
  bytes[bytes.find("first")] = 'F';
  EXPECT_EQ(error_of(bytes), "DATA_LOSS: zip: 'one': checksum 0x53b0c153; wanted 0x9271ee57");
}

TEST(ZipError, RefusesNamesThatLeadOut) {
  for (const char* name : {"../x", "/etc/passwd", "a/../../b", "..", "a\\b", ""}) {
    EXPECT_EQ(zip_bytes({{name, "x"}}, false).status().code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(error_of(replaced(*zip_bytes({{"abcd", "x"}}, false), "abcd", "../d")),
            "INVALID_ARGUMENT: zip: member name '../d'");
}

TEST(ZipError, RefusesNamesThatAppearTwice) {
  EXPECT_EQ(error_of(replaced(*zip_bytes({{"a1", "x"}, {"a2", "y"}}, false), "a2", "a1")),
            "INVALID_ARGUMENT: zip: member 'a1' appears twice");
}

TEST(ZipError, RefusesMembersThatOverlap) {
  std::string bytes = *zip_bytes({{"a", "xy"}, {"b", "xy"}}, false);
  const size_t entry = bytes.find("PK\x01\x02");
  bytes[entry + 20] = bytes[entry + 24] = 34;  // the compressed and uncompressed size of "a"
  EXPECT_EQ(error_of(bytes), "INVALID_ARGUMENT: zip: members 'a' and 'b' overlap");
}

TEST(ZipError, RefusesALocalHeaderThatDiffers) {
  std::string bytes = *zip_bytes({{"name", "x"}}, false);
  bytes[30] = 'N';
  EXPECT_EQ(error_of(bytes), "INVALID_ARGUMENT: zip: member 'name': local header and directory differ");
}

TEST(ZipError, NamesWhatItCanNotRead) {
  std::string bytes = *zip_bytes({{"a", "x"}}, false);
  const size_t entry = bytes.find("PK\x01\x02");
  std::string other = bytes;
  other[entry + 10] = 12;
  EXPECT_EQ(error_of(other),
            "UNIMPLEMENTED: zip: member 'a' is packed by method 12; hilo reads stored (0) and deflated (8)");
  other = bytes;
  other[entry + 8] = 1;
  EXPECT_EQ(error_of(other), "UNIMPLEMENTED: zip: member 'a' is encrypted");
  EXPECT_EQ(error_of("PAR1 and so on"),
            "UNIMPLEMENTED: a Parquet file, which hilo doesn't read; wanted a zip file. Hint: write it as csv, or its "
            "columns with numpy.savez");
}

TEST(ZipError, RefusesWhatInflatesTooMuch) {
  const std::string zeros(100000, '\0');
  const std::string bytes = *zip_bytes({{"a", zeros}}, true);
  const ZipMember member = zip_members(bytes)->at(0);
  EXPECT_EQ(*zip_unpack(member), zeros);  // this compression ratio is allowed
  const Status refused = zip_unpack(member, {.any_inflation = 1000}).status();
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("'a' inflates"), std::string_view::npos) << refused.message();
  EXPECT_EQ(zip_unpack(member, {.bytes = 99999}).status().to_string(),
            "RESOURCE_EXHAUSTED: zip: 'a' has 100000 bytes; limit is 99999");
}

TEST(ZipError, AWrongSizeIsDamage) {
  std::string bytes = *zip_bytes({{"a", std::string(500, 'x')}}, true);
  const size_t entry = bytes.find("PK\x01\x02");
  for (int difference : {-1, 1}) {
    std::string other = bytes;
    other[entry + 24] = static_cast<char>(other[entry + 24] + difference);
    EXPECT_TRUE(error_of(other).starts_with("DATA_LOSS: zip: 'a': the directory has")) << error_of(other);
  }
}

}  // namespace
}  // namespace hilo::io
