// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/dump_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "hilo/base/files.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "hilo_folder_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename());
    return found;
  }
  std::string folder_;
};

TEST_F(Folder, NumbersGoOnFromTheHighestInTheFolder) {
  ASSERT_TRUE(make_directories(folder_).ok());
  ASSERT_TRUE(write_file_atomic(folder_ + "/0041.other.hlo", "kept").ok());
  ASSERT_TRUE(write_file_atomic(folder_ + "/notes.txt", "kept").ok());
  EXPECT_EQ(*write_numbered(folder_, "f", "pass", "hlo", "x"), folder_ + "/0042.f.pass.hlo");
  EXPECT_EQ(*write_numbered(folder_, "f", "pass", "hlo", "y"), folder_ + "/0043.f.pass.hlo");
  EXPECT_EQ(*read_file(folder_ + "/0041.other.hlo"), "kept");
  EXPECT_EQ(names().size(), 4u);  // no temporary file remains
}

TEST_F(Folder, NumbersGoOnFromWhatOthersWroteMeanwhile) {
  ASSERT_TRUE(write_numbered(folder_, "f", "pass", "hlo", "x").ok());
  ASSERT_TRUE(write_file_atomic(folder_ + "/0900.other.hlo", "kept").ok());
  fs::last_write_time(folder_, fs::last_write_time(folder_) + std::chrono::seconds(1));
  EXPECT_EQ(*write_numbered(folder_, "f", "pass", "hlo", "y"), folder_ + "/0901.f.pass.hlo");
}

TEST_F(Folder, FilesOfOneStageShareANumberAndLeaveNoneBehindOfATakenOne) {
  const DumpFile files[] = {{"hlo", "text"}, {"hlo.pb", "bytes"}};
  ASSERT_TRUE(make_directories(folder_).ok());
  fs::create_symlink("/nowhere", folder_ + "/0000.f.s.hlo.pb");
  EXPECT_EQ(*write_numbered(folder_, "f", "s", files), folder_ + "/0001.f.s.hlo");
  EXPECT_EQ(names(), (std::set<std::string>{"0000.f.s.hlo.pb", "0001.f.s.hlo", "0001.f.s.hlo.pb"}));
  EXPECT_TRUE(fs::is_symlink(folder_ + "/0000.f.s.hlo.pb"));
}

TEST_F(Folder, NamesStayInsideTheFolder) {
  const auto path = write_numbered(folder_, "../../etc/pass wd", "p/q", "hlo", "x");
  ASSERT_TRUE(path.ok()) << path.status().to_string();
  EXPECT_EQ(fs::path(*path).parent_path(), fs::path(folder_));
}

TEST_F(Folder, NothingIsFollowedThroughALink) {
  ASSERT_TRUE(make_directories(folder_ + "/elsewhere").ok());
  fs::create_directory_symlink(folder_ + "/elsewhere", folder_ + "/hlo_per_pass");
  EXPECT_EQ(write_numbered(folder_ + "/hlo_per_pass", "f", "s", "hlo", "x").status().to_string(),
            "FAILED_PRECONDITION: " + folder_ + "/hlo_per_pass: is a link; dumps follow none");
  EXPECT_TRUE(fs::is_empty(folder_ + "/elsewhere"));
}

TEST_F(Folder, IndexListsThePagesAndLeavesAnotherProgramsAlone) {
  ASSERT_TRUE(write_numbered(folder_, "f", "index", "html", "x").ok());
  ASSERT_TRUE(write_numbered(folder_, "g", "index", "html", "x").ok());
  ASSERT_TRUE(write_index(folder_).ok());
  ASSERT_TRUE(write_index(folder_).ok());
  const std::string index = *read_file(folder_ + "/index.html");
  EXPECT_NE(index.find("<a href=\"0000.f.index.html\">"), std::string::npos) << index;
  EXPECT_NE(index.find("<a href=\"0001.g.index.html\">"), std::string::npos) << index;
  EXPECT_EQ(index.find("<a href=\"index.html\">"), std::string::npos) << index;
  ASSERT_TRUE(write_file_atomic(folder_ + "/index.html", "somebody's").ok());
  ASSERT_TRUE(write_index(folder_).ok());
  EXPECT_EQ(*read_file(folder_ + "/index.html"), "somebody's");
}

}  // namespace
}  // namespace hilo
