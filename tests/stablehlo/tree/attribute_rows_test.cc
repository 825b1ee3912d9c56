// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/attribute_rows.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

TEST(AttributeRows, SayHowAnAttributeIsWritten) {
  EXPECT_EQ(find_attribute_row("dimension")->form, AttributeForm::kInteger64);
  EXPECT_EQ(find_attribute_row("permutation")->form, AttributeForm::kIntegers);
  EXPECT_EQ(find_attribute_row("window_reversal")->form, AttributeForm::kBools);
  EXPECT_EQ(find_attribute_row("replica_groups")->form, AttributeForm::kMatrix);
  EXPECT_EQ(find_attribute_row("value")->form, AttributeForm::kElements);
}

TEST(AttributeRows, WordsHaveTheirEnum) {
  const AttributeRow* const direction = find_attribute_row("comparison_direction");
  EXPECT_EQ(direction->form, AttributeForm::kWord);
  EXPECT_EQ(direction->word, VhloAttribute::kComparisonDirection);
  EXPECT_EQ(direction->mnemonic, "comparison_direction");
  EXPECT_EQ(find_attribute_row("precision_config")->form, AttributeForm::kWords);
}

TEST(AttributeRows, UnknownNamesHaveNone) {
  EXPECT_EQ(find_attribute_row("flavour"), nullptr);
  EXPECT_EQ(find_attribute_row(""), nullptr);
}

}  // namespace
}  // namespace hilo::stablehlo
