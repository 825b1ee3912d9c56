// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/discovery.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"

namespace hilo::plugins {
namespace {

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/discovery_" + name;
  EXPECT_TRUE(write_file_atomic(path, text).ok());
  return path;
}

std::string error_of(const std::string& text) { return std::string(listed_platforms(text).status().message()); }

TEST(ListedPlatforms, AreNamesAndPaths) {
  const auto platforms = listed_platforms(" CUDA:/a/b.so, my one : /c d/e.so,");
  ASSERT_TRUE(platforms.ok()) << platforms.status().to_string();
  ASSERT_EQ(platforms->size(), 2u);
  EXPECT_EQ((*platforms)[0].name, "CUDA");
  EXPECT_EQ((*platforms)[0].path, "/a/b.so");
  EXPECT_EQ((*platforms)[1].name, "my one");
  EXPECT_EQ((*platforms)[1].path, "/c d/e.so");
  EXPECT_TRUE(listed_platforms("")->empty());
}

TEST(ListedPlatforms, AFileOfJsonHasOptions) {
  const std::string path = file("good.json", R"({"library_path": "/a.so", "program_format": "mlir",
      "create_options": {"n": 8, "m": -3, "part": 0.5, "on": true, "off": false, "who": "b\u0066c", "ids": [0, 1], "none": []}})");
  const auto platforms = listed_platforms("x:" + path);
  ASSERT_TRUE(platforms.ok()) << platforms.status().to_string();
  const PluginPlatform wanted{"x",
                              "/a.so",
                              {{"n", int64_t{8}},
                               {"m", int64_t{-3}},
                               {"part", 0.5f},
                               {"on", true},
                               {"off", false},
                               {"who", std::string("bfc")},
                               {"ids", std::vector<int64_t>{0, 1}},
                               {"none", std::vector<int64_t>{}}},
                              ProgramFormat::kStablehlo};
  EXPECT_EQ((*platforms)[0], wanted);
}

TEST(ListedPlatforms, WhatIsNoneIsRefused) {
  EXPECT_EQ(error_of("CUDA"), "hilo_pjrt_plugins: got 'CUDA'; wanted name:path");
  EXPECT_EQ(error_of(":/a.so"), "hilo_pjrt_plugins: got ':/a.so'; wanted name:path");
  EXPECT_EQ(error_of("a:"), "hilo_pjrt_plugins: got 'a:'; wanted name:path");
  EXPECT_EQ(error_of("a:/x,a:/y"), "hilo_pjrt_plugins: 'a' is listed twice");
  EXPECT_EQ(listed_platforms("a:/nowhere/at/all.json").status().code(), StatusCode::kNotFound);
  for (const char* bad : {"", "[]", "{}", R"({"library_path": 3})", R"({"library_path": ""})",
                          R"({"library_path": "/a", "create_options": {"a": null}})",
                          R"({"library_path": "/a", "create_options": {"a": [1, "b"]}})",
                          R"({"library_path": "/a", "create_options": {"a": 01}})",
                          R"({"library_path": "/a", "create_options": {"a": 1.}})",
                          R"({"library_path": "/a", "create_options": {"a": 1e999}})",
                          R"({"library_path": "/a", "program_format": "hlo_text"})", R"({"library_path": "/a"} 1)",
                          R"({"library_path": "/a", "what": 1})"}) {
    EXPECT_EQ(listed_platforms("a:" + file("bad.json", bad)).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

TEST(ListedPlatforms, TheFlagComesBeforeTheVariableOfJax) {
  ::setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "theirs:/t.so", 1);
  reset_flags();
  EXPECT_EQ((*platforms_of_flags())[0].name, "theirs");
  ASSERT_TRUE(config().update("hilo_pjrt_plugins", "ours:/o.so").ok());
  EXPECT_EQ((*platforms_of_flags())[0].name, "ours");
  ::unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  reset_flags();
  EXPECT_TRUE(platforms_of_flags()->empty());
}

TEST(FindPlugins, LooksWherePackagesPutThem) {
  const std::string root = testing::TempDir() + "/discovery_prefix";
  std::filesystem::remove_all(root);
  const std::string packages = root + "/lib/python3/site-packages/";
  for (const char* path : {"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda13/cuda.py",
                           "libtpu/libtpu.so", "some/pjrt_c_api_cpu_plugin.so", "numpy/core.so"}) {
    std::filesystem::create_directories(std::filesystem::path(packages + path).parent_path());
    ASSERT_TRUE(write_file_atomic(packages + path, "").ok());
  }
  const auto found = find_plugins(root);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].name, "CUDA");
  EXPECT_EQ((*found)[0].path, packages + "jax_plugins/xla_cuda13/xla_cuda_plugin.so");
  EXPECT_EQ((*found)[1].name, "TPU");
  EXPECT_EQ((*found)[2].name, "some");
  EXPECT_EQ(find_plugins(root + "/nothing").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace hilo::plugins
