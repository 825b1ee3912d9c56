// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/probe.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/fake_plugins.h"

namespace hilo::plugins {
namespace {

using tests::FakePluginCopy;

TEST(ProbePlugin, SaysWhatThePluginIs) {
  const FakePluginCopy copy("");
  const StatusOr<std::string> text = probe_plugin({.name = "Fake", .path = copy.path()});
  ASSERT_TRUE(text.ok()) << text.status().to_string();
  EXPECT_EQ(*text, "PJRT 0.114\nstablehlo_current_version 1.13.0\nxla_version 2\nFake:0 fake\nFake:1 fake\n");
  EXPECT_FALSE(Plugin::is_open(copy.path())) << "it was opened elsewhere";
}

TEST(ProbePlugin, OnesThatEndTheProcessEndAnotherOne) {
  const FakePluginCopy copy("abort");
  EXPECT_EQ(probe_plugin({.name = "Fake", .path = copy.path()}).status().to_string(),
            "FAILED_PRECONDITION: plugin '" + copy.path() + "' ends the process that creates a client: Aborted");
}

TEST(ProbePlugin, ErrorsComeThrough) {
  const FakePluginCopy copy("none");
  const Status status = probe_plugin({.name = "Fake", .path = copy.path()}).status();
  EXPECT_EQ(status.to_string(),
            "NOT_FOUND: PJRT 0.114: platform 'Fake': plugin '" + copy.path() + "' has no device here");
  EXPECT_EQ(probe_plugin({.name = "Fake", .path = copy.path()}, std::chrono::seconds(0)).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST(ProbeOnce, RemembersWhatWentWell) {
  const std::string folder = testing::TempDir() + "/probed";
  std::filesystem::remove_all(folder);
  const FakePluginCopy good(""), bad("abort");
  PluginPlatform platform{.name = "Fake", .path = good.path()};
  EXPECT_EQ(probe_once(platform, folder).code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(std::filesystem::exists(folder));
  ::setenv(tests::kFakePluginVariable, "", 1);
  EXPECT_TRUE(probe_once(platform, folder).ok());
  ::setenv(tests::kFakePluginVariable, "abort", 1);
  EXPECT_TRUE(probe_once(platform, folder).ok()) << "it isn't tried again";
  EXPECT_FALSE(probe_once(platform, "").ok());
  platform.options.emplace_back("device_count", int64_t{3});
  EXPECT_FALSE(probe_once(platform, folder).ok()) << "with other options it may end differently";
}

}  // namespace
}  // namespace hilo::plugins
