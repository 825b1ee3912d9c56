// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/user_token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace hilo::rpc {
namespace {

/// A fixture with its own runtime folder.
class UserTokens : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* const old = std::getenv("XDG_RUNTIME_DIR")) old_ = old;
    folder_ = testing::TempDir() + "hilo_runtime_" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    ASSERT_EQ(::mkdir(folder_.c_str(), 0700), 0);
    ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    if (old_.empty()) ::unsetenv("XDG_RUNTIME_DIR");
    else ::setenv("XDG_RUNTIME_DIR", old_.c_str(), 1);
  }
  static mode_t mode_of(const std::string& path) {
    struct stat about{};
    EXPECT_EQ(::stat(path.c_str(), &about), 0);
    return about.st_mode & 07777;
  }

  std::string folder_, old_;
};

TEST_F(UserTokens, AreFoundByTheServersAddressWhileItIsThere) {
  const std::string token = random_token();
  {
    const StatusOr<UserToken> published = UserToken::publish("127.0.0.1:7", token);
    ASSERT_TRUE(published.ok()) << published.status().to_string();
    EXPECT_EQ(published->path(), folder_ + "/hilo/127.0.0.1:7.token");
    EXPECT_EQ(mode_of(published->path()), 0600u);
    EXPECT_EQ(mode_of(folder_ + "/hilo"), 0700u);
    EXPECT_EQ(find_user_token("127.0.0.1:7").value(), token);
    EXPECT_EQ(find_user_token("localhost:7").value(), token);
    EXPECT_EQ(find_user_token("[::1]:7").value(), "");
    EXPECT_EQ(find_user_token("127.0.0.1:8").value(), "");
  }
  EXPECT_EQ(find_user_token("127.0.0.1:7").value(), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/hilo"));
}

TEST_F(UserTokens, ANewServerTakesThePlaceOfADeadOnesAndKeepsIt) {
  StatusOr<UserToken> old = UserToken::publish("127.0.0.1:7", "old");
  const StatusOr<UserToken> fresh = UserToken::publish("127.0.0.1:7", "fresh");
  old = UserToken();
  EXPECT_EQ(find_user_token("127.0.0.1:7").value(), "fresh");
}

TEST_F(UserTokens, AFileThatOthersCanReadIsRefused) {
  const StatusOr<UserToken> published = UserToken::publish("127.0.0.1:7", "token");
  ::chmod(published->path().c_str(), 0640);
  const Status status = find_user_token("127.0.0.1:7").status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_NE(status.message().find("chmod 600 " + published->path()), std::string_view::npos) << status.to_string();
}

TEST_F(UserTokens, AFolderThatIsNotThisUsersAloneIsNotUsed) {
  const StatusOr<UserToken> published = UserToken::publish("127.0.0.1:7", "token");
  ::chmod((folder_ + "/hilo").c_str(), 0750);
  EXPECT_EQ(find_user_token("127.0.0.1:7").value(), "");
  const StatusOr<UserToken> other = UserToken::publish("127.0.0.1:9", "token");
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->path(), "/tmp/hilo-" + std::to_string(::geteuid()) + "/127.0.0.1:9.token");
  EXPECT_EQ(mode_of(other->path()), 0600u);
  EXPECT_EQ(find_user_token("127.0.0.1:9").value(), "token");
}

TEST_F(UserTokens, WhatIsNoAddressHasNone) {
  EXPECT_EQ(find_user_token("unix:/run/a").value(), "");
  EXPECT_EQ(find_user_token(std::string(5000, '1')).value(), "");
}

TEST_F(UserTokens, AreOfBitsThatNobodyGuesses) {
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) all.insert(random_token());
  EXPECT_EQ(all.size(), 100u);
  EXPECT_EQ(all.begin()->size(), 64u);
}

}  // namespace
}  // namespace hilo::rpc
