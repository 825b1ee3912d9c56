// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/not_yet.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

std::vector<Opcode> all_opcodes() {
  std::vector<Opcode> all;
  for (int i = 0; i < kOpcodeCount; ++i) all.push_back(static_cast<Opcode>(i));
  return all;
}

TEST(OpTable, EveryOpcodeHasItsOwnRow) {
  std::set<std::string_view> names;
  for (Opcode opcode : all_opcodes()) {
    const OpDef& def = op_def(opcode);
    EXPECT_EQ(def.opcode, opcode) << def.name;
    EXPECT_EQ(def.name, opcode_name(opcode));
    EXPECT_TRUE(names.insert(def.name).second) << def.name;
    EXPECT_NE(def.infer_shape, nullptr) << def.name;
    EXPECT_TRUE(def.evaluate != nullptr || def.decompose != nullptr) << def.name;
    EXPECT_EQ(opcode_from_name(def.name), opcode);
  }
}

TEST(OpTable, AttributesCanBeMadeCopiedAndCompared) {
  for (Opcode opcode : all_opcodes()) {
    const OpDef& def = op_def(opcode);
    EXPECT_EQ(def.attributes.make == nullptr, def.attributes.fields.empty()) << def.name;
    EXPECT_EQ(def.attributes.copy == nullptr, def.attributes.fields.empty()) << def.name;
    if (def.attributes.make == nullptr) continue;
    const auto made = def.attributes.make();
    const auto copy = def.attributes.copy(*made);
    EXPECT_TRUE(fields_equal(def.attributes.fields, *made, *copy)) << def.name;
    EXPECT_EQ(fields_hash(def.attributes.fields, *made), fields_hash(def.attributes.fields, *copy)) << def.name;
  }
}

TEST(OpTable, CommutativeOpsHaveTwoOperands) {
  for (Opcode opcode : all_opcodes()) {
    EXPECT_TRUE(!has_trait(opcode, kCommutative) || op_def(opcode).arity == 2) << opcode_name(opcode);
  }
}

TEST(NotYet, TakesTheStatedShape) {
  const Shape a = Shape::array(ElementType::kF32, {2});
  const AttributesPtr attributes = std::make_shared<RawAttributes>();
  EXPECT_TRUE(has_raw_attributes(Opcode::kShuffle));
  EXPECT_FALSE(has_raw_attributes(Opcode::kAdd));
  EXPECT_EQ(shape_of(Opcode::kShuffle, {a}, attributes, a).value(), a);
  EXPECT_EQ(error_of(shape_of(Opcode::kShuffle, {a}, attributes)),
            "INVALID_ARGUMENT: the result's shape must be stated; this version can't infer it");
}

TEST(NotYet, RefusesToRun) {
  const Shape a = Shape::array(ElementType::kF32, {2});
  EXPECT_EQ(error_of(run_op(Opcode::kShuffle, {Literal(a)}, std::make_shared<RawAttributes>(), a)),
            "UNIMPLEMENTED: shuffle 'op': shuffle is not implemented in this version");
}

TEST(NotYet, KeepsOpsThatTalkToTheWorld) {
  EXPECT_TRUE(has_trait(Opcode::kOutfeed, kEffect));
  EXPECT_TRUE(has_trait(Opcode::kCustomCall, kEffect));
}

}  // namespace
}  // namespace hilo::hlo
