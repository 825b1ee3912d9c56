// SPDX-License-Identifier: Apache-2.0
// Alternative spellings of the same program, and round trips of built programs through text.
#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"

namespace hilo::hlo {
namespace {

Module parsed(const std::string& text) {
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *module : Module();
}

TEST(Forms, WithoutPercentHeadsAndShapesOfOperands) {
  const Module spare = parsed(
      "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n  s = add(x, y)\n  ROOT n = "
      "f32[2] negate(s)\n}\n");
  const Module full = parsed(
      "HloModule m\n\nENTRY %main (x: f32[2], y: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n  %y = f32[2]{0} "
      "parameter(1)\n"
      "  %s = f32[2]{0} add(f32[2]{0} %x, f32[2] %y)\n  ROOT %n = f32[2]{0} negate(f32[2]{0} %s)\n}\n");
  EXPECT_EQ(spare.entry->fingerprint(), full.entry->fingerprint());
  EXPECT_EQ(print_module(spare), print_module(full));
}

TEST(Forms, LastInstructionIsTheRootIfNoneIsMarked) {
  EXPECT_EQ(
      parsed("HloModule m\nENTRY main {\n  x = f32[] parameter(0)\n  y = f32[] negate(x)\n}\n").entry->root().name,
      "y");
}

TEST(Forms, ComputationsInAnyOrder) {
  const Module module = parsed(
      "HloModule m\nENTRY main {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=f\n}\n"
      "f {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=g\n}\n"
      "g {\n  ROOT x = f32[] parameter(0)\n}\n");
  EXPECT_EQ(computations_of(module).size(), 3u);
}

TEST(Forms, TopKThatSaysWhetherItIsStable) {
  const auto text = [](const std::string& stable) {
    return "HloModule m\nENTRY main {\n  x = s32[4] parameter(0)\n  ROOT t = (s32[2], s32[2]) topk(x), k=2, "
           "largest=true" +
           stable + "\n}\n";
  };
  const Module plain = parsed(text(""));
  for (const char* stable : {", is_stable=true", ", is_stable=false"})
    EXPECT_EQ(print_module(parsed(text(stable))), print_module(plain));
  EXPECT_EQ(parse_module(text(", is_stable=maybe")).status().code(), StatusCode::kInvalidArgument);
}

TEST(Forms, CommentsAndLineEndsAnywhere) {
  const Module module = parsed(
      "/* first */ HloModule m // name\nENTRY main { x = f32[] /* shape */ parameter(/* number */ 0)\n"
      "  ROOT y = f32[] reduce-precision(\n    x),\n    exponent_bits=5,\n    mantissa_bits=10 }\n");
  EXPECT_EQ(module.entry->size(), 2u);
}

TEST(Forms, InstructionsOfOneLineShareTheirAnnotations) {
  const Module module = parsed(
      "HloModule m\nENTRY main {\n  x = f32[] parameter(0)\n  y = f32[] negate(x), metadata={op_name=\"a\"}\n"
      "  z = f32[] negate(y), metadata={op_name=\"a\"}\n}\n");
  EXPECT_EQ(module.entry->instruction(1).annotations, module.entry->instruction(2).annotations);
  EXPECT_EQ(module.entry->instruction(1).annotations->op_name, "a");
}

TEST(Forms, OptionsOfThePrinter) {
  const Module module = parsed(
      "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  y = f32[2] negate(x), metadata={op_name=\"a\"}\n}\n");
  const Computation& c = *module.entry;
  EXPECT_EQ(print_instruction(c, c.root()), "%y = f32[2]{0} negate(%x), metadata={op_name=\"a\"}");
  EXPECT_EQ(print_instruction(c, c.root(), {.annotations = false, .layouts = false, .operand_shapes = true}),
            "%y = f32[2] negate(f32[2] %x)");
  EXPECT_EQ(print_instruction(c, c.root(), {.canonical = true}), "%v1 = f32[2]{0} negate(%v0)");
  EXPECT_EQ(print_computation(c, {.annotations = false}),
            "%main (x: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n  ROOT %y = f32[2]{0} negate(%x)\n}\n");
}

TEST(Forms, NamesThatTextCannotHaveAreReplacedAndStayApart) {
  Builder builder("f(x)");
  const InstructionId x = builder.parameter(Shape::scalar(ElementType::kF32), "a b");
  const InstructionId y = *builder.add(Opcode::kNegate, {x}, nullptr, std::nullopt, "a_b");
  const InstructionId z = *builder.add(Opcode::kAdd, {x, y}, nullptr, std::nullopt, "a:b");
  Module module;
  module.name = "x y";
  module.entry = *std::move(builder).build(z);
  const std::string text = print_module(module);
  EXPECT_EQ(parsed(text).entry->fingerprint(), module.entry->fingerprint()) << text;
  EXPECT_NE(text.find("%a_b.1 = f32[] parameter(0)"), std::string::npos) << text;
}

TEST(Forms, ComputationsOfOneNameStayApart) {
  Module module;
  Builder builder("main");
  InstructionId x = builder.parameter(Shape::scalar(ElementType::kF32), "x");
  for (const Opcode opcode : {Opcode::kNegate, Opcode::kExp}) {
    Builder body("f");
    const InstructionId p = body.parameter(Shape::scalar(ElementType::kF32));
    const InstructionId root = *body.add(opcode, {p});
    auto call = std::make_shared<CallAttributes>();
    call->to_apply = *std::move(body).build(root);
    x = *builder.add(Opcode::kCall, {x}, std::move(call));
  }
  module.entry = *std::move(builder).build(x);
  const std::string text = print_module(module);
  EXPECT_EQ(parsed(text).entry->fingerprint(), module.entry->fingerprint()) << text;
}

/// main(c0, x) = scan over x[5] with a sum as carry.
Module scan_module() {
  const Shape scalar = Shape::scalar(ElementType::kF32);
  Builder step("step");
  const InstructionId carry = step.parameter(scalar, "carry");
  const InstructionId x = step.parameter(scalar, "x");
  const InstructionId sum = *step.add(Opcode::kAdd, {carry, x});
  const InstructionId both = step.tuple({sum, sum});
  auto attributes = std::make_shared<ScanAttributes>();
  attributes->step = *std::move(step).build(both);
  attributes->length = 5;
  attributes->carry_count = 1;
  attributes->reverse = true;
  Builder builder("main");
  const InstructionId start = builder.parameter(scalar, "start");
  const InstructionId xs = builder.parameter(Shape::array(ElementType::kF32, {5}), "xs");
  Annotations annotations;
  annotations.frontend_attributes = "{k=\"v\"}";
  builder.set_annotations(std::make_shared<const Annotations>(annotations));
  const StatusOr<InstructionId> scan = builder.add(kExtScan, {start, xs}, std::move(attributes));
  EXPECT_TRUE(scan.ok()) << scan.status().to_string();
  Module module;
  module.name = "scanned";
  module.entry = *std::move(builder).build(*scan);
  return module;
}

TEST(Composites, ScanIsACompositeCallInTextAndScanAgainWhenRead) {
  const Module module = scan_module();
  const std::string text = print_module(module);
  EXPECT_NE(text.find("is_composite=true, frontend_attributes={composite.attributes={step = @step, length = 5 : i64, "
                      "constant_count = 0 : i64, carry_count = 1 : i64, reverse = true},composite.name=\"hilo.scan\","
                      "composite.version=\"0\",k=\"v\"}"),
            std::string::npos)
      << text;
  const Module again = parsed(text);
  EXPECT_EQ(again.entry->root().opcode, kExtScan);
  EXPECT_EQ(again.entry->fingerprint(), module.entry->fingerprint()) << text;
  EXPECT_EQ(again.entry->root().annotations->frontend_attributes, "{k=\"v\"}");
  EXPECT_EQ(print_module(again), text);
  EXPECT_TRUE(verify(again).ok());
}

TEST(Composites, ScanUnderItsOwnNameReadsBackToo) {
  const Module module = scan_module();
  const std::string text = print_module(module, {.decompose_extensions = false});
  EXPECT_NE(text.find("hilo.scan(%start, %xs), step=%step, length=5, constant_count=0, carry_count=1, reverse=true"),
            std::string::npos)
      << text;
  EXPECT_EQ(parsed(text).entry->fingerprint(), module.entry->fingerprint()) << text;
}

TEST(Composites, OthersStayCalls) {
  const std::string text =
      "HloModule m\n\n%f (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n\nENTRY %main (x: f32[]) -> f32[] "
      "{\n"
      "  %x = f32[] parameter(0)\n  ROOT %y = f32[] call(%x), to_apply=%f, is_composite=true, "
      "frontend_attributes={composite.attributes={n = 1 : "
      "i32},composite.name=\"foo.bar\",composite.version=\"1\"}\n}\n";
  const Module module = parsed(text);
  EXPECT_EQ(module.entry->root().opcode, Opcode::kCall);
  EXPECT_EQ(print_module(module), text);
}

TEST(Shapes, ReadAlone) {
  EXPECT_EQ(parse_shape("(f32[4,3]{0,1}, (), token[])")->to_string_with_layout(), "(f32[4,3]{0,1}, (), token[])");
  EXPECT_EQ(parse_shape("f32[4] x").status().to_string(),
            "INVALID_ARGUMENT: shape:1:8: expected the end of the text after a shape; got 'x'");
}

}  // namespace
}  // namespace hilo::hlo
