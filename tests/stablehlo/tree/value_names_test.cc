// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/value_names.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

TEST(ValueNames, ANumberAndTheSameWithZerosBeforeItAreTwoNames) {
  ValueNames names(100);
  EXPECT_TRUE(names.define("7", {1, 1}));
  EXPECT_TRUE(names.define("07", {2, 1}));
  EXPECT_TRUE(names.define("arg7", {3, 2}));
  EXPECT_EQ(names.find("7").first, 1);
  EXPECT_EQ(names.find("07").first, 2);
  EXPECT_EQ(names.find("arg7").count, 2);
  EXPECT_EQ(names.find("8").count, 0);
  EXPECT_EQ(names.find("").count, 0);
}

TEST(ValueNames, LargeNumbersTakeNoMoreMemoryThanNames) {
  ValueNames names(10);
  for (const std::string_view name : {"9", "10", "999999999", "99999999999999999999999"}) {
    EXPECT_EQ(names.find(name).count, 0) << name;
    EXPECT_TRUE(names.define(name, {5, 1})) << name;
    EXPECT_FALSE(names.define(name, {6, 1})) << name;
    EXPECT_EQ(names.find(name).first, 5) << name;
  }
}

TEST(ValueNames, AtTheEndOfARegionItsNamesAreForgotten) {
  ValueNames names(100);
  names.define("0", {0, 1});
  names.define("x", {1, 1});
  const size_t region = names.begin_region();
  names.define("1", {2, 1});
  names.define("y", {3, 1});
  names.end_region(region);
  EXPECT_EQ(names.find("0").count, 1);
  EXPECT_EQ(names.find("x").count, 1);
  EXPECT_EQ(names.find("1").count, 0);
  EXPECT_EQ(names.find("y").count, 0);
  EXPECT_TRUE(names.define("1", {4, 1}));
  EXPECT_TRUE(names.define("y", {5, 1}));
}

}  // namespace
}  // namespace hilo::stablehlo
