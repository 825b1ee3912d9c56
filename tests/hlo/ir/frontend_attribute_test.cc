// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/frontend_attribute.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

TEST(FrontendAttribute, IsTheValueWithoutQuotes) {
  EXPECT_EQ(frontend_attribute("{a=\"b\",hilo.group=\"3\"}", "hilo.group"), "3");
  EXPECT_EQ(frontend_attribute("{a=\"x\\\"y\\\\\"}", "a"), "x\"y\\");
  EXPECT_EQ(frontend_attribute("{a=\"\"}", "a"), "");
  EXPECT_EQ(frontend_attribute("{a=\"b\"}", "c"), "");
  EXPECT_EQ(frontend_attribute("", "a"), "");
}

TEST(FrontendAttribute, AKeyIsAWholeOne) {
  EXPECT_EQ(frontend_attribute("{my.group=\"1\",group=\"2\"}", "group"), "2");
  EXPECT_EQ(frontend_attribute("{num_batch_dims=\"1\"}", "batch_dims"), "");
  EXPECT_EQ(frontend_attribute("{a=\"b\", group=\"2\"}", "group"), "2");
}

TEST(FrontendAttribute, NumbersAreWholeOnes) {
  const auto number = [](const std::string& attributes) {
    const Module module =
        parse_module("HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0)" + attributes + "\n}\n").value();
    return frontend_number(module.entry->root(), "n");
  };
  EXPECT_EQ(number(", frontend_attributes={n=\"-7\"}"), -7);
  EXPECT_EQ(number(", frontend_attributes={n=\"7x\"}"), std::nullopt);
  EXPECT_EQ(number(", frontend_attributes={n=\"99999999999999999999\"}"), std::nullopt);
  EXPECT_EQ(number(""), std::nullopt);
}

}  // namespace
}  // namespace hilo::hlo
