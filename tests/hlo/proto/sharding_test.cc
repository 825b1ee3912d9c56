// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/sharding.h"

#include <gtest/gtest.h>

namespace hilo::hlo::proto {
namespace {

/// `text` after a round trip through OpSharding.
std::string sharding_through(std::string_view text) {
  const StatusOr<WireWriter> out = write_sharding(text);
  if (!out.ok()) return std::string(out.status().message());
  const StatusOr<std::string> again = read_sharding(out->view());
  return again.ok() ? *again : std::string(again.status().message());
}

TEST(OpSharding, KeepsEveryForm) {
  for (const std::string text :
       {"{replicated}", "{manual}", "{maximal device=3}", "{devices=[2,1]0,1}", "{devices=[2,1]<=[2]}",
        "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
        "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}", "{devices=[2]<=[2] shard_as 7}",
        "{replicated shard_like 1}", "{{replicated}, {devices=[2]<=[2]}}", "{}"})
    EXPECT_EQ(sharding_through(text), text);
}

TEST(OpSharding, LeavesOutMetadata) {
  EXPECT_EQ(sharding_through("{devices=[2]<=[2] metadata={op_name=\"x\"}}"), "{devices=[2]<=[2]}");
}

TEST(OpSharding, SaysWhatIsNoSharding) {
  EXPECT_EQ(sharding_through("{halved}"), "sharding:1:2: sharding 'halved' is not known");
  EXPECT_EQ(sharding_through("{devices=[2]<=[2] last_tile_dims={x}}"), "sharding:1:35: sharding 'x' is not known");
  EXPECT_NE(sharding_through("replicated").find("expected '{' before a sharding"), std::string::npos)
      << sharding_through("replicated");
  WireWriter tuple;
  tuple.integer(1, 2);
  WireWriter outer;
  outer.integer(1, 2);
  outer.message(5, tuple);
  EXPECT_EQ(read_sharding(outer.view()).status().message(), "OpSharding: type 2 isn't allowed here");
  WireWriter newer;
  newer.integer(14, 1);
  EXPECT_EQ(read_sharding(newer.view()).status().code(), StatusCode::kUnimplemented);
}

TEST(Tiles, AreCountsDevicesAndKinds) {
  const Tiles tiles = read_tiles("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={replicated}}").value();
  EXPECT_EQ(tiles.counts, (std::vector<int64_t>{1, 2, 2}));
  EXPECT_EQ(tiles.devices, (std::vector<int64_t>{0, 2, 1, 3}));
  EXPECT_EQ(tiles.kinds, (std::vector<std::string_view>{"replicated"}));
}

TEST(Tiles, OfWhatIsNotCutHaveItsTypeAlone) {
  const Tiles tiles = read_tiles("{manual}").value();
  EXPECT_TRUE(tiles.counts.empty());
  EXPECT_TRUE(tiles.devices.empty());
  EXPECT_EQ(tiles.kinds, (std::vector<std::string_view>{"manual"}));
}

TEST(Tiles, RejectPartsThatDontFitTheirDevices) {
  EXPECT_EQ(read_tiles("{devices=[3]0,1}").status().message(), "OpSharding: parts [3] of 2 devices");
  EXPECT_FALSE(read_tiles("{devices=[4]<=[2,2]T(1,1)}").ok());
  EXPECT_FALSE(read_tiles("{devices=[4]<=[1000000000000,1000000000000]}").ok());
  EXPECT_EQ(read_tiles("{{replicated}}").status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace hilo::hlo::proto
