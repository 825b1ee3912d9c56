// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/places.h"

#include <gtest/gtest.h>

#include <set>

namespace hilo::hlo::proto {
namespace {

TEST(Places, AnOpsOwnPlaceComesBeforeOnesOfAllOps) {
  EXPECT_EQ(find_place(Opcode::kDot, "lhs_contracting_dims")->outer, 30u);
  EXPECT_EQ(outermost_of(find_place(Opcode::kRaggedDot, "lhs_contracting_dims")->outer), 90u);
  EXPECT_EQ(inner_of(find_place(Opcode::kRaggedDot, "lhs_contracting_dims")->outer), 1u);
  EXPECT_EQ(find_place(Opcode::kCholesky, "lower")->outer, 62u);
  EXPECT_EQ(find_place(Opcode::kTriangularSolve, "lower")->outer, 59u);
  EXPECT_EQ(find_place(Opcode::kGather, "index_vector_dim")->number,
            find_place(Opcode::kScatter, "index_vector_dim")->number);
  EXPECT_NE(find_place(Opcode::kGather, "index_vector_dim")->outer,
            find_place(Opcode::kScatter, "index_vector_dim")->outer);
}

TEST(Places, UnknownKeysHaveNone) {
  EXPECT_EQ(find_place(Opcode::kAdd, "nothing"), nullptr);
  EXPECT_EQ(find_place(Opcode::kAdd, ""), nullptr);
  EXPECT_EQ(no_form(*find_place(Opcode::kSlice, "slice")).message(),
            "attribute 'slice' can't be represented in HloModuleProto");
}

TEST(Places, FieldsOfAnOpComeInItsOrder) {
  std::vector<std::string_view> names;
  for (const PlacedField& placed : placed_fields(Opcode::kReducePrecision)) names.push_back(placed.field->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"exponent_bits", "mantissa_bits"}));
  EXPECT_TRUE(placed_fields(Opcode::kAdd).empty());
}

TEST(Places, NoTwoOfOneOpShareANumber) {
  for (size_t i = 0; i < kHloOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    std::set<std::pair<uint32_t, uint32_t>> taken;
    for (const PlacedField& placed : placed_fields(opcode)) {
      const Place* const place = placed.place;
      if (place == nullptr || place->form == Form::kFollows || place->form == Form::kCalled) continue;
      EXPECT_TRUE(taken.emplace(place->outer, place->number).second) << opcode_name(opcode) << " " << place->key;
    }
  }
}

TEST(Places, OpsWhoseAttributesAreTextHaveTheTableWithoutWhatTheyCall) {
  EXPECT_TRUE(raw_places(Opcode::kAdd).empty());
  bool has_target = false;
  for (const Place* const place : raw_places(Opcode::kCustomCall)) {
    EXPECT_NE(place->form, Form::kCalled) << place->key;
    has_target |= place->key == "custom_call_target";
  }
  EXPECT_TRUE(has_target);
}

}  // namespace
}  // namespace hilo::hlo::proto
