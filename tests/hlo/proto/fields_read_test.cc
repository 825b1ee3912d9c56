// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/proto/fields.h"

namespace hilo::hlo::proto {
namespace {

/// Reads the op's fields of a message. Returns the first error, or "".
template <typename A>
std::string read_into(A& attributes, Opcode opcode, const WireWriter& instruction) {
  const WireMessage message = WireMessage::read(instruction.view(), "I").value();
  WireMessage nested("nested");
  const std::vector<ComputationPtr> called;
  InstructionMessage in{message, called, nested};
  for (const PlacedField& placed : placed_fields(opcode)) {
    if (placed.place->form == Form::kCalled) continue;
    if (const Status status = read_field(*placed.place, *placed.field, in, attributes); !status.ok())
      return std::string(status.message());
  }
  return "";
}

TEST(ReadField, ASlicesRangesHaveDefaults) {
  WireWriter out;
  out.bytes(17, "\x10\x03\x18\x01");
  out.bytes(17, "");
  SliceAttributes attributes;
  ASSERT_EQ(read_into(attributes, Opcode::kSlice, out), "");
  ASSERT_EQ(attributes.ranges.size(), 2u);
  EXPECT_EQ(attributes.ranges[0].start, 0);
  EXPECT_EQ(attributes.ranges[0].limit, 3);
  EXPECT_EQ(attributes.ranges[0].stride, 1);
  EXPECT_EQ(attributes.ranges[1].stride, 0);
}

TEST(ReadField, OneDimensionIsAListOfOne) {
  IotaAttributes attributes;
  WireWriter out;
  out.integers(14, std::vector<int64_t>{3});
  ASSERT_EQ(read_into(attributes, Opcode::kIota, out), "");
  EXPECT_EQ(attributes.dimension, 3);
  out.integers(14, std::vector<int64_t>{4});
  EXPECT_NE(read_into(attributes, Opcode::kIota, out).find("got 2 numbers, wanted 1"), std::string::npos);
}

Int64Lists groups_of(const WireWriter& instruction) {
  AllReduceAttributes attributes;
  EXPECT_EQ(read_into(attributes, Opcode::kAllReduce, instruction), "");
  return attributes.replica_groups;
}

TEST(ReadField, ReplicaGroupsAreReadInEachOfTheirForms) {
  WireWriter first, second, list, newer, older, iota, sizes;
  first.integers(1, std::vector<int64_t>{0, 1});
  second.integers(1, std::vector<int64_t>{2, 3});
  list.message(1, first);
  list.message(1, second);
  newer.message(87, list);
  older.message(49, first);
  older.message(49, second);
  sizes.integer(1, 2);
  sizes.integer(2, 2);
  sizes.integers(3, std::vector<int64_t>{2, 2});
  sizes.integers(4, std::vector<int64_t>{1, 0});
  iota.message(92, sizes);
  EXPECT_EQ(groups_of(newer), (Int64Lists{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups_of(older), (Int64Lists{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups_of(iota), (Int64Lists{{0, 2}, {1, 3}}));
}

TEST(ReadField, GroupsByTheAxesOfAMesh) {
  WireWriter x, y, mesh, axis, groups, out;
  x.integer(2, 2);
  y.integer(2, 3);
  mesh.message(1, x);
  mesh.message(1, y);
  axis.integer(1, 0);
  groups.message(1, mesh);
  groups.message(2, axis);
  out.message(93, groups);
  EXPECT_EQ(groups_of(out), (Int64Lists{{0, 3}, {1, 4}, {2, 5}}));
}

TEST(ReadField, AnUnknownWordIsAnError) {
  CompareAttributes attributes;
  WireWriter out;
  out.text(63, "ALMOST");
  EXPECT_EQ(read_into(attributes, Opcode::kCompare, out), "direction: 'ALMOST' is not one of its values");
}

}  // namespace
}  // namespace hilo::hlo::proto
