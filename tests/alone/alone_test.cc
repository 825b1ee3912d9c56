// SPDX-License-Identifier: Apache-2.0
// tests/alone/alone_test.cc -- folders that link and work without those above them, one program each
// (tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/paths.h"

namespace hilo::tests {
namespace {

class Alone : public testing::TestWithParam<const char*> {};

TEST_P(Alone, WorksWithoutTheFoldersAbove) {
  // The code generator links all of hilo, so these programs use the reference engine.
  const std::string command =
      "HILO_PLATFORM=Reference " + std::string(kBinDir) + "/tests/alone_" + GetParam() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << output;
}

INSTANTIATE_TEST_SUITE_P(Folders, Alone, testing::Values("array", "trace", "mesh", "transform"));

}  // namespace
}  // namespace hilo::tests
