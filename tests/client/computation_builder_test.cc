// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/computation_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hilo/base/flags.h"
#include "hilo/client/hlo_text.h"
#include "hilo/hlo/ops/reshape.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

struct Celsius {
  double degrees;
};
struct Kelvin {
  double degrees;
};
struct FineCelsius : Celsius {};

class TheBuilder : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(config().update("jax_platform_name", "Reference").ok()); }
  void TearDown() override {
    reset_flags();
    clear_backends();
  }
  static void enable_x64() { ASSERT_TRUE(config().update("jax_enable_x64", true).ok()); }

  /// Compiles and runs a computation without arguments, and returns its value.
  static std::vector<Literal> run(ComputationBuilder builder, std::optional<InstructionId> root = {}) {
    const StatusOr<LocalComputation> built = std::move(builder).build(root);
    if (!built.ok()) return (ADD_FAILURE() << built.status().to_string(), std::vector<Literal>());
    const StatusOr<LocalComputation> compiled = built->compile();
    if (!compiled.ok()) return (ADD_FAILURE() << compiled.status().to_string(), std::vector<Literal>());
    const StatusOr<std::vector<BufferPtr>> buffers = compiled->execute({});
    if (!buffers.ok()) return (ADD_FAILURE() << buffers.status().to_string(), std::vector<Literal>());
    std::vector<Literal> values;
    for (const BufferPtr& buffer : *buffers) values.push_back(*literal_from_buffer(*buffer));
    return values;
  }
  static std::string only(const std::vector<Literal>& values) {
    return values.size() == 1 ? values[0].to_string() : std::to_string(values.size()) + " values";
  }
};

TEST_F(TheBuilder, ClassIsChosenByTheClientOnce) {
  ASSERT_TRUE(config().update("jax_platform_name", "Abacus").ok());
  EXPECT_EQ(make_computation_builder("f").status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(config().update("jax_platform_name", "Reference").ok());
  ASSERT_TRUE(make_computation_builder("f").ok());
  EXPECT_EQ(platform_name(), "Reference");  // the call created the client
  EXPECT_EQ(get_computation_builder_class()->make, get_computation_builder_class()->make);
}

TEST_F(TheBuilder, NameIsTheModulesName) {
  ComputationBuilder builder = *make_computation_builder("primitive_computation");
  ASSERT_TRUE(builder.constant(1.0f).ok());
  const LocalComputation built = *std::move(builder).build();
  EXPECT_EQ(built.module().name, "primitive_computation");
  EXPECT_EQ(hlo_text(built.module()).substr(0, 31), "HloModule primitive_computation");
}

TEST_F(TheBuilder, ParameterHasTheShapeOfItsValue) {
  ComputationBuilder builder = *make_computation_builder("f");
  const auto shape_of_parameter = [&](const auto& value) {
    return builder.shape(*builder.parameter(value)).to_string();
  };
  EXPECT_EQ(shape_of_parameter(Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6})), "f32[2,3]");
  EXPECT_EQ(shape_of_parameter(true), "pred[]");
  EXPECT_EQ(shape_of_parameter(std::vector<int8_t>{1, 2}), "s8[2]");
  EXPECT_EQ(shape_of_parameter(HostArray(Literal::scalar(1.0f))), "f32[]");
  EXPECT_EQ(shape_of_parameter(tests::default_buffer(Literal::scalar(int16_t{1}))), "s16[]");
}

TEST_F(TheBuilder, ParameterTypesAreCanonicalUnlessX64) {
  ComputationBuilder builder = *make_computation_builder("f");
  EXPECT_EQ(builder.shape(*builder.parameter(1.0)).to_string(), "f32[]");
  EXPECT_EQ(builder.shape(*builder.parameter(std::vector<int64_t>{1})).to_string(), "s32[1]");
  enable_x64();
  EXPECT_EQ(builder.shape(*builder.parameter(1.0)).to_string(), "f64[]");
  EXPECT_EQ(builder.shape(*builder.parameter(std::vector<int64_t>{1})).to_string(), "s64[1]");
}

TEST_F(TheBuilder, ParameterWithShapeTakesTheShapeAsItIs) {
  ComputationBuilder builder = *make_computation_builder("f");
  EXPECT_EQ(builder.shape(*builder.parameter_with_shape(Shape::scalar(ElementType::kF64))).to_string(), "f64[]");
}

TEST_F(TheBuilder, ParameterNumberDefaultsToTheNext) {
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.parameter(1.0f, "a").ok());
  ASSERT_TRUE(builder.parameter(true, "c", 2).ok());
  ASSERT_TRUE(builder.parameter(int8_t{1}, "b", 1).ok());
  ASSERT_TRUE(builder.parameter(uint8_t{1}, "d").ok());  // one above the highest index
  const LocalComputation built = *std::move(builder).build();
  std::string names;
  for (const Shape& shape : built.parameter_shapes()) names += shape.to_string() + " ";
  EXPECT_EQ(names, "f32[] s8[] pred[] u8[] ");
}

TEST_F(TheBuilder, ParameterNumberUsedTwiceIsAnError) {
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.parameter(1.0f, "a", 0).ok());
  EXPECT_EQ(builder.parameter(1.0f, "b", 0).status().to_string(),
            "INVALID_ARGUMENT: parameter 0 of 'f': the number is used twice");
  EXPECT_EQ(builder.parameter(1.0f, "b", -1).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TheBuilder, ParameterNameUsedTwiceIsAnError) {
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.parameter(1.0f, "a").ok());
  EXPECT_EQ(builder.parameter(1.0f, "a").status().to_string(),
            "INVALID_ARGUMENT: parameter 1 of 'f': the name 'a' is used twice");
  EXPECT_TRUE(builder.parameter(1.0f).ok());  // unnamed parameters are not duplicates
  EXPECT_TRUE(builder.parameter(1.0f).ok());
}

TEST_F(TheBuilder, NumpyArrayConstantNormalisesItsType) {
  EXPECT_EQ(normalize_to_xla_dtypes(Literal::array<double>({2}, {1, 2}))->to_string(), "f32[2] {1, 2}");
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.numpy_array_constant(Literal::array<int64_t>({2}, {7, -8})).ok());
  EXPECT_EQ(only(run(std::move(builder))), "s32[2] {7, -8}");
  enable_x64();
  EXPECT_EQ(normalize_to_xla_dtypes(Literal::array<double>({2}, {1, 2}))->to_string(), "f64[2] {1, 2}");
}

TEST_F(TheBuilder, NumpyArrayConstantTakesTuplesElementByElement) {
  ComputationBuilder builder = *make_computation_builder("f");
  const std::any nested = std::vector<std::any>{1.5, std::vector<std::any>{Literal::scalar(int64_t{3}), true}};
  const InstructionId id = *builder.numpy_array_constant(nested);
  EXPECT_EQ(builder.shape(id).to_string(), "(f32[], (s32[], pred[]))");
  const std::vector<Literal> values = run(std::move(builder));
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].to_string(), "f32[] 1.5");
  EXPECT_EQ(values[1].to_string(), "s32[] 3");
  EXPECT_EQ(values[2].to_string(), "pred[] true");
}

TEST_F(TheBuilder, NumpyArrayConstantRefusesWhatIsNoArray) {
  ComputationBuilder builder = *make_computation_builder("f");
  EXPECT_EQ(builder.numpy_array_constant(std::any(Celsius{1})).status().to_string(),
            "INVALID_ARGUMENT: Can't convert to XLA: hilo::(anonymous namespace)::Celsius");
  EXPECT_EQ(builder.numpy_array_constant(std::any(std::vector<std::any>{1.0f, Celsius{1}})).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(normalize_to_xla_dtypes(Literal(Shape::token())).status().to_string(),
            "INVALID_ARGUMENT: Can't convert to XLA: token[]");
}

TEST_F(TheBuilder, ConstantLikeCastsToTheElementTypeOfItsExampleAndKeepsTheShape) {
  ComputationBuilder builder = *make_computation_builder("f");
  const auto id = builder.constant_like(std::vector<int8_t>{1, 2, 3}, Literal::array<float>({1, 2}, {1.9f, -2.9f}));
  ASSERT_TRUE(id.ok()) << id.status().to_string();
  EXPECT_EQ(only(run(std::move(builder))), "s8[1,2] {{1, -2}}");
}

TEST_F(TheBuilder, ConstantLikeEndsInACanonicalType) {
  ComputationBuilder builder = *make_computation_builder("f");
  EXPECT_EQ(builder.shape(**builder.constant_like(1.0, 2)).to_string(), "f32[]");
  enable_x64();
  EXPECT_EQ(builder.shape(**builder.constant_like(1.0, 2)).to_string(), "f64[]");
}

TEST_F(TheBuilder, ConstantOfANumberHasItsCanonicalType) {
  ComputationBuilder builder = *make_computation_builder("f");
  EXPECT_EQ(builder.shape(**builder.constant(2)).to_string(), "s32[]");
  EXPECT_EQ(builder.shape(**builder.constant(int64_t{2})).to_string(), "s32[]");
  EXPECT_EQ(builder.shape(**builder.constant(2.5)).to_string(), "f32[]");
  EXPECT_EQ(builder.shape(**builder.constant(true)).to_string(), "pred[]");
  EXPECT_EQ(builder.shape(**builder.constant(std::complex<float>(1, 2))).to_string(), "c64[]");
  EXPECT_EQ(only(run(std::move(builder))), "c64[] (1, 2)");
}

TEST_F(TheBuilder, ConstantHandlersGoByTheExactType) {
  register_constant_handler<Celsius>([](ComputationBuilder& b, const Celsius& t) { return b.constant(t.degrees); });
  ComputationBuilder builder = *make_computation_builder("f");
  EXPECT_EQ(builder.shape(**builder.constant(Celsius{20})).to_string(), "f32[]");
  EXPECT_EQ(builder.constant(FineCelsius{}).status().to_string(),
            "INVALID_ARGUMENT: No constant handler for type: hilo::(anonymous namespace)::FineCelsius");
  EXPECT_EQ(builder.constant("text").status().to_string(), "INVALID_ARGUMENT: No constant handler for type: char [5]");
}

TEST_F(TheBuilder, TheLastConstantHandlerWins) {
  register_constant_handler<Celsius>([](ComputationBuilder& b, const Celsius&) { return b.constant(1.0f); });
  register_constant_handler<Celsius>([](ComputationBuilder& b, const Celsius&) { return b.constant(2.0f); });
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.constant(Celsius{0}).ok());
  EXPECT_EQ(only(run(std::move(builder))), "f32[] 2");
}

TEST_F(TheBuilder, AConstantHandlerMayReturnNothing) {
  register_constant_handler<Kelvin>([](ComputationBuilder&, const Kelvin&) { return ConstantResult(std::nullopt); });
  ComputationBuilder builder = *make_computation_builder("f");
  const ConstantResult nothing = builder.constant(Kelvin{0});
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(*nothing, std::nullopt);
  EXPECT_EQ(builder.size(), 0u);
}

TEST_F(TheBuilder, ArraysWithZeroStridesBecomeABroadcastOfTheSmallArray) {
  const HostArray small(Literal::array<double>({2, 1}, {1, 2}));
  const HostArray large = *small.broadcast_to(std::vector<int64_t>{1 << 20, 2, 1 << 20});  // 16 TiB if it were dense
  ComputationBuilder builder = *make_computation_builder("f");
  const InstructionId id = **builder.constant(large);
  EXPECT_EQ(builder.shape(id).to_string(), "f32[1048576,2,1048576]");
  EXPECT_EQ(builder.instruction(id).opcode, Opcode::kBroadcast);
  ASSERT_EQ(builder.size(), 2u);
  EXPECT_EQ(builder.shape(0).to_string(), "f32[2]");
}

TEST_F(TheBuilder, ABroadcastConstantHasTheValuesOfTheFullArray) {
  const HostArray rows =
      *HostArray(Literal::array<float>({3, 1}, {1, 2, 3})).broadcast_to(std::vector<int64_t>{2, 3, 2});
  const std::string wanted = "f32[2,3,2] {{{1, 1}, {2, 2}, {3, 3}}, {{1, 1}, {2, 2}, {3, 3}}}";
  EXPECT_EQ(rows.to_literal()->to_string(), wanted);
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.constant(rows).ok());
  EXPECT_EQ(only(run(std::move(builder))), wanted);
}

TEST_F(TheBuilder, AStridedArrayWithoutZeroStridesIsADenseConstant) {
  const Literal dense = Literal::array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::shared_ptr<const std::byte> last(dense.bytes().data() + 5 * sizeof(int32_t), [](const std::byte*) {});
  const HostArray reversed_transpose(Shape::array(ElementType::kS32, {3, 2}), {-1, -3}, last);
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.constant(reversed_transpose).ok());
  EXPECT_EQ(builder.size(), 1u);
  EXPECT_EQ(only(run(std::move(builder))), "s32[3,2] {{6, 3}, {5, 2}, {4, 1}}");
}

TEST_F(TheBuilder, BroadcastToRefusesDimensionsThatDoNotFit) {
  const HostArray three(Literal::array<float>({3}, {1, 2, 3}));
  EXPECT_EQ(three.broadcast_to(std::vector<int64_t>{3, 2}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(three.broadcast_to(std::vector<int64_t>{}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(three.broadcast_to(std::vector<int64_t>{-1, 3}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TheBuilder, BuildTakesTheLastOpOrTheRoot) {
  const auto two_ops = [](std::optional<InstructionId>& first) {
    ComputationBuilder builder = *make_computation_builder("f");
    first = **builder.constant(1.0f);
    EXPECT_TRUE(builder.constant(2.0f).ok());
    return builder;
  };
  std::optional<InstructionId> first;
  EXPECT_EQ(only(run(two_ops(first))), "f32[] 2");
  EXPECT_EQ(only(run(two_ops(first), first)), "f32[] 1");
}

TEST_F(TheBuilder, BuildOfNothingIsAnError) {
  EXPECT_EQ(make_computation_builder("f").value().size(), 0u);
  EXPECT_EQ(std::move(*make_computation_builder("f")).build().status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TheBuilder, BuildLeavesTheStateNotCompiledForTheBackendOfTheFlags) {
  ASSERT_TRUE(config().update("jax_xla_backend", "xrt").ok());
  ComputationBuilder builder = *make_computation_builder("f");
  ASSERT_TRUE(builder.constant(1.0f).ok());
  const LocalComputation built = *std::move(builder).build();
  EXPECT_FALSE(built.is_compiled());
  EXPECT_EQ(built.executable(), nullptr);
  EXPECT_EQ(built.backend(), (BackendTarget{"xrt", "local"}));
}

}  // namespace
}  // namespace hilo
