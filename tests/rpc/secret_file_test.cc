// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/secret_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace hilo::rpc {
namespace {

std::string file_with(const std::string& name, mode_t mode) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << "secret\n";
  EXPECT_EQ(::chmod(path.c_str(), mode), 0);
  return path;
}

TEST(SecretFile, IsReadIfOnlyThisUserCanReadIt) {
  for (const mode_t mode : {0600, 0400, 0700})
    EXPECT_EQ(read_secret(file_with("hilo_secret", mode)).value(), "secret\n");
  EXPECT_EQ(read_secret(testing::TempDir() + "hilo_no_secret").status().code(), StatusCode::kNotFound);
}

TEST(SecretFile, IsRefusedForEachBitOfOthers) {
  for (const mode_t bit : {S_IRGRP, S_IWGRP, S_IXGRP, S_IROTH, S_IWOTH, S_IXOTH}) {
    const std::string path = file_with("hilo_secret", 0600 | bit);
    EXPECT_EQ(read_secret(path).status().to_string(),
              "PERMISSION_DENIED: " + path + ": other users can read this secret. Hint: chmod 600 " + path);
  }
}

TEST(SecretFile, ALinkIsAsGoodAsItsTarget) {
  const std::string path = file_with("hilo_secret", 0644), link = path + ".link";
  ::unlink(link.c_str());
  ASSERT_EQ(::symlink(path.c_str(), link.c_str()), 0);
  EXPECT_EQ(read_secret(link).status().code(), StatusCode::kPermissionDenied);
  ::chmod(path.c_str(), 0600);
  EXPECT_EQ(read_secret(link).value(), "secret\n");
}

TEST(SecretFile, ThatOfAnotherUserIsRefused) {
  const std::string path = file_with("hilo_secret_of_another", 0600);
  if (::chown(path.c_str(), 4321, static_cast<gid_t>(-1)) != 0) {
    EXPECT_NE(::geteuid(), 0u);  // only root can change the owner of a file
    return;
  }
  EXPECT_EQ(read_secret(path).status().code(), StatusCode::kPermissionDenied);
}

TEST(SecretFile, ACredentialOfSystemdMayHaveBitsOfItsGroup) {
  const std::string path = file_with("hilo_credential", 0440);
  const std::string folder = path.substr(0, path.rfind('/'));
  ::setenv("CREDENTIALS_DIRECTORY", folder.c_str(), 1);
  EXPECT_EQ(read_secret(path).value(), "secret\n");
  EXPECT_EQ(read_secret(folder + "/../" + path.substr(1)).status().ok(), false);  // another folder
  EXPECT_EQ(read_secret(file_with("hilo_credential", 0444)).status().code(), StatusCode::kPermissionDenied);
  ::unsetenv("CREDENTIALS_DIRECTORY");
  EXPECT_EQ(read_secret(file_with("hilo_credential", 0440)).status().code(), StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace hilo::rpc
