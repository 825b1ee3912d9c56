// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/known_fields.h"

#include <gtest/gtest.h>

#include "hilo/hlo/proto/places.h"

namespace hilo::hlo::proto {
namespace {

std::string error_of(const WireWriter& instruction, Opcode opcode) {
  const Status status = check_all_known(WireMessage::read(instruction.view(), "I").value(), opcode);
  return status.ok() ? "" : status.to_string();
}

TEST(KnownFields, AreThoseOfEveryOpAndThoseOfTheOp) {
  WireWriter out;
  out.text(kName, "x");
  out.text(kOpcode, "slice");
  out.integer(kId, 1);
  out.bytes(17, "\x08\x01");  // the ranges of a slice
  out.text(43, "config");
  EXPECT_EQ(error_of(out, Opcode::kSlice), "");
  EXPECT_EQ(error_of(out, Opcode::kNegate),
            "UNIMPLEMENTED: HloInstructionProto: field 17 of negate is not known to this version");
}

TEST(KnownFields, AFieldThatSaysNothingIsIgnored) {
  WireWriter out;
  out.item(125, 0);
  out.bytes(126, "");
  EXPECT_EQ(error_of(out, Opcode::kAdd), "");
  out.item(125, 1);
  EXPECT_EQ(error_of(out, Opcode::kAdd),
            "UNIMPLEMENTED: HloInstructionProto: field 125 of add is not known to this version");
}

TEST(KnownFields, NumbersBeyondTheTableAreUnknown) {
  WireWriter out;
  out.integer(5000, 1);
  EXPECT_EQ(error_of(out, Opcode::kCustomCall),
            "UNIMPLEMENTED: HloInstructionProto: field 5000 of custom-call is not known to this version");
}

TEST(KnownFields, SomeChangeNoValueAndAreReadOver) {
  WireWriter stable, order;
  stable.boolean(kIsStable, true);
  order.text(kComparisonOrder, "TOTAL");
  EXPECT_EQ(error_of(stable, Opcode::kTopK), "");
  EXPECT_NE(error_of(stable, Opcode::kAdd), "");
  EXPECT_EQ(error_of(order, Opcode::kCompare), "");
  EXPECT_NE(error_of(order, Opcode::kAdd), "");
}

}  // namespace
}  // namespace hilo::hlo::proto
