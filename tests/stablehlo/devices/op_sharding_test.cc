// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/op_sharding.h"

#include <gtest/gtest.h>

#include "hilo/hlo/proto/sharding.h"

namespace hilo::stablehlo {
namespace {

std::string read(std::string_view text, int64_t rank) {
  const StatusOr<OpSharding> made = read_op_sharding(text, rank);
  if (!made.ok()) return made.status().to_string();
  return (made->manual ? "manual " : "") + to_string(made->sharding);
}

TEST(OpSharding, PartsBecomePrimeAxes) {
  EXPECT_EQ(read("{devices=[4,1]<=[4]}", 2), R"(<mesh<["_0"=2, "_1"=2]>, [{"_0", "_1"}, {}]>)");
  EXPECT_EQ(read("{devices=[2,1,3]<=[3,2]T(1,0) last_tile_dim_replicate}", 2),
            R"(<mesh<["_0"=2, "_1"=3], device_ids=[0, 2, 4, 1, 3, 5]>, [{"_0"}, {}]>)");
  EXPECT_EQ(read("{devices=[2,2]3,1,2,0}", 2),
            R"(<mesh<["_0"=2, "_1"=2], device_ids=[3, 1, 2, 0]>, [{"_0"}, {"_1"}]>)");
}

TEST(OpSharding, KindsOfDevicesBehindTheDimensions) {
  EXPECT_EQ(read("{devices=[1,2,2]<=[4] last_tile_dims={unreduced, replicated}}", 1),
            R"(<mesh<["_0"=2, "_1"=2]>, [{}], unreduced={"_0"}>)");
  EXPECT_EQ(read("{devices=[2,2]<=[4] last_tile_dims={manual}}", 1), R"(manual <mesh<["_0"=2, "_1"=2]>, [{"_0"}]>)");
}

TEST(OpSharding, WholeArraysHaveAnyRank) {
  EXPECT_EQ(read("{replicated}", 2), "<mesh<[]>, [{}, {}]>");
  EXPECT_EQ(read("{manual}", 0), "manual <mesh<[]>, []>");
  EXPECT_EQ(read("{maximal device=3}", 1), "<mesh<[]>, [{}]>");
}

TEST(OpSharding, BytesSayTheSameAsText) {
  auto proto = hlo::proto::write_sharding("{devices=[2,2]<=[2,2]T(1,0)}");
  ASSERT_TRUE(proto.ok());
  const std::string bytes = std::move(*proto).take();
  EXPECT_EQ(read(bytes, 2), read("{devices=[2,2]0,2,1,3}", 2));
}

TEST(OpSharding, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(read("{devices=[2,1]<=[2]}", 3), "INVALID_ARGUMENT: a sharding of 2 dimensions for an array of 3");
  EXPECT_EQ(read("{devices=[2,2]0,1,2}", 2), "INVALID_ARGUMENT: OpSharding: parts [2,2] of 3 devices");
  EXPECT_EQ(read("{devices=[4294967296,4294967296]0}", 2),
            "INVALID_ARGUMENT: OpSharding: parts [4294967296,4294967296] of 1 devices");
  EXPECT_EQ(read("{devices=[2]<=[99999999999]}", 1), "INVALID_ARGUMENT: OpSharding: invalid dimensions of devices");
  EXPECT_EQ(read("{devices=[2]<=[2]T(1)}", 1), "INVALID_ARGUMENT: OpSharding: invalid transposition of devices");
  EXPECT_EQ(read("{devices=[2]0,0}", 1), "INVALID_ARGUMENT: device_ids of a mesh aren't each of its devices once");
  EXPECT_EQ(read("{{replicated}, {replicated}}", 1), "UNIMPLEMENTED: OpSharding: type 2 isn't allowed here");
}

}  // namespace
}  // namespace hilo::stablehlo
