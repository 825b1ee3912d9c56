// SPDX-License-Identifier: Apache-2.0
// A process reserves space for thread-local variables of libraries that it opens later. It is often used up when the
// plugin is opened: Python programs open hundreds of libraries.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/paths.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  for (int byte = fgetc(pipe.get()); byte != EOF; byte = fgetc(pipe.get())) output += static_cast<char>(byte);
  return output;
}

TEST(StaticTls, IsNotNeededByThePlugin) {
  const fs::path folder = testing::TempDir() + "hilo_static_tls_" + std::to_string(getpid());
  fs::create_directory(folder);
  std::string command = std::string(kBinDir) + "/tests/static_tls_opener";
  for (int i = 0; i < 120; ++i) {
    const fs::path copy = folder / ("filler" + std::to_string(i) + ".so");
    fs::copy_file(std::string(kBinDir) + "/tests/libstatic_tls_filler.so", copy);
    command += " " + copy.string();
  }
  EXPECT_EQ(output_of(command + " 2>&1"), "2 4\n2 4\n");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hilo::tests
