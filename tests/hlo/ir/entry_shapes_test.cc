// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/entry_shapes.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

Module with(const std::string& layout) {
  return parse_module(
             "HloModule m" + layout +
             "\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[3,2] transpose(x), dimensions={1,0}\n}\n")
      .value();
}

TEST(EntryShapes, OfTheModuleOutrankThoseOfItsInstructions) {
  EXPECT_EQ(entry_parameter_shapes(with(""))[0].to_string_with_layout(), "f32[2,3]{1,0}");
  const Module columns = with(", entry_computation_layout={(f32[2,3]{0,1})->f32[3,2]{0,1}}");
  EXPECT_EQ(entry_parameter_shapes(columns)[0].to_string_with_layout(), "f32[2,3]{0,1}");
  EXPECT_EQ(entry_result_shape(columns).to_string_with_layout(), "f32[3,2]{0,1}");
}

TEST(EntryShapes, ThoseOfTheEntryAreNotWrittenDown) {
  const Module plain = with("");
  const std::vector<Shape> own = {plain.entry->parameter(0).shape};
  EXPECT_FALSE(with_entry_shapes(plain, own, plain.entry->result_shape()).entry_parameter_layouts.has_value());
  const std::vector<Shape> columns = {parse_shape("f32[2,3]{0,1}").value()};
  const Module other = with_entry_shapes(plain, columns, plain.entry->result_shape());
  EXPECT_EQ(entry_parameter_shapes(other), columns);
  EXPECT_EQ(other.entry, plain.entry);
}

}  // namespace
}  // namespace hilo::hlo
