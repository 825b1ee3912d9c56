// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/over_mesh.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/devices/sharding.h"

namespace hilo::hlo {
namespace {

Sharding parsed(const std::string& text) {
  const StatusOr<std::vector<Sharding>> made = stablehlo::parse_shardings("[" + text + "]");
  EXPECT_TRUE(made.ok()) << made.status().to_string();
  return made.ok() ? (*made)[0] : Sharding();
}

/// The sharding over a mesh, printed without the mesh; or the error if it has no form over that mesh.
std::string over(const std::string& sharding, const std::string& mesh) {
  const StatusOr<Mesh> target = stablehlo::parse_mesh(mesh);
  if (!target.ok()) return target.status().to_string();
  const StatusOr<std::optional<Sharding>> made = over_mesh(parsed(sharding), *target);
  if (!made.ok()) return made.status().to_string();
  if (!*made) return "no words";
  EXPECT_EQ((*made)->mesh, *target);
  const std::string text = stablehlo::to_string(**made);
  return text.substr(text.find(", [") + 2);
}

TEST(OverMesh, AnAxisIsSeveralAndSeveralAreOne) {
  EXPECT_EQ(over(R"(<mesh<["a"=4]>, [{"a"}, {}]>)", R"(<["x"=2, "y"=2]>)"), R"([{"x", "y"}, {}]>)");
  EXPECT_EQ(over(R"(<mesh<["x"=2, "y"=2]>, [{"x"}, {"y", ?}p1]>)", R"(<["a"=4]>)"),
            R"([{"a":(1)2}, {"a":(2)2, ?}p1]>)");
  EXPECT_EQ(over(R"(<mesh<["a"=6]>, [{"a"}]>)", R"(<["x"=3, "y"=2]>)"), R"([{"x", "y"}]>)");
}

TEST(OverMesh, AnOrderOfDevicesMayTurnAxes) {
  EXPECT_EQ(over(R"(<mesh<["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>, [{"a"}, {"b"}]>)", R"(<["x"=2, "y"=2]>)"),
            R"([{"y"}, {"x"}]>)");
  EXPECT_EQ(over(R"(<mesh<["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>, [{"a"}]>)", R"(<["x"=2, "y"=2]>)"), "no words");
}

TEST(OverMesh, AxesThatNoDimensionHasGoAlong) {
  EXPECT_EQ(over(R"(<mesh<["a"=4, "b"=2]>, [{?}], replicated={"a"}, unreduced={"b"}>)", R"(<["x"=2, "y"=4]>)"),
            R"([{?}], replicated={"x", "y":(1)2}, unreduced={"y":(2)2}>)");
}

TEST(OverMesh, WhatPrimesDoNotMakeUpHasNoWords) {
  EXPECT_EQ(over(R"(<mesh<["a"=2, "b"=3]>, [{"a"}]>)", R"(<["x"=3, "y"=2]>)"), "no words");
  EXPECT_EQ(over(R"(<mesh<["a"=2]>, [{"a"}]>)", R"(<["x"=4]>)"), "no words");
  EXPECT_EQ(over(R"(<mesh<["a"=4]>, [{"b"}]>)", R"(<["x"=2, "y"=2]>)"), "INVALID_ARGUMENT: the mesh has no axis 'b'");
}

TEST(OverMesh, OneDeviceSplitsNothing) {
  EXPECT_EQ(over(R"(<mesh<[], device_ids=[3]>, [{}, {?}]>)", R"(<["x"=4]>)"), "[{}, {?}]>");
}

}  // namespace
}  // namespace hilo::hlo
