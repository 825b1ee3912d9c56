// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/proto/fields.h"

namespace hilo::hlo::proto {
namespace {

/// Writes the fields of an op's attributes as a message.
template <typename A>
WireWriter written(Opcode opcode, const A& attributes) {
  InstructionFields out;
  for (const PlacedField& placed : placed_fields(opcode)) {
    const Status status = write_field(*placed.place, *placed.field, attributes, out);
    EXPECT_TRUE(status.ok()) << status.to_string();
  }
  return std::move(out.own);
}

TEST(WriteField, ASlicesRangesAreMessages) {
  SliceAttributes attributes;
  attributes.ranges = {{1, 5, 2}, {0, 3, 1}};
  const WireWriter out = written(Opcode::kSlice, attributes);
  const WireMessage message = WireMessage::read(out.view(), "I").value();
  const std::vector<std::string_view> items = message.items(17).value();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0], "\x08\x01\x10\x05\x18\x02");
  EXPECT_EQ(items[1], "\x10\x03\x18\x01");  // 0 is the default start, so it is not written
}

TEST(WriteField, OneDimensionIsAListOfOneThoughItIsZero) {
  IotaAttributes attributes;
  attributes.dimension = 0;
  const WireWriter out = written(Opcode::kIota, attributes);
  EXPECT_EQ(WireMessage::read(out.view(), "I").value().integers(14).value(), (std::vector<int64_t>{0}));
}

TEST(WriteField, AListWithoutElementsIsLeftOut) {
  EXPECT_TRUE(written(Opcode::kBroadcast, BroadcastAttributes()).empty());
}

TEST(WriteField, AFieldOfAKindWithoutAFormIsAnError) {
  Place place = *find_place(Opcode::kSlice, "slice");
  place.form = Form::kLayouts;
  InstructionFields out;
  EXPECT_EQ(write_field(place, *placed_fields(Opcode::kSlice)[0].field, SliceAttributes(), out).message(),
            "attribute 'slice' can't be represented in HloModuleProto");
}

}  // namespace
}  // namespace hilo::hlo::proto
