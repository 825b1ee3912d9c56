// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "hilo/base/flags.h"
#include "hilo/client/hlo_text.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/numpy/numpy.h"
#include "tests/support/clients.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

const Shape kVector = Shape::array(ElementType::kF32, {3});

class Dispatch : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }
  static void forget() {
    reset_flags();
    clear_backends();
  }
};

/// A primitive whose translation appends an add. The add fails if its operands don't match; `eval` is its
/// abstract_eval. Primitives live as long as the process.
const Primitive& failing_primitive(std::string name, AbstractEval eval) {
  const TranslationRule add = [](ComputationBuilder& builder, std::span<const InstructionId> operands,
                                 const PrimitiveParams&) { return builder.add(Opcode::kAdd, operands); };
  static std::deque<Primitive> kept;
  return kept.emplace_back(Primitive{std::move(name), Opcode::kAdd, add, std::move(eval)});
}

TEST_F(Dispatch, PrimitiveComputationHasOneParameterAShape) {
  const LocalComputation built = primitive_computation(primitive_of(Opcode::kAdd), std::vector{kVector, kVector});
  EXPECT_FALSE(built.is_compiled());
  EXPECT_EQ(built.module().name, "primitive_computation");
  EXPECT_EQ(built.parameter_shapes(), (std::vector{kVector, kVector}));
  EXPECT_EQ(built.module().entry->root().opcode, Opcode::kAdd);
  EXPECT_EQ(built.return_value_shape(), kVector);
}

TEST_F(Dispatch, PrimitiveComputationIsMemoised) {
  const auto hits = [] { return primitive_computation_cache_info().hits; };
  EXPECT_EQ(hits(), 0);
  const Primitive& negate = primitive_of(Opcode::kNegate);
  const auto first = primitive_computation(negate, std::vector{kVector}).module().entry;
  EXPECT_EQ(hits(), 0);
  EXPECT_EQ(primitive_computation(negate, std::vector{kVector}).module().entry, first);
  EXPECT_EQ(hits(), 1);
  primitive_computation(negate, std::vector{Shape::scalar(ElementType::kF32)});
  primitive_computation(primitive_of(Opcode::kAbs), std::vector{kVector});
  EXPECT_EQ(hits(), 1);
  ASSERT_TRUE(config().update("jax_enable_x64", true).ok());  // the flag is part of the key
  primitive_computation(negate, std::vector{kVector});
  EXPECT_EQ(hits(), 1);
}

TEST_F(Dispatch, ParamsArePartOfTheKeyByValue) {
  const auto permutation = [](std::initializer_list<int64_t> order) {
    auto attributes = std::make_shared<hlo::TransposeAttributes>();
    attributes->permutation = order;
    return PrimitiveParams{attributes, std::nullopt};
  };
  const std::vector<Shape> cube = {Shape::array(ElementType::kF32, {2, 3, 4})};
  const Primitive& transpose = primitive_of(Opcode::kTranspose);
  primitive_computation(transpose, cube, permutation({2, 1, 0}));
  primitive_computation(transpose, cube, permutation({2, 1, 0}));  // another object with an equal value
  EXPECT_EQ(primitive_computation_cache_info().hits, 1);
  EXPECT_EQ(primitive_computation(transpose, cube, permutation({0, 2, 1})).return_value_shape().to_string(),
            "f32[2,4,3]");
  EXPECT_EQ(primitive_computation_cache_info().hits, 1);
}

TEST_F(Dispatch, APrimitiveWithoutATranslationRuleNamesItAndThePlatform) {
  EXPECT_EQ(error_of([] { translation_rule(primitive_of(Opcode::kGetTupleElement)); }, StatusCode::kUnimplemented),
            "UNIMPLEMENTED: primitive 'get-tuple-element' has no translation rule for platform Host");
  static const Primitive mystery{"mystery", Opcode::kAdd, {}, {}};
  EXPECT_EQ(error_of([] { primitive_computation(mystery, std::vector{kVector}); }, StatusCode::kUnimplemented),
            "UNIMPLEMENTED: primitive 'mystery' has no translation rule for platform Host");
}

TEST_F(Dispatch, IfBuildingFailsTheErrorOfAbstractEvalIsWhatTheUserSees) {
  const Primitive& picky = failing_primitive("picky", [](std::span<const Shape> operands, const PrimitiveParams&) {
    or_throw(invalid_argument("picky wants two vectors; got " + operands[1].to_string()));
    return std::vector<Shape>();
  });
  const std::vector<Shape> shapes = {kVector, Shape::scalar(ElementType::kF32)};
  EXPECT_EQ(error_of([&] { primitive_computation(picky, shapes); }, StatusCode::kInvalidArgument),
            "INVALID_ARGUMENT: picky wants two vectors; got f32[]");
}

TEST_F(Dispatch, IfAbstractEvalIsContentTheErrorOfBuildingIsWhatTheUserSees) {
  const Primitive& lax = failing_primitive(
      "lax", [](std::span<const Shape> operands, const PrimitiveParams&) { return std::vector<Shape>{operands[0]}; });
  const std::vector<Shape> shapes = {kVector, Shape::scalar(ElementType::kF32)};
  const std::string text = error_of([&] { primitive_computation(lax, shapes); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("add '"), std::string::npos) << text;
  EXPECT_NE(text.find("differ"), std::string::npos) << text;
}

TEST_F(Dispatch, AFailedPrimitiveIsNotKept) {
  static bool may = false;
  static const Primitive moody{"moody", Opcode::kNegate,
                               [](ComputationBuilder& builder, std::span<const InstructionId> operands,
                                  const PrimitiveParams&) -> StatusOr<InstructionId> {
                                 if (!may) return unavailable("not yet");
                                 return builder.add(Opcode::kNegate, operands);
                               },
                               [](std::span<const Shape> operands, const PrimitiveParams&) {
                                 return std::vector<Shape>(operands.begin(), operands.end());
                               }};
  error_of([] { primitive_computation(moody, std::vector{kVector}); }, StatusCode::kUnavailable);
  may = true;
  EXPECT_EQ(primitive_computation(moody, std::vector{kVector}).return_value_shape(), kVector);
}

TEST_F(Dispatch, XlaPrimitiveCallableIsMemoisedAndRuns) {
  const std::vector<Array> operands = {Array::from_vector<float>({1, 2, 3}, {3})};
  const PrimitiveCallable callable = xla_primitive_callable(primitive_of(Opcode::kNegate), operands);
  EXPECT_TRUE(callable->computation.is_compiled());
  EXPECT_EQ(execute_compiled_primitive(*callable, operands)[0].to_vector<float>(), (std::vector<float>{-1, -2, -3}));
  EXPECT_EQ(xla_primitive_callable(primitive_of(Opcode::kNegate), operands), callable);
  EXPECT_EQ(xla_primitive_callable_cache_info().hits, 1);
}

TEST_F(Dispatch, XlaPrimitiveCallableCompilesAsTheFlagsAsk) {
  const std::string folder = testing::TempDir() + "hilo_dispatch_dump";
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(config().update("jax_dump_hlo_unoptimized", folder).ok());
  Array::from_vector<float>({1, 2, 3}, {3}) + Array::from_vector<float>({1, 2, 3}, {3});
  EXPECT_TRUE(std::filesystem::exists(folder + "/hlo_unoptimized/0000.primitive_computation.unoptimized.hlo"));
  std::filesystem::remove_all(folder);
}

TEST_F(Dispatch, ResultHandlersAreForArraysAndTuples) {
  const Shape scalar = Shape::scalar(ElementType::kF32);
  const auto buffer = [](float value) { return tests::default_buffer(Literal::scalar(value)); };
  std::vector<BufferPtr> one = {buffer(1)}, two = {buffer(2), buffer(3)};
  const std::vector<Array> array = result_handler(scalar)(one, /*weak_type=*/true, /*committed=*/false);
  ASSERT_EQ(array.size(), 1u);
  EXPECT_EQ(array[0].item<float>(), 1);
  EXPECT_TRUE(array[0].weak_type());
  const std::vector<Array> tuple = result_handler(Shape::tuple({scalar, scalar}))(two, false, false);
  ASSERT_EQ(tuple.size(), 2u);
  EXPECT_EQ(tuple[1].item<float>(), 3);
  EXPECT_FALSE(tuple[1].weak_type());
  EXPECT_NE(result_handler(scalar), result_handler(Shape::tuple({scalar})));
  EXPECT_EQ(error_of([] { result_handler(Shape::token()); }, StatusCode::kUnimplemented),
            "UNIMPLEMENTED: a result of shape token[] is no array");
}

TEST_F(Dispatch, EagerOperationsGoThisWay) {
  const Array x = Array::from_vector<float>({1, 2, 3}, {3});
  EXPECT_EQ(xla_primitive_callable_cache_info().misses, 0);
  x + x;
  EXPECT_EQ(xla_primitive_callable_cache_info().misses, 1);
  EXPECT_EQ(primitive_computation_cache_info().misses, 1);
  x + x;
  EXPECT_EQ(xla_primitive_callable_cache_info().hits, 1);
  clear_caches();
  EXPECT_EQ(xla_primitive_callable_cache_info(), (CacheInfo{0, 0, 4096, 0}));
}

TEST_F(Dispatch, AWrongOperationSaysWhatTheUserDid) {
  const Array x = Array::from_vector<float>({1, 2, 3}, {3}), y = Array::from_vector<float>({1, 2}, {2});
  const auto wrong = [&] { bind_one(Opcode::kAdd, {x, y}); };
  const std::string text = error_of(wrong, StatusCode::kInvalidArgument);
  EXPECT_EQ(text.find("INVALID_ARGUMENT: add: "), 0u) << text;
}

}  // namespace
}  // namespace hilo
