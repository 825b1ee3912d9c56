// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/named_sharding.h"

#include <gtest/gtest.h>

#include "hilo/array/device_put.h"
#include "hilo/array/indexer.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using NamedShardingTest = tests::EightDevices;
using Sizes = std::vector<int64_t>;

template <typename F>
std::string refusal(F&& f) {
  return error_of(std::forward<F>(f), StatusCode::kInvalidArgument);
}

TEST_F(NamedShardingTest, SaysWhichPartEachDeviceHas) {
  const NamedSharding sharding(make_mesh({2, 4}, {"x", "y"}), P("y", none, "x"));
  EXPECT_EQ(sharding.shard_shape(Sizes{8, 3, 4}), (Sizes{2, 3, 2}));
  EXPECT_EQ(sharding.part(0, 6), 2);  // position 6 is x=1, y=2
  EXPECT_EQ(sharding.part(1, 6), 0);
  EXPECT_EQ(sharding.part(2, 6), 1);
  const NamedSharding both(make_mesh({2, 4}, {"x", "y"}), P({"y", "x"}));
  EXPECT_EQ(both.parts(0), 8);
  EXPECT_EQ(both.part(0, 6), 5);  // y is major
  EXPECT_EQ(both.shard_shape(Sizes{0, 5}), (Sizes{0, 5}));
}

TEST_F(NamedShardingTest, IsAValueThatPrints) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  EXPECT_EQ(NamedSharding(mesh, P("x", none)).to_string(),
            "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', None))");
  EXPECT_EQ(NamedSharding(mesh, P("x")), NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x")));
  EXPECT_NE(NamedSharding(mesh, P("x")), NamedSharding(mesh, P("y")));
  EXPECT_EQ(SingleDeviceSharding(devices()[3]).to_string(),
            "SingleDeviceSharding(device=" + devices()[3]->to_string() + ")");
  EXPECT_TRUE(SingleDeviceSharding(devices()[3]).is_fully_replicated());
}

TEST_F(NamedShardingTest, IsEquivalentToWhatCutsAlike) {
  const NamedSharding two(make_mesh({2, 4}, {"x", "y"}), P({"x", "y"}));
  const NamedSharding one(make_mesh({8}, {"i"}), P("i"));
  EXPECT_TRUE(two.is_equivalent_to(one, 2));
  EXPECT_TRUE(one.is_equivalent_to(NamedSharding(one.mesh(), P("i", none)), 2));
  EXPECT_FALSE(two.is_equivalent_to(NamedSharding(two.mesh(), P({"y", "x"})), 2));
  EXPECT_FALSE(one.is_equivalent_to(NamedSharding(one.mesh(), P(none, "i")), 2));
  EXPECT_FALSE(one.is_fully_replicated());
  EXPECT_TRUE(NamedSharding(one.mesh(), P(none, none)).is_fully_replicated());
  EXPECT_TRUE(NamedSharding(make_mesh({1, 8}, {"x", "y"}), P("x")).is_fully_replicated());
}

TEST_F(NamedShardingTest, RefusesAsJaxDoes) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  EXPECT_THROW(NamedSharding(mesh, P("x", "x")), DuplicateSpecError);
  EXPECT_TRUE(has(refusal([&] { NamedSharding(mesh, P("x", {"y", "x"})); }), "duplicate entries for `x`"));
  EXPECT_TRUE(has(refusal([&] { NamedSharding(mesh, P("z")); }),
                  "Resource axis: z of PartitionSpec('z',) is not found in mesh: ('x', 'y')"));
  EXPECT_TRUE(has(refusal([&] { NamedSharding(mesh, P(none, "x")).shard_shape(Sizes{4}); }),
                  "only valid for values of rank at least 2, but was applied to a value of rank 1"));
  EXPECT_THROW(NamedSharding(mesh, P("y")).shard_shape(Sizes{6}), IndivisibleError);
  const std::string error = refusal([&] { NamedSharding(mesh, P("y")).shard_shape(Sizes{6, 2}); });
  EXPECT_TRUE(has(error, "array axis 0 is partitioned 4 times, but the dimension size is 6 (full shape: (6, 2))"));
  EXPECT_TRUE(has(error, "Hint: ") && has(error, "named_sharding_test.cc:")) << error;
}

}  // namespace
}  // namespace hilo
