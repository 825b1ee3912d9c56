// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/mesh_atoms.h"

#include <gtest/gtest.h>

namespace hilo::hlo {
namespace {

Mesh mesh() {
  Mesh m;
  EXPECT_TRUE(m.add_axis("x", 4).ok());
  EXPECT_TRUE(m.add_axis("y", 3).ok());
  return m;
}

TEST(MeshAtoms, ArePrimesOfTheAxes) {
  const MeshAtoms atoms(mesh());
  EXPECT_EQ(atoms.count(), 3u);
  EXPECT_EQ(atoms.place_count(), 12);
  EXPECT_EQ(atoms.size(atoms.atoms_of({{"x"}}).value()), 4);
  EXPECT_EQ(atoms.size(Atoms()), 1);
}

TEST(MeshAtoms, PartsOfAxesGoBothWays) {
  const MeshAtoms atoms(mesh());
  const Atoms part = atoms.atoms_of({{"x", 2, 2}}).value();
  EXPECT_EQ(part.size(), 1u);
  EXPECT_EQ(atoms.to_string(part), "x:(2)2");
  EXPECT_EQ(atoms.to_string(atoms.atoms_of({{"y"}, {"x"}}).value()), "y,x");
  EXPECT_TRUE(atoms.whole_axes(part).empty());
  EXPECT_EQ(atoms.whole_axes(atoms.atoms_of({{"x"}}).value()), (std::vector<AxisReference>{{"x"}}));
}

TEST(MeshAtoms, DevicesHaveThePartOfTheirPlace) {
  const MeshAtoms atoms(mesh());
  const Atoms x = atoms.atoms_of({{"x"}}).value(), y = atoms.atoms_of({{"y"}}).value();
  for (int64_t place = 0; place < 12; ++place) {
    EXPECT_EQ(atoms.part_at(x, place), place / 3);
    EXPECT_EQ(atoms.part_at(y, place), place % 3);
    EXPECT_EQ(atoms.part_at({}, place), 0);
  }
}

TEST(MeshAtoms, OtherAxesAndPartsAreErrors) {
  const MeshAtoms atoms(mesh());
  EXPECT_EQ(atoms.atoms_of({{"z"}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(atoms.atoms_of({{"x", 1, 3}}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::hlo
