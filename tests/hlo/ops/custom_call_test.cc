// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/custom_call.h"

#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

/// Registers `handler` for `target` once per process.
void ensure(std::string_view target, CustomCallHandler handler) {
  if (find_custom_call(target).ok()) return;
  ASSERT_TRUE(register_custom_call(target, std::move(handler)).ok());
}

/// result[i] = operand[i] * factor in memory order. Then stores the number of elements in the first element.
Status scale(const CustomCallFrame& frame) {
  HILO_ASSIGN_OR_RETURN(const float factor, frame.attribute<float>("factor"));
  const auto* x = static_cast<const float*>(frame.operands[0].data);
  auto* y = static_cast<float*>(frame.results[0].data);
  for (int64_t i = 0; i < frame.results[0].element_count(); ++i) y[i] = x[i] * factor;
  return ok_status();
}

StatusOr<Module> parse_call(const std::string& shape, const std::string& attributes) {
  return parse_module(
      "HloModule m\n\nENTRY %main (x: f32[2,3]) -> f32[2,3] {\n  %x = f32[2,3]{1,0} parameter(0)\n"
      "  ROOT %c = " +
      shape + " custom-call(%x), custom_call_target=\"test.scale\", " + attributes + "\n}\n");
}

const Literal kX = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(CustomCall, HandlersGetTypedAttributes) {
  ensure("test.scale", scale);
  const StatusOr<Module> m =
      parse_call("f32[2,3]{1,0}", "api_version=API_VERSION_TYPED_FFI, backend_config={factor = 2.0 : f32}");
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  const StatusOr<Literal> y = evaluate(*m, {kX});
  ASSERT_TRUE(y.ok()) << y.status().to_string();
  EXPECT_TRUE(y->identical(Literal::array<float>({2, 3}, {2, 4, 6, 8, 10, 12})));
}

TEST(CustomCall, OperandsAndResultsComeInTheLayoutsThatTheProgramNames) {
  ensure("test.first_three", [](const CustomCallFrame& frame) {
    std::copy_n(static_cast<const float*>(frame.operands[0].data), 6, static_cast<float*>(frame.results[0].data));
    return ok_status();
  });
  const auto run = [](const std::string& operand, const std::string& result) {
    const StatusOr<Module> m = parse_module(
        "HloModule m\n\nENTRY %main (x: f32[2,3]) -> f32[2,3] {\n  %x = f32[2,3]{1,0} parameter(0)\n  ROOT %c = "
        "f32[2,3]" +
        result + " custom-call(%x), custom_call_target=\"test.first_three\", operand_layout_constraints={f32[2,3]" +
        operand + "}\n}\n");
    EXPECT_TRUE(m.ok()) << m.status().to_string();
    const StatusOr<Literal> y = evaluate(*m, {kX});
    EXPECT_TRUE(y.ok()) << y.status().to_string();
    return std::vector<float>(y->data<float>().begin(), y->data<float>().end());
  };
  EXPECT_EQ(run("{1,0}", "{1,0}"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run("{0,1}", "{0,1}"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  // The handler sees 1 4 2 5 3 6.
  EXPECT_EQ(run("{0,1}", "{1,0}"), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(CustomCall, AnAliasedResultHoldsTheOperand) {
  ensure("test.add_one_in_place", [](const CustomCallFrame& frame) {
    if (frame.operands[0].data != frame.results[0].data) return internal_error("not the same memory");
    for (int64_t i = 0; i < 6; ++i) static_cast<float*>(frame.results[0].data)[i] += 1;
    return ok_status();
  });
  const StatusOr<Module> m = parse_module(
      "HloModule m\n\nENTRY %main (x: f32[2,3]) -> (f32[2,3]) {\n  %x = f32[2,3]{1,0} parameter(0)\n  ROOT %c = "
      "(f32[2,3]{0,1}) custom-call(%x), custom_call_target=\"test.add_one_in_place\", "
      "operand_layout_constraints={f32[2,3]{0,1}}, output_to_operand_aliasing={{0}: (0, {})}\n}\n");
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  const StatusOr<Literal> y = evaluate(*m, {kX});
  ASSERT_TRUE(y.ok()) << y.status().to_string();
  EXPECT_TRUE(y->elements()[0].identical(Literal::array<float>({2, 3}, {2, 3, 4, 5, 6, 7})));
}

TEST(CustomCall, ConfigurationIsPartOfItsMeaningAndStaysInTextAndProto) {
  const std::string rest = "api_version=API_VERSION_TYPED_FFI";
  const StatusOr<Module> two = parse_call("f32[2,3]{1,0}", rest + ", backend_config={factor = 2.0 : f32}");
  const StatusOr<Module> three = parse_call("f32[2,3]{1,0}", rest + ", backend_config={factor = 3.0 : f32}");
  ASSERT_TRUE(two.ok() && three.ok());
  EXPECT_NE(two->entry->fingerprint(), three->entry->fingerprint());
  const std::string text = print_module(*two);
  EXPECT_NE(text.find("backend_config={factor = 2.0 : f32}"), std::string::npos) << text;
  const StatusOr<Module> again = parse_module(text);
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(again->entry->fingerprint(), two->entry->fingerprint());
  const StatusOr<std::string> bytes = to_proto(*two);
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  const StatusOr<Module> read = from_proto(*bytes);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(read->entry->fingerprint(), two->entry->fingerprint());
}

TEST(CustomCall, ResultLayoutsOfABuiltCallAreShownInItsShape) {
  CustomCallOptions options;
  options.target = "test.scale";
  options.operand_layouts = {{0, 1}};
  options.result_layouts = {{0, 1}};
  Builder b("main");
  const Shape shape = kX.shape();
  const InstructionId x = b.parameter(shape);
  const StatusOr<InstructionId> c =
      b.add(Opcode::kCustomCall, {x}, make_custom_call(options, std::span(&shape, 1), 1), shape);
  ASSERT_TRUE(c.ok()) << c.status().to_string();
  EXPECT_EQ(b.shape(*c), shape);
  EXPECT_EQ(shown_shape(b.instruction(*c)).to_string_with_layout(), "f32[2,3]{0,1}");
}

TEST(CustomCall, UnknownTargetsNameTheRegisteredOnes) {
  ensure("test.scale", scale);
  const StatusOr<Module> m = parse_module(
      "HloModule m\n\nENTRY %main (x: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n  ROOT %c = f32[2]{0} "
      "custom-call(%x), custom_call_target=\"test.scal\"\n}\n");
  ASSERT_TRUE(m.ok());
  const Status status = evaluate(*m, {Literal::array<float>({2}, {1, 2})}).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  const std::string message(status.message());
  EXPECT_NE(message.find("no handler for custom call 'test.scal'"), std::string::npos) << message;
  EXPECT_NE(message.find("registered: lapack_*_ffi, "), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'test.scale'?"), std::string::npos) << message;
}

TEST(CustomCall, ErrorsAndExceptionsOfHandlersAreErrorsOfTheProgram) {
  ensure("test.throws", [](const CustomCallFrame&) -> Status { throw std::runtime_error("no luck"); });
  const StatusOr<Module> m = parse_module(
      "HloModule m\n\nENTRY %main () -> f32[] {\n  ROOT %c = f32[] custom-call(), "
      "custom_call_target=\"test.throws\"\n}\n");
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(error_of(evaluate(*m, {})),
            "INTERNAL: custom-call 'c': custom call 'test.throws': the handler threw: no luck");
  ensure("test.scale", scale);
  const StatusOr<Module> missing = parse_call("f32[2,3]{1,0}", "api_version=API_VERSION_TYPED_FFI");
  ASSERT_TRUE(missing.ok());
  EXPECT_EQ(error_of(evaluate(*missing, {kX})),
            "INVALID_ARGUMENT: custom-call 'c': 'test.scale': attribute 'factor' is missing");
}

TEST(CustomCall, TargetsAreTakenOnce) {
  ensure("test.scale", scale);
  EXPECT_EQ(register_custom_call("test.scale", scale).to_string(),
            "ALREADY_EXISTS: custom call 'test.scale': the target is registered already");
  EXPECT_EQ(register_custom_call("", scale).to_string(),
            "INVALID_ARGUMENT: custom call '': wanted a name and a handler");
}

TEST(CustomCallAttributes, HaveTypesArraysStringsAndDictionaries) {
  const auto read = parse_custom_call_attributes(
      "{uplo = 76 : ui8, name = \"a\\22b\\n\", sizes = array<i64: 1, -2>, on = true, inner = {x = 1.5}, empty = "
      "array<f32>}");
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  ASSERT_EQ(read->size(), 6u);
  const auto& a = *read;
  EXPECT_EQ(a[0].name, "empty");
  EXPECT_EQ(a[0].count, 0);
  EXPECT_EQ(a[1].entries[0].scalar<double>(), 1.5);
  EXPECT_EQ(a[2].text, "a\"b\n");
  EXPECT_EQ(a[3].type, ElementType::kPred);
  EXPECT_TRUE(a[3].scalar<bool>());
  ASSERT_EQ(a[4].count, 2);
  EXPECT_EQ(reinterpret_cast<const int64_t*>(a[4].bytes.data())[1], -2);
  EXPECT_EQ(a[5].scalar<uint8_t>(), 76);
}

TEST(CustomCallAttributes, RefuseWhatIsNoDictionary) {
  for (const char* text : {"", "{", "{a}", "{a = }", "{a = 300 : ui8}", "{a = 1, a = 2}", "{a = 1} b", "{a = [1, 2.0]}",
                           "{a = \"x}", "{a = 1 : i3}", "{a = array<i64: 1,>}"}) {
    EXPECT_EQ(parse_custom_call_attributes(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace hilo::hlo
