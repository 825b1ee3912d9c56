// SPDX-License-Identifier: Apache-2.0
// Broken, nested and very large messages: always a result or an error, without deep recursion.
#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"
#include "tests/hlo/proto/sample.h"

namespace hilo::hlo {
namespace {

using proto::WireWriter;

std::string sample_bytes() { return *to_proto(*parse_module(kSample)); }

/// Reads `bytes`. If it succeeds, the module must verify and survive a round trip.
void expect_an_answer(const std::string& bytes) {
  const StatusOr<Module> module = from_proto(bytes);
  if (!module.ok()) {
    EXPECT_NE(module.status().code(), StatusCode::kInternal) << module.status().to_string();
    return;
  }
  EXPECT_TRUE(verify(*module).ok());
  const StatusOr<std::string> written = to_proto(*module);
  if (!written.ok()) return;  // only text has this form
  const StatusOr<Module> again = from_proto(*written);
  ASSERT_TRUE(again.ok()) << again.status().to_string() << "\n" << print_module(*module);
  EXPECT_EQ(again->entry->fingerprint(), module->entry->fingerprint()) << print_module(*module);
}

std::string error_of(std::string_view bytes) {
  const StatusOr<Module> module = from_proto(bytes);
  EXPECT_FALSE(module.ok());
  return module.status().to_string();
}

TEST(HostileProto, TruncationAtEveryThirdByte) {
  const std::string bytes = sample_bytes();
  for (size_t size = 0; size < bytes.size(); size += 3) expect_an_answer(bytes.substr(0, size));
}

TEST(HostileProto, EveryThirdByteReplaced) {
  std::string bytes = sample_bytes();
  for (size_t i = 0; i < bytes.size(); i += 3) {
    constexpr char kOthers[] = {'\0', '\x01', '\x0a', '\x7f', '\xff'};  // used in turn
    const char original = bytes[i];
    bytes[i] = kOthers[i % sizeof kOthers];
    expect_an_answer(bytes);
    bytes[i] = original;
  }
}

TEST(HostileProto, SaysFieldAndByteOfWhatIsCutOff) {
  EXPECT_EQ(error_of(std::string("\x1a\xff\xff\xff\xff\x0f", 6)),
            "INVALID_ARGUMENT: HloModuleProto: field 3 at byte 0: length 4294967295 exceeds the 0 bytes present");
  EXPECT_EQ(error_of("\x0a\x01m\x30"), "INVALID_ARGUMENT: HloModuleProto: field 6 at byte 3: the varint is truncated");
  EXPECT_EQ(error_of("\x0b"), "INVALID_ARGUMENT: HloModuleProto: field 1 at byte 0: wire type 3 is unknown");
  EXPECT_EQ(error_of(""), "INVALID_ARGUMENT: HloModuleProto: no bytes");
  EXPECT_EQ(error_of("\x0a\x01m\x30\x07"), "NOT_FOUND: HloModuleProto: entry 7 is not defined");
}

TEST(HostileProto, RefusesTuplesNestedTooDeep) {
  WireWriter shape = proto::write_shape(Shape::scalar(ElementType::kF32));
  for (int depth = 0; depth < 100'000 && shape.view().size() < 20'000; ++depth) {
    WireWriter tuple;
    tuple.integer(2, element_type_info(ElementType::kTuple).proto_value);
    tuple.message(4, shape);
    shape = std::move(tuple);
  }
  EXPECT_EQ(proto::read_shape(shape.view()).status().to_string(),
            "RESOURCE_EXHAUSTED: ShapeProto: tuples nested deeper than 256");
}

TEST(HostileProto, AllocatesNothingForALiteralThatIsNotThere) {
  WireWriter shape, literal, instruction, computation, module;
  shape.integer(2, element_type_info(ElementType::kF32).proto_value);
  shape.integers(3, std::vector<int64_t>{int64_t{1} << 40});
  literal.message(1, shape);
  instruction.text(1, "c");
  instruction.text(2, "constant");
  instruction.message(3, shape);
  instruction.message(8, literal);
  computation.text(1, "main");
  computation.message(2, instruction);
  module.text(1, "m");
  module.message(3, computation);
  EXPECT_EQ(error_of(module.view()),
            "INVALID_ARGUMENT: computation 'main': instruction 'c': LiteralProto: got 0 bytes; wanted those of "
            "f32[1099511627776]{0}");
}

TEST(HostileProto, RefusesIdsThatAreTakenOrNotDefined) {
  const auto module_of = [](int64_t second_id, int64_t operand) {
    WireWriter first, second, computation, module;
    first.text(1, "a");
    first.text(2, "parameter");
    first.message(3, proto::write_shape(Shape::scalar(ElementType::kF32)));
    first.integer(35, 1);
    second.text(1, "b");
    second.text(2, "negate");
    second.message(3, proto::write_shape(Shape::scalar(ElementType::kF32)));
    second.integer(35, second_id);
    second.integers(36, std::vector<int64_t>{operand});
    computation.text(1, "main");
    computation.message(2, first);
    computation.message(2, second);
    computation.integer(6, second_id);
    module.text(1, "m");
    module.message(3, computation);
    return std::string(module.view());
  };
  EXPECT_TRUE(from_proto(module_of(2, 1)).ok()) << from_proto(module_of(2, 1)).status().to_string();
  EXPECT_EQ(error_of(module_of(1, 1)), "INVALID_ARGUMENT: computation 'main': instruction 'b': id 1 appears twice");
  EXPECT_EQ(error_of(module_of(2, 2)),
            "NOT_FOUND: computation 'main': instruction 'b': operand 2 is not defined before its use");
}

TEST(HostileProto, RefusesAFieldItDoesNotKnow) {
  WireWriter parameter, computation, module;
  parameter.text(1, "a");
  parameter.text(2, "parameter");
  parameter.message(3, proto::write_shape(Shape::scalar(ElementType::kF32)));
  parameter.integer(1234, 1);
  computation.text(1, "main");
  computation.message(2, parameter);
  module.text(1, "m");
  module.message(3, computation);
  EXPECT_EQ(error_of(module.view()),
            "UNIMPLEMENTED: computation 'main': instruction 'a': HloInstructionProto: field 1234 of parameter is not "
            "known to this version");
}

TEST(HostileProto, AChainOfManyInstructionsGoesBothWays) {
  constexpr int kLength = 100'000;
  ComputationDraft draft("main");
  InstructionId last =
      draft.append(Opcode::kIota, Shape::array(ElementType::kF32, {2}), {}, op_def(Opcode::kIota).attributes.make());
  for (int i = 0; i < kLength; ++i)
    last = draft.append(Opcode::kNegate, Shape::array(ElementType::kF32, {2}), {&last, 1});
  Module module;
  module.name = "chain";
  module.entry = *std::move(draft).finish(last);
  const StatusOr<Module> again = from_proto(*to_proto(module));
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(again->entry->fingerprint(), module.entry->fingerprint());
}

}  // namespace
}  // namespace hilo::hlo
