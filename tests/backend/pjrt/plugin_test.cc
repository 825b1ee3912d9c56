// SPDX-License-Identifier: Apache-2.0
// The libraries that the loader accepts as plugins, and those that it rejects.
#include "hilo/backend/pjrt/plugin.h"

#include <gtest/gtest.h>

#include <set>

#include "hilo/backend/pjrt/call.h"
#include "hilo/base/files.h"
#include "hilo/device/buffer.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/fake_plugins.h"
#include "tests/support/in_child.h"

namespace hilo::plugins {
namespace {

using tests::FakePluginCopy;

std::string error_of_copy(const std::string& variable) {
  const FakePluginCopy copy(variable);
  const StatusOr<const Plugin*> plugin = Plugin::open(copy.path());
  if (plugin.ok()) return "";
  EXPECT_EQ(plugin.status().code(), StatusCode::kFailedPrecondition);
  const std::string text(plugin.status().message());
  EXPECT_EQ(text.rfind("plugin '" + copy.path() + "': ", 0), 0u) << text;
  return text.substr(text.find("': ") + 3);
}

TEST(Plugin, SaysWhatItIs) {
  const Plugin& plugin = **Plugin::open(tests::fake_plugin_path());
  EXPECT_EQ(plugin.version_text(), "0.114");
  EXPECT_TRUE(plugin.is_xla());
  EXPECT_EQ(plugin.stablehlo_version(), (Version{1, 13, 0}));
  EXPECT_EQ(plugin.attributes()[0], (std::pair<std::string, std::string>("stablehlo_current_version", "1.13.0")));
  EXPECT_EQ(*Plugin::open(tests::fake_plugin_path()), &plugin);
  EXPECT_TRUE(Plugin::is_open(tests::fake_plugin_path()));
}

TEST(Plugin, WhatIsNoneIsRefused) {
  EXPECT_EQ(Plugin::open("/nowhere/plugin.so").status().to_string(),
            "NOT_FOUND: plugin '/nowhere/plugin.so': the file doesn't exist");
  const std::string text = testing::TempDir() + "/plugin_text.so";
  ASSERT_TRUE(write_file_atomic(text, "no library").ok());
  EXPECT_NE(std::string(Plugin::open(text).status().message()).find("it can't be opened: "), std::string::npos);
  EXPECT_EQ(error_of_copy("nothing"), "it isn't a PJRT plugin: GetPjrtApi returns null");
  EXPECT_EQ(error_of_copy("major:1"), "its PJRT is version 1.114; wanted 0.x");
  EXPECT_EQ(error_of_copy("null:PJRT_Client_Compile"),
            "its PJRT 0.114 has no function PJRT_Client_Compile, which hilo needs");
  EXPECT_EQ(error_of_copy("size:48"), "its PJRT 0.114 has no function PJRT_Error_Message, which hilo needs");
  EXPECT_FALSE(Plugin::is_open("/nowhere/plugin.so"));
}

TEST(Plugin, AFunctionThatItLacksIsRefusedWhenItIsAskedFor) {
  const FakePluginCopy copy("null:PJRT_Buffer_CopyToDevice");
  const Plugin& plugin = **Plugin::open(copy.path());
  EXPECT_FALSE(has(plugin, &PJRT_Api::PJRT_Buffer_CopyToDevice));
  PJRT_Buffer_CopyToDevice_Args args{};
  EXPECT_EQ(call(plugin, &PJRT_Api::PJRT_Buffer_CopyToDevice, args).to_string(),
            "UNIMPLEMENTED: plugin '" + copy.path() + "': its PJRT 0.114 has no function PJRT_Buffer_CopyToDevice");
}

/// Opens the plugin and, on success, runs a short program. Returns the first error.
Status use_plugin(const std::string& path) {
  HILO_RETURN_IF_ERROR(Plugin::open(path).status());
  HILO_ASSIGN_OR_RETURN(const ClientPtr client, make_plugin_client({.name = "Fake", .path = path}, {}));
  const std::vector<DevicePtr> devices = client->devices();
  HILO_ASSIGN_OR_RETURN(const BufferPtr x, buffer_from_literal(*devices[0], Literal::array<float>({3}, {1, 2, 3})));
  HILO_ASSIGN_OR_RETURN(const BufferPtr y, devices[1]->copy(x));
  HILO_ASSIGN_OR_RETURN(
      const std::unique_ptr<Executable> program,
      client->compile(
          *hlo::parse_module("HloModule f\nENTRY e {\n  a = f32[3] parameter(0)\n  ROOT r = f32[3] add(a, a)\n}"), {},
          nullptr));
  BufferPtr result;
  HILO_RETURN_IF_ERROR(program->execute({&y, 1}, {&result, 1}));
  HILO_ASSIGN_OR_RETURN(const Literal got, literal_from_buffer(*result));
  EXPECT_EQ(got.to_string(), "f32[3] {2, 4, 6}");
  HILO_ASSIGN_OR_RETURN(const std::string saved, program->serialize());
  return client->load(saved).status();
}

TEST(Plugin, AnyFunctionMayBeMissing) {
  // the client has other implementations of these
  const std::set<std::string> spared = {"PJRT_Plugin_Attributes",          "PJRT_Client_PlatformName",
                                        "PJRT_Device_AddressableMemories", "PJRT_Device_MemoryStats",
                                        "PJRT_Buffer_CopyToDevice",        "PJRT_Executable_GetCompiledMemoryStats"};
  int refused = 0, served = 0;
  const auto without = [&](const std::string& name) {
    const FakePluginCopy copy("null:" + name);
    const Status status = use_plugin(copy.path());
    ++(status.ok() ? served : refused);
    if (status.ok()) return;
    EXPECT_NE(status.message().find(name), std::string_view::npos) << name << ": " << status.to_string();
    EXPECT_FALSE(spared.contains(name)) << status.to_string();
  };
#define HILO_PJRT_SLOT(result, name) without(#name);
#include "hilo/pjrt_abi/slots.inc"
  EXPECT_GT(refused, 25);
  EXPECT_GT(served, 60);
}

TEST(Plugin, ItsTableMayEndAnywhere) {
  for (size_t size = offsetof(PJRT_Api, PJRT_Error_Destroy); size <= sizeof(PJRT_Api); size += 9 * sizeof(void*)) {
    const FakePluginCopy copy("size:" + std::to_string(size));
    const Status status = use_plugin(copy.path());
    if (!status.ok()) {
      EXPECT_NE(status.message().find("has no function PJRT_"), std::string_view::npos) << status.to_string();
    }
  }
  const FakePluginCopy whole("size:" + std::to_string(sizeof(PJRT_Api)));
  EXPECT_EQ(use_plugin(whole.path()).to_string(), "OK");
}

TEST(Plugin, EveryErrorCodeComesThrough) {
  const Plugin& plugin = **Plugin::open(tests::fake_plugin_path());
  tests::FakePluginPlan& plan = tests::fake_plugin_plan();
  const int64_t live = plan.live;
  for (uint32_t code = 1; code <= 17; ++code) {
    plan.calls = 0;
    plan.fail_code = code;
    plan.fail_at = 0;
    PJRT_Plugin_Initialize_Args args{};
    const Status status = call(plugin, &PJRT_Api::PJRT_Plugin_Initialize, args);
    EXPECT_EQ(status.message(), "fake plugin: as planned");
    EXPECT_EQ(static_cast<uint32_t>(status.code()), code <= 16 ? code : 2u);  // 17 is not a valid code
  }
  plan.fail_at = -1;
  EXPECT_EQ(plan.live, live) << "errors are destroyed";
}

TEST(Plugin, AChildOfForkIsTold) {
  const Plugin& plugin = **Plugin::open(tests::fake_plugin_path());
  EXPECT_FALSE(is_after_fork());
  EXPECT_EQ(in_child([&] {
              PJRT_Plugin_Initialize_Args args{};
              const Status status = call(plugin, &PJRT_Api::PJRT_Plugin_Initialize, args);
              return status.code() == StatusCode::kFailedPrecondition &&
                             status.message().find("fork()") != std::string_view::npos
                         ? 7
                         : 1;
            }),
            7);
  EXPECT_FALSE(is_after_fork());
}

TEST(FileIdentity, ChangesWithTheFile) {
  const std::string path = testing::TempDir() + "/identity";
  ASSERT_TRUE(write_file_atomic(path, std::string(3 << 20, 'a')).ok());
  const std::string first = *file_identity(path);
  EXPECT_EQ(*file_identity(path), first);
  ASSERT_TRUE(write_file_atomic(path, std::string(3 << 20, 'b')).ok());
  EXPECT_NE(*file_identity(path), first);
  EXPECT_EQ(file_identity(path + ".none").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace hilo::plugins
