// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/header.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo::proto {
namespace {

Module with_header(const std::string& attributes) {
  return parse_module("HloModule m" + attributes +
                      "\n\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = (f32[2,3]) tuple(x)\n}\n")
      .value();
}

/// A round trip of the module's header through a message. The name is not part of it.
Module header_through(const Module& module) {
  WireWriter out;
  const Status written = write_header(module, out);
  EXPECT_TRUE(written.ok()) << written.to_string();
  Module again;
  again.entry = module.entry;
  const Status read = read_header(WireMessage::read(out.view(), "HloModuleProto").value(), again);
  EXPECT_TRUE(read.ok()) << read.to_string();
  return again;
}

TEST(HeaderProto, KeepsAliasesLayoutsAndDonors) {
  const Module module = with_header(
      ", input_output_alias={ {0}: (0, {}, must-alias) }, entry_computation_layout={(f32[2,3]{0,1})->(f32[2,3]{1,0})}, "
      "buffer_donor={ (0, {}) }");
  const Module again = header_through(module);
  EXPECT_EQ(again.aliases, module.aliases);
  EXPECT_EQ((*again.entry_parameter_layouts)[0].to_string_with_layout(), "f32[2,3]{0,1}");
  EXPECT_EQ(again.entry_result_layout->to_string_with_layout(), "(f32[2,3]{1,0})");
  EXPECT_EQ(again.other_attributes, module.other_attributes);
}

TEST(HeaderProto, KeepsFrontendAttributes) {
  const Module again = header_through(with_header(", frontend_attributes={a=\"b\"}"));
  ASSERT_EQ(again.other_attributes.size(), 1u);
  EXPECT_EQ(again.other_attributes[0], (std::pair<std::string, std::string>("frontend_attributes", "{a=\"b\"}")));
}

TEST(HeaderProto, LeavesOutTheConfigurationAndRejectsTheRest) {
  EXPECT_TRUE(header_through(with_header(", replica_count=2, num_partitions=4")).other_attributes.empty());
  WireWriter out;
  EXPECT_EQ(write_header(with_header(", alias_passthrough_params=true"), out).message(),
            "attribute 'alias_passthrough_params' of a module can't be represented in HloModuleProto");
}

TEST(HeaderProto, NewerFieldsAreRefusedByNumber) {
  WireWriter out;
  out.integer(24, 1);
  Module module;
  EXPECT_EQ(read_header(WireMessage::read(out.view(), "HloModuleProto").value(), module).message(),
            "HloModuleProto: field 24 is not known to this version");
}

TEST(IsScheduled, IsWhatTheModuleSays) {
  EXPECT_TRUE(is_scheduled(with_header(", is_scheduled=true")));
  EXPECT_FALSE(is_scheduled(with_header(", is_scheduled=false")));
  EXPECT_FALSE(is_scheduled(with_header("")));
}

}  // namespace
}  // namespace hilo::hlo::proto
