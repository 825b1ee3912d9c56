// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/frontend_fields.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

std::string gather_with(const std::string& attributes) {
  return "HloModule m\n\nENTRY %main (x: f32[8], i: s32[3,1]) -> f32[3] {\n"
         "  %x = f32[8]{0} parameter(0)\n"
         "  %i = s32[3,1]{1,0} parameter(1)\n"
         "  ROOT %read = f32[3]{0} gather(%x, %i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
         "index_vector_dim=1, slice_sizes={1}" +
         attributes + "\n}\n";
}

IndexMode mode_of(const std::string& text) {
  const StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return attributes_of<GatherAttributes>(module->entry->root()).index_mode;
}

TEST(FrontendFields, TravelAsFrontendAttributes) {
  EXPECT_EQ(mode_of(gather_with("")), IndexMode::kUnspecified);
  EXPECT_EQ(mode_of(gather_with(", frontend_attributes={hilo.index_mode=\"clip\"}")), IndexMode::kClip);
  EXPECT_EQ(mode_of(gather_with(", frontend_attributes={a=\"b\",hilo.index_mode=\"fill_or_drop\"}")),
            IndexMode::kFillOrDrop);
}

TEST(FrontendFields, ReadAndPrintBackBesideOthers) {
  for (const std::string attributes :
       {"", ", frontend_attributes={a=\"b\"}", ", frontend_attributes={hilo.index_mode=\"promise_in_bounds\"}",
        ", frontend_attributes={a=\"b\",c=\"d\",hilo.index_mode=\"clip\"}, metadata={op_name=\"g\"}"}) {
    const std::string text = gather_with(attributes);
    EXPECT_EQ(print_module(parse_module(text).value()), text);
  }
}

TEST(FrontendFields, ArePartOfTheMeaning) {
  const StatusOr<Module> clip = parse_module(gather_with(", frontend_attributes={hilo.index_mode=\"clip\"}"));
  const StatusOr<Module> none = parse_module(gather_with(""));
  EXPECT_NE(clip->entry->fingerprint(), none->entry->fingerprint());
}

TEST(FrontendFields, RefuseUnknownValuesAndKeys) {
  const Status value = parse_module(gather_with(", frontend_attributes={hilo.index_mode=\"wrap\"}")).status();
  EXPECT_EQ(value.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(
      value.message().find("'wrap' is not a value of hilo.index_mode; wanted promise_in_bounds, clip, fill_or_drop"),
      std::string::npos)
      << value.message();
  const Status key = parse_module(gather_with(", frontend_attributes={hilo.mode=\"clip\"}")).status();
  EXPECT_NE(key.message().find("gather has no attribute 'hilo.mode'"), std::string::npos) << key.message();
}

}  // namespace
}  // namespace hilo::hlo
