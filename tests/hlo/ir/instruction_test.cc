// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/instruction.h"

#include <gtest/gtest.h>

#include <typeinfo>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

Instruction instruction_of(Opcode opcode) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.name = "i";
  if (instruction.def().attributes.make != nullptr) instruction.attributes = instruction.def().attributes.make();
  return instruction;
}

TEST(Instruction, GivesItsAttributesAsTheirStructOrOneItDerivesFrom) {
  const Instruction slice = instruction_of(Opcode::kSlice);
  EXPECT_TRUE(attributes_of<SliceAttributes>(slice).ranges.empty());
  const Instruction all_reduce = instruction_of(Opcode::kAllReduce);
  EXPECT_EQ(&attributes_of<CollectiveAttributes>(all_reduce), &attributes_of<AllReduceAttributes>(all_reduce));
}

TEST(Instruction, KnowsTheStructOfEveryOpcodeWithAttributes) {
  for (size_t i = 0; i < kOpcodeCount; ++i) {
    const OpDef& def = op_def(static_cast<Opcode>(i));
    EXPECT_FALSE(def.attributes.make.has_type(typeid(int))) << def.name;
    EXPECT_EQ(def.attributes.make == nullptr, def.attributes.copy == nullptr) << def.name;
  }
  EXPECT_TRUE(op_def(Opcode::kSlice).attributes.make.has_type(typeid(SliceAttributes)));
  EXPECT_FALSE(op_def(Opcode::kSlice).attributes.make.has_type(typeid(PadAttributes)));
  EXPECT_FALSE(op_def(Opcode::kAdd).attributes.make.has_type(typeid(SliceAttributes)));
}

TEST(InstructionDeathTest, EndsTheProcessWhereAssertionsSeeAttributesOfAnotherType) {
#if HILO_ASSERTIONS
  const Instruction slice = instruction_of(Opcode::kSlice), add = instruction_of(Opcode::kAdd);
  EXPECT_DEATH(static_cast<void>(attributes_of<PadAttributes>(slice)),
               "attributes_of: slice 'i' has attributes of another type; wanted hilo::hlo::PadAttributes");
  EXPECT_DEATH(static_cast<void>(attributes_of<SliceAttributes>(add)), "attributes_of: add 'i' has no attributes");
#else
  EXPECT_DEATH(check_attributes_type(instruction_of(Opcode::kSlice), typeid(PadAttributes)),
               "attributes_of: slice 'i' has attributes of another type; wanted hilo::hlo::PadAttributes");
#endif
}

}  // namespace
}  // namespace hilo::hlo
