// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/mesh_axes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/stablehlo/text/reader.h"

namespace hilo::stablehlo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

constexpr std::string_view kAxes = "axes=[<name = \"x\", size = 2>, <name = \"y\", size = 4>]";

/// The groups of an operation with these replica_groups, in a module that defines @mesh.
StatusOr<Groups> groups_of(std::string_view attribute, std::string_view ids = "") {
  const std::string text = fmt::format(
      "func.func private @mesh() attributes {{stablehlo.mesh = #stablehlo.mesh<{}{}>}}\n"
      "sdy.mesh @shardy = <[\"x\"=2, \"y\"=2]>\n"
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {{\n"
      "  %0 = \"stablehlo.collective_broadcast\"(%x) {{replica_groups = {}}} : (tensor<f32>) -> tensor<f32>\n"
      "  return %0 : tensor<f32>\n}}\n",
      kAxes, ids, attribute);
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, read_text(text, "t.mlir"));
  for (const Operation& operation : tree.operations) {
    if (const Attribute* const found = tree.find(operation, "replica_groups")) return mesh_groups(tree, *found);
  }
  return internal_error("no groups");
}

Groups groups(std::string_view attribute, std::string_view ids = "") {
  const StatusOr<Groups> made = groups_of(attribute, ids);
  EXPECT_TRUE(made.ok()) << made.status().to_string();
  return made.ok() ? *made : Groups();
}

std::string error_of(std::string_view attribute, std::string_view ids = "") {
  const StatusOr<Groups> made = groups_of(attribute, ids);
  return made.ok() ? "no error" : made.status().to_string();
}

std::string along(std::string_view axes, std::string_view mesh = "@mesh") {
  return fmt::format("#stablehlo.replica_group_mesh_axes<mesh = {}, axes = [{}]>", mesh, axes);
}

constexpr std::string_view kX = "#stablehlo.axis_ref<name = \"x\">", kY = "#stablehlo.axis_ref<name = \"y\">";

TEST(MeshAxes, DevicesMeetAlongTheAxes) {
  EXPECT_EQ(groups(along(kX)), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups(along(kY)), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups(along(fmt::format("{}, {}", kY, kX))), (Groups{{0, 4, 1, 5, 2, 6, 3, 7}}));
  EXPECT_EQ(groups(along("")), (Groups{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}));
}

TEST(MeshAxes, PartsOfAxesAreTakenAlone) {
  EXPECT_EQ(groups(along("#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)2>")),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups(along("#stablehlo.axis_ref<name = \"y\", sub_axis_info = (2)2>")),
            (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(MeshAxes, AMeshSaysWhichDeviceStandsWhere) {
  EXPECT_EQ(groups(along(kX), ", device_ids=dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>"),
            (Groups{{7, 3}, {6, 2}, {5, 1}, {4, 0}}));
  EXPECT_EQ(groups(along(kX, "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 3>]>")),
            (Groups{{0, 1, 2}}));
  EXPECT_EQ(groups(along(kX, "@shardy")), (Groups{{0, 2}, {1, 3}}));
}

TEST(MeshAxes, WhatIsNotThereIsRefusedByName) {
  EXPECT_EQ(error_of(along(kX, "@nowhere")), "NOT_FOUND: mesh @nowhere doesn't exist");
  EXPECT_EQ(error_of(along("#stablehlo.axis_ref<name = \"z\">")), "INVALID_ARGUMENT: the mesh has no axis 'z'");
  EXPECT_EQ(error_of(along("#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)3>")),
            "INVALID_ARGUMENT: axis 'y' of size 4 has no such part");
  EXPECT_EQ(error_of(along("0 : i64")), "INVALID_ARGUMENT: wanted #stablehlo.axis_ref<...> for the axes of a mesh");
  EXPECT_EQ(error_of(along(kX), ", device_ids=dense<[0, 0]> : tensor<2xi64>"),
            "INVALID_ARGUMENT: device_ids of a mesh aren't each of its devices once");
  EXPECT_EQ(error_of(along(kX, "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 0>]>")),
            "INVALID_ARGUMENT: mesh axis 'x' has size 0");
}

}  // namespace
}  // namespace hilo::stablehlo
