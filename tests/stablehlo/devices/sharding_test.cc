// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/sharding.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

using Parts = std::vector<int64_t>;
using Groups = std::vector<std::vector<int64_t>>;

Mesh mesh_of(std::string_view text) {
  StatusOr<Mesh> mesh = parse_mesh(text);
  EXPECT_TRUE(mesh.ok()) << mesh.status().to_string();
  return mesh.ok() ? *std::move(mesh) : Mesh();
}

std::string error_of(std::string_view text) {
  const StatusOr<Mesh> mesh = parse_mesh(text);
  return mesh.ok() ? "no error" : mesh.status().to_string();
}

void holds(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "wanted " << part << " in: " << text;
}

TEST(Sharding, MeshesHaveAxesAndAnOrderOfDevices) {
  const Mesh mesh = mesh_of(R"(<["x"=2, "y"=3], device_ids=[5, 4, 3, 2, 1, 0]>)");
  ASSERT_EQ(mesh.axes.size(), 2u);
  EXPECT_EQ(mesh.axes[1].name, "y");
  EXPECT_EQ(mesh.device_count(), 6);
  EXPECT_EQ(mesh.device_at(1), 4);
  EXPECT_EQ(mesh_of("<[]>").device_count(), 1);
}

TEST(Sharding, MeshesThatCantBeAreRefused) {
  holds(error_of(R"(<["x"=0]>)"), "mesh axis 'x' has size 0");
  holds(error_of(R"(<["x"=9223372036854775807, "y"=9223372036854775807]>)"), "mesh axis 'x' has size");
  holds(error_of(R"(<["x"=2], device_ids=[0, 0]>)"), "aren't each of its devices once");
  holds(error_of(R"(<["x"=2)"), "INVALID_ARGUMENT");
}

TEST(Sharding, ShardingsNameAMeshAndAxesByDimension) {
  const StatusOr<std::vector<Sharding>> shardings = parse_shardings(
      R"([<@mesh, [{"x", "y":(2)4}, {?}, {"z", ?}p1], replicated={"w"}, unreduced={"u"}>, <mesh<["a"=2]>, []>])");
  ASSERT_TRUE(shardings.ok()) << shardings.status().to_string();
  ASSERT_EQ(shardings->size(), 2u);
  const Sharding& first = (*shardings)[0];
  EXPECT_EQ(first.mesh_name, "mesh");
  ASSERT_EQ(first.dimensions.size(), 3u);
  ASSERT_EQ(first.dimensions[0].axes.size(), 2u);
  EXPECT_EQ(first.dimensions[0].axes[1].before, 2);
  EXPECT_EQ(first.dimensions[0].axes[1].size, 4);
  EXPECT_TRUE(first.dimensions[1].axes.empty() && first.dimensions[1].open);
  EXPECT_EQ(first.dimensions[2].axes.size(), 1u);
  EXPECT_EQ(first.dimensions[2].priority, 1);
  ASSERT_EQ(first.replicated.size(), 1u);
  EXPECT_EQ(first.replicated[0].name, "w");
  ASSERT_EQ(first.unreduced.size(), 1u);
  EXPECT_EQ(first.unreduced[0].name, "u");
  EXPECT_EQ((*shardings)[1].mesh.device_count(), 2);
}

TEST(Sharding, TextComesBackAsItWas) {
  for (const std::string text : {R"(<@mesh, [{"x", "y":(2)4}, {?}, {"z", ?}p1], replicated={"w"}, unreduced={"u"}>)",
                                 R"(<mesh<["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>, []>)", R"(<@"a mesh", [{}]>)"}) {
    const StatusOr<std::vector<Sharding>> shardings = parse_shardings("[" + text + "]");
    ASSERT_TRUE(shardings.ok()) << shardings.status().to_string();
    EXPECT_EQ(to_string((*shardings)[0]), text);
  }
}

TEST(Sharding, ADimensionIsSplitByItsAxesMajorFirst) {
  const Mesh mesh = mesh_of(R"(<["x"=2, "y"=2]>)");
  const StatusOr<DimensionSplit> one = split_dimension(mesh, {{"y"}});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->parts, 2);
  EXPECT_EQ(one->part_of_device, (Parts{0, 1, 0, 1}));
  EXPECT_EQ(one->groups, (Groups{{0, 1}, {2, 3}}));
  const StatusOr<DimensionSplit> both = split_dimension(mesh, {{"y"}, {"x"}});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->part_of_device, (Parts{0, 2, 1, 3}));
  EXPECT_EQ(both->groups, (Groups{{0, 2, 1, 3}}));
  const StatusOr<DimensionSplit> none = split_dimension(mesh, {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->groups, (Groups{{0}, {1}, {2}, {3}}));
}

TEST(Sharding, APartOfAnAxisSplitsByTheMiddleOfIt) {
  const StatusOr<DimensionSplit> split = split_dimension(mesh_of(R"(<["x"=8]>)"), {{"x", 2, 2}});
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->part_of_device, (Parts{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(split->groups, (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_FALSE(split_dimension(mesh_of(R"(<["x"=8]>)"), {{"x", 3, 2}}).ok());
}

TEST(Sharding, AxesThatTheMeshLacksAreRefused) {
  holds(split_dimension(mesh_of(R"(<["x"=2]>)"), {{"q"}}).status().to_string(), "the mesh has no axis 'q'");
  holds(split_dimension(mesh_of(R"(<["x"=2]>)"), {{"x"}, {"x"}}).status().to_string(), "names an axis twice");
}

TEST(Shardings, AreReadInTheFormOfAttributesToo) {
  for (const std::string_view text :
       {R"([<@m, [{"x"}]>])", R"(#sdy.sharding<@m, [{"x"}]>)", R"(<@m, [{"x"}]>)",
        R"(#sdy.sharding_per_value<[<@m, [{"x"}]>]>)", R"([#sdy.sharding<@m, [{"x"}]>])"}) {
    const StatusOr<std::vector<Sharding>> read = parse_shardings(text);
    ASSERT_TRUE(read.ok()) << text << read.status().to_string();
    ASSERT_EQ(read->size(), 1) << text;
    EXPECT_EQ(to_string((*read)[0]), R"(<@m, [{"x"}]>)");
  }
  EXPECT_TRUE(parse_mesh(R"(#sdy.mesh<["x"=2]>)").ok());
  EXPECT_TRUE(parse_mesh("<[], device_ids=[3]>").ok());
  EXPECT_TRUE(parse_axis_names(R"(#sdy<manual_axes{"x"}>)").ok());
}

TEST(Shardings, HavePartialSumsMaximaAndMinima) {
  for (const std::string_view text : {R"(<@m, [{}], unreduced={"x"}>)", R"(<@m, [{}], unreduced{"x"}>)",
                                      R"(<@m, [{}], replicated={"y"}, unreduced=sum{"x"}>)"}) {
    const StatusOr<std::vector<Sharding>> read = parse_shardings(text);
    ASSERT_TRUE(read.ok()) << text << read.status().to_string();
    EXPECT_EQ((*read)[0].unreduced.size(), 1) << text;
  }
  const std::pair<std::string, hlo::ReducerKind> others[] = {{"max", hlo::ReducerKind::kMaximum},
                                                             {"min", hlo::ReducerKind::kMinimum}};
  for (const auto& [word, kind] : others) {
    const std::string text = "<@m, [{}], unreduced=" + word + R"({"x"}>)";
    const StatusOr<std::vector<Sharding>> read = parse_shardings(text);
    ASSERT_TRUE(read.ok()) << read.status().to_string();
    EXPECT_EQ((*read)[0].reduction, kind);
    EXPECT_EQ(to_string((*read)[0]), text);
  }
  EXPECT_EQ(parse_shardings(R"(<@m, [{}], unreduced=product{"x"}>)").status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace hilo::stablehlo
