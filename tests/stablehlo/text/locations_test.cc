// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/locations.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/text/reader.h"

namespace hilo::stablehlo {
namespace {

/// The source location of an operation with this location text, as "name|file:line".
std::string location_of(const std::string& location, const std::string& aliases = {}) {
  const StatusOr<ModuleTree> tree = read_text("\"op.a\"() : () -> () " + location + "\n" + aliases, "t");
  if (!tree.ok()) return std::string(tree.status().message());
  for (const Operation& operation : tree->operations) {
    if (operation.name != "op.a") continue;
    const Location& at = tree->locations[operation.location];
    return std::string(at.name) + "|" + std::string(at.file) + ":" + std::to_string(at.line);
  }
  return "no operation";
}

TEST(Locations, AreNamesFilesAndNeither) {
  EXPECT_EQ(location_of("loc(\"f.py\":7:3)"), "|f.py:7");
  EXPECT_EQ(location_of("loc(\"jit(f)/sin\")"), "jit(f)/sin|:0");
  EXPECT_EQ(location_of("loc(\"sin\"(\"f.py\":7:3))"), "sin|f.py:7");
  EXPECT_EQ(location_of("loc(unknown)"), "|:0");
  EXPECT_EQ(location_of(""), "|:0");
}

TEST(Locations, OfACallAreThoseOfTheCallee) {
  EXPECT_EQ(location_of("loc(callsite(\"f.py\":7:3 at \"g.py\":9:1))"), "|f.py:7");
}

TEST(Locations, AliasesMayFollow) {
  EXPECT_EQ(location_of("loc(#loc1)", "#loc1 = loc(\"x\"(#loc2))\n#loc2 = loc(\"f.py\":1:2)\n"), "x|f.py:1");
}

TEST(Locations, UnknownAliasesAndCyclesSayNothing) {
  EXPECT_EQ(location_of("loc(#loc1)"), "|:0");
  EXPECT_EQ(location_of("loc(#a)", "#a = loc(\"x\"(#a))\n"), "x|:0");
}

TEST(Locations, AWordInPlaceOfALineIsAnError) {
  EXPECT_TRUE(location_of("loc(\"f.py\":x)").starts_with("t:1:")) << location_of("loc(\"f.py\":x)");
}

}  // namespace
}  // namespace hilo::stablehlo
