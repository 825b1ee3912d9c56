// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/sharding.h"

#include <gtest/gtest.h>

namespace hilo::hlo {
namespace {

Mesh mesh_of(const std::vector<std::pair<std::string, int64_t>>& axes) {
  Mesh mesh;
  for (const auto& [name, size] : axes) EXPECT_TRUE(mesh.add_axis(name, size).ok());
  return mesh;
}
using Ids = std::vector<int64_t>;
using Groups = std::vector<Ids>;

TEST(Mesh, SizesAndDevicesAreBounded) {
  Mesh mesh = mesh_of({{"x", 2}, {"y", 3}});
  EXPECT_EQ(mesh.device_count(), 6);
  EXPECT_EQ(mesh.add_axis("z", 0).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(mesh.add_axis("z", 1 << 16).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Mesh().device_count(), 1);
}

TEST(Mesh, IdsAreEachDeviceOnce) {
  Mesh mesh = mesh_of({{"x", 3}});
  EXPECT_EQ(mesh.device_at(2), 2);
  ASSERT_TRUE(mesh.set_device_ids({2, 0, 1}).ok());
  EXPECT_EQ(mesh.device_at(0), 2);
  EXPECT_FALSE(mesh.set_device_ids({0, 0, 1}).ok());
  EXPECT_FALSE(mesh.set_device_ids({0, 1}).ok());
  EXPECT_FALSE(mesh.set_device_ids({0, 1, 3}).ok());
}

TEST(SplitDimension, ByOneAxisByTwoAndByNone) {
  const Mesh mesh = mesh_of({{"x", 2}, {"y", 3}});
  const DimensionSplit x = split_dimension(mesh, {{"x"}}).value();
  EXPECT_EQ(x.parts, 2);
  EXPECT_EQ(x.part_of_device, (Ids{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(x.groups, (Groups{{0, 3}, {1, 4}, {2, 5}}));
  const DimensionSplit both = split_dimension(mesh, {{"y"}, {"x"}}).value();
  EXPECT_EQ(both.parts, 6);
  EXPECT_EQ(both.part_of_device, (Ids{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(split_dimension(mesh, {}).value().parts, 1);
}

TEST(SplitDimension, ByAPartOfAnAxis) {
  const Mesh mesh = mesh_of({{"x", 4}});
  const DimensionSplit inner = split_dimension(mesh, {{"x", 2, 2}}).value();
  EXPECT_EQ(inner.part_of_device, (Ids{0, 1, 0, 1}));
  const DimensionSplit outer = split_dimension(mesh, {{"x", 1, 2}}).value();
  EXPECT_EQ(outer.part_of_device, (Ids{0, 0, 1, 1}));
}

TEST(SplitDimension, AxesThatTheMeshLacksAreErrors) {
  const Mesh mesh = mesh_of({{"x", 4}});
  EXPECT_EQ(split_dimension(mesh, {{"z"}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(split_dimension(mesh, {{"x", 1, 3}}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::hlo
