// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/partition_spec.h"

#include <gtest/gtest.h>

#include "hilo/array/indexer.h"

namespace hilo {
namespace {

TEST(PartitionSpec, IsWrittenAndPrintedAsInJax) {
  EXPECT_EQ(P("x", none, {"y", "z"}).to_string(), "PartitionSpec('x', None, ('y', 'z'))");
  EXPECT_EQ(P().to_string(), "PartitionSpec()");
  EXPECT_EQ(P("x").to_string(), "PartitionSpec('x',)");
  EXPECT_EQ(P(none, "x").to_string(), "PartitionSpec(None, 'x')");
  EXPECT_EQ(P({"x", "y"}).to_string(), "PartitionSpec(('x', 'y'),)");
  EXPECT_EQ(P(PartitionSpec::UNCONSTRAINED, "x").to_string(), "PartitionSpec(UNCONSTRAINED, 'x')");
  EXPECT_EQ(P(std::string("batch")), P("batch"));
  EXPECT_EQ(PartitionSpec("x", none, "y"), P("x", none, "y"));
}

TEST(PartitionSpec, ListsItsAxes) {
  const PartitionSpec spec = P("x", none, {"y", "z"});
  EXPECT_EQ(spec.axes(), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(spec.size(), 3U);
  EXPECT_TRUE(spec.entry(1).axes().empty());
  EXPECT_TRUE(spec.entry(7).axes().empty());  // after the last entry: replicated
  EXPECT_FALSE(spec.entry(7).is_unconstrained());
}

TEST(PartitionSpec, EqualsWhatSaysTheSame) {
  EXPECT_EQ(P("x", {"y"}), P("x", "y"));
  EXPECT_NE(P("x", "y"), P("y", "x"));
  EXPECT_NE(P(none), P(PartitionSpec::UNCONSTRAINED));
}

}  // namespace
}  // namespace hilo
