// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/elementwise.h"

#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<Opcode> elementwise_extensions() {
  return {
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, ...) kExt##enumerator,
#include "hilo/hlo/ir/extensions.inc"
  };
}

TEST(ElementwiseExtensions, EveryOneIsACompositeInTextAndItselfAgainWhenRead) {
  for (const Opcode opcode : elementwise_extensions()) {
    const std::vector<Shape> operands(static_cast<size_t>(op_def(opcode).arity),
                                      Shape::array(ElementType::kF32, {2, 3}));
    Module module;
    module.name = "m";
    module.entry = *computation_of(opcode, operands, nullptr);
    const std::string text = print_module(module);
    EXPECT_NE(text.find("composite.name=\"" + std::string(opcode_name(opcode)) + "\""), std::string::npos) << text;
    EXPECT_EQ(text.find(" hilo."), std::string::npos) << "an op that XLA lacks, in a decomposition:\n" << text;
    EXPECT_TRUE(to_proto(module).ok()) << to_proto(module).status().to_string();
    const StatusOr<Module> again = parse_module(text);
    ASSERT_TRUE(again.ok()) << again.status().to_string();
    EXPECT_EQ(again->entry->root().opcode, opcode);
    EXPECT_EQ(again->entry->fingerprint(), module.entry->fingerprint()) << text;
  }
}

TEST(ElementwiseExtensions, EveryOneTakesScalarsMatricesAndNoElements) {
  for (const Opcode opcode : elementwise_extensions()) {
    for (const std::vector<int64_t>& dimensions : {std::vector<int64_t>{}, {2, 3}, {0, 3}}) {
      const Literal half = filled(Shape::array(ElementType::kF32, dimensions), 0.5);
      const StatusOr<Literal> result =
          run_op(opcode, std::vector<Literal>(static_cast<size_t>(op_def(opcode).arity), half), nullptr);
      ASSERT_TRUE(result.ok()) << opcode_name(opcode) << ": " << result.status().to_string();
      EXPECT_EQ(result->shape(), half.shape()) << opcode_name(opcode);
    }
  }
}

TEST(ElementwiseExtensions, ErfInvUndoesErf) {
  for (const float x : {-2.5f, -1.0f, -1e-3f, 0.0f, 0.25f, 1.5f, 3.0f}) {
    const StatusOr<Literal> y = run_op(kExtErfInv, {Literal::scalar(std::erf(x))}, nullptr);
    ASSERT_TRUE(y.ok()) << y.status().to_string();
    EXPECT_NEAR(y->data<float>()[0], x, 2e-3f * std::abs(x)) << x;  // where erf is near 1, x loses most digits
  }
  EXPECT_EQ(text_of(run_op(kExtErfInv, {Literal::array<float>({3}, {-1, 1, 0})}, nullptr)), "f32[3] {-inf, inf, 0}");
  EXPECT_TRUE(std::isnan(run_op(kExtErfInv, {Literal::scalar(2.0f)}, nullptr)->data<float>()[0]));
  EXPECT_EQ(run_op(kExtErfInv, {Literal::scalar(-1.0f)}, nullptr)->data<float>()[0], -kInfinity);
}

TEST(ElementwiseExtensions, RefuseOtherTypes) {
  EXPECT_EQ(error_of(shape_of(kExtErfInv, {Shape::array(ElementType::kS32, {3})}, nullptr)),
            "INVALID_ARGUMENT: operand 0 is s32[3]; this op doesn't take element type s32");
  const Shape narrow = Shape::array(ElementType::kF8E5M2, {3});
  EXPECT_EQ(error_of(shape_of(kExtNextafter, {narrow, narrow}, nullptr)),
            "INVALID_ARGUMENT: wrong element type; got f8e5m2[3]; wanted bf16, f16, f32 or f64. Hint: convert");
}

TEST(ElementwiseExtensions, AreNoRowsOfXlasOps) {
  for (const Opcode opcode : elementwise_extensions()) {
    EXPECT_TRUE(is_extension(opcode));
    EXPECT_FALSE(is_elementwise(opcode));
    EXPECT_TRUE(has_trait(opcode, kExtension));
  }
  EXPECT_FALSE(is_extension(Opcode::kWhile));
}

}  // namespace
}  // namespace hilo::hlo
