// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/raw.h"

#include <gtest/gtest.h>

namespace hilo::hlo::proto {
namespace {

/// The attributes after a round trip through a message, separated by ", ".
std::string raw_through(Opcode opcode, const std::vector<std::string>& attributes) {
  RawAttributes before, after;
  before.raw.assign(attributes.begin(), attributes.end());
  InstructionFields out;
  if (const Status status = write_raw(opcode, before, out); !status.ok()) return std::string(status.message());
  WireWriter whole = std::move(out.own);
  for (const auto& [number, message] : out.nested) whole.message(number, message);
  const WireMessage message = WireMessage::read(whole.view(), "I").value();
  WireMessage nested("nested");
  const std::vector<ComputationPtr> called;
  InstructionMessage in{message, called, nested};
  if (const Status status = read_raw(opcode, in, after); !status.ok()) return std::string(status.message());
  std::string text;
  for (const std::string& one : after.raw) text += (text.empty() ? "" : ", ") + one;
  return text;
}

TEST(RawProto, KeepsThoseOfACustomCall) {
  EXPECT_EQ(raw_through(Opcode::kCustomCall,
                        {"custom_call_target=\"f\"", "operand_layout_constraints={f32[4]{0}, f32[2,3]{0,1}}",
                         "custom_call_has_side_effect=true", "output_to_operand_aliasing={{0}: (1, {}), {1}: (2, {0})}",
                         "api_version=API_VERSION_TYPED_FFI"}),
            "custom_call_target=\"f\", operand_layout_constraints={f32[4]{0}, f32[2,3]{0,1}}, "
            "custom_call_has_side_effect=true, "
            "output_to_operand_aliasing={{0}: (1, {}), {1}: (2, {0})}, api_version=API_VERSION_TYPED_FFI");
}

TEST(RawProto, ShowsATargetThoughItIsEmpty) {
  EXPECT_EQ(raw_through(Opcode::kCustomCall, {"custom_call_target=\"\""}), "custom_call_target=\"\"");
}

TEST(RawProto, SaysWhatHasNoForm) {
  EXPECT_EQ(raw_through(Opcode::kCustomCall, {"custom_call_target=\"f\"", "flavour=3"}),
            "attribute 'flavour' can't be represented in HloModuleProto");
  EXPECT_NE(raw_through(Opcode::kCustomCall, {"custom_call_target=\"f\"", "output_to_operand_aliasing={{0} (1, {})}"})
                .find("expected ':' after the result's index"),
            std::string::npos);
  EXPECT_NE(
      raw_through(Opcode::kCustomCall, {"custom_call_target=\"f\"", "api_version=API_VERSION_9"}).find("API_VERSION_9"),
      std::string::npos);
}

}  // namespace
}  // namespace hilo::hlo::proto
