// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharding_list.h"

#include <gtest/gtest.h>

#include "hilo/array/indexer.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using ShardingListTest = tests::EightDevices;

TEST_F(ShardingListTest, GivesEveryLeafItsTreesSharding) {
  const Mesh mesh = make_mesh({8}, {"i"});
  const NamedSharding a(mesh, P("i")), b(mesh, P());
  EXPECT_TRUE(shardings_of_leaves("f", {}, {1, 2}).empty());
  EXPECT_EQ(shardings_of_leaves("f", a, {1, 2}), (ShardingList{a, a, a}));
  EXPECT_EQ(shardings_of_leaves("f", {a, none}, {2, 1}), (ShardingList{a, a, none}));
  EXPECT_EQ(shardings_of_leaves("f", {a, b}, {0, 1}), ShardingList({b}));
  EXPECT_NE(error_of([&] { shardings_of_leaves("jit in_shardings", {a, b}, {1, 1, 1}); }, StatusCode::kInvalidArgument)
                .find("jit in_shardings: must have one entry or one each: got 2 for 3"),
            std::string::npos);
}

}  // namespace
}  // namespace hilo
