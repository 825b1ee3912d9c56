// SPDX-License-Identifier: Apache-2.0
// Programs that would abort a plugin's compiler are rejected before they reach it.
#include "hilo/backend/pjrt/known_faults.h"

#include <gtest/gtest.h>

#include "hilo/backend/pjrt/plugin_client.h"
#include "hilo/device/buffer.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/fake_plugins.h"

namespace hilo::plugins {
namespace {

using tests::FakePluginCopy;

ClientPtr client_of(const FakePluginCopy& copy, std::optional<ProgramFormat> format = {}) {
  return *make_plugin_client({.name = "Fake", .path = copy.path(), .format = format}, {});
}

hlo::Module transpose_of(const std::string& type) {
  return *hlo::parse_module("HloModule f\nENTRY e {\n  a = " + type + "[3,7] parameter(0)\n  ROOT t = " + type +
                            "[7,3] transpose(a), dimensions={1,0}, metadata={source_file=\"q.cc\" source_line=9}\n}");
}

TEST(KnownFaults, OfAnOldCompilerAreRefusedWithTheOpAndTheLine) {
  const FakePluginCopy copy("minor:81");
  const ClientPtr client = client_of(copy);
  for (const char* type : {"s2", "u2", "s4", "u4", "f4e2m1fn"}) {
    const Status status = client->compile(transpose_of(type), {}, nullptr).status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << type;
    for (const std::string& part : {std::string("Compile 'f': transpose"), std::string("(q.cc:9)"), copy.path(),
                                    std::string("PJRT 0.81"), std::string("Hint: PJRT 0.106 or later")}) {
      EXPECT_NE(status.message().find(part), std::string_view::npos) << status.to_string();
    }
  }
  for (const char* type : {"s8", "pred", "bf16"})
    EXPECT_TRUE(client->compile(transpose_of(type), {}, nullptr).ok()) << type;
  const Plugin& plugin = static_cast<PluginClient&>(*client).plugin();
  EXPECT_FALSE(check_known_faults(plugin, true, transpose_of("u2")).ok());
  EXPECT_TRUE(check_known_faults(plugin, false, transpose_of("u2")).ok()) << "of its compiler for processors only";
}

TEST(KnownFaults, AreOfTheVersionsThatHaveThem) {
  const FakePluginCopy copy("minor:106");
  EXPECT_TRUE(client_of(copy)->compile(transpose_of("u2"), {}, nullptr).ok());
}

TEST(KnownFaults, OpsThatAPluginKnowsByStablehloOnlyGoThatWay) {
  const FakePluginCopy copy("");
  const auto program = client_of(copy)->compile(
      *hlo::parse_module("HloModule f\nENTRY e {\n  a = f32[3] parameter(0)\n  ROOT r = f32[3] acosh(a)\n}"), {},
      nullptr);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const BufferPtr x = *buffer_from_literal(*(*program)->devices()[0], Literal::array<float>({3}, {1, 2, 10}));
  BufferPtr result;
  ASSERT_TRUE((*program)->execute({&x, 1}, {&result, 1}).ok());
  const Literal got = *literal_from_buffer(*result);
  EXPECT_EQ(got.data<float>()[0], 0.0f);
  EXPECT_NEAR(got.data<float>()[1], 1.3169579f, 1e-6f);
  EXPECT_NEAR(got.data<float>()[2], 2.9932228f, 1e-6f);
}

TEST(KnownFaults, WhatACompilerThrowsIsAnError) {
  const FakePluginCopy copy("throw");
  EXPECT_EQ(client_of(copy)->compile(transpose_of("f32"), {}, nullptr).status().to_string(),
            "INTERNAL: Compile 'f': plugin '" + copy.path() + "' threw: fake plugin: thrown");
}

}  // namespace
}  // namespace hilo::plugins
