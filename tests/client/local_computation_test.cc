// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/local_computation.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "hilo/backend/host/host_buffer.h"
#include "hilo/base/flags.h"
#include "hilo/client/computation_builder.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

const Shape kMatrix = Shape::array(ElementType::kF32, {2, 3});
const Shape kColumnMajor = kMatrix.with_layout(std::vector<int64_t>{0, 1});

std::optional<Shape> column_major(const Shape& leaf) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < leaf.rank(); ++i) order.push_back(i);
  return leaf.with_layout(order);
}

/// The elements in the order of the buffer's memory.
std::vector<float> raw(const Buffer& buffer) {
  std::vector<float> numbers(static_cast<size_t>(buffer.shape().element_count()));
  std::memcpy(numbers.data(), static_cast<const HostBuffer&>(buffer).data(), numbers.size() * sizeof(float));
  return numbers;
}

/// Runs each test on each engine.
class Local : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_TRUE(config().update("jax_platform_name", GetParam()).ok()); }
  void TearDown() override {
    reset_flags();
    clear_backends();
  }

  /// A computation of HLO text whose entry is `body`.
  static LocalComputation uncompiled(const std::string& body, const std::string& header = "HloModule f\n") {
    const StatusOr<hlo::Module> module = hlo::parse_module(header + "ENTRY main {\n" + body + "}\n");
    EXPECT_TRUE(module.ok()) << module.status().to_string();
    return *LocalComputation::uncompiled(*module);
  }
  static LocalComputation negation() {
    return uncompiled("  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n");
  }
  static LocalComputation compiled(const LocalComputation& computation, const LayoutFunction& layout_fn = {}) {
    StatusOr<LocalComputation> result = computation.compile(computation.parameter_shapes(), {}, layout_fn);
    EXPECT_TRUE(result.ok()) << result.status().to_string();
    return *std::move(result);
  }
  static std::vector<BufferPtr> run(const LocalComputation& computation, const std::vector<BufferPtr>& arguments) {
    StatusOr<std::vector<BufferPtr>> results = computation.execute(arguments);
    EXPECT_TRUE(results.ok()) << results.status().to_string();
    return results.ok() ? *std::move(results) : std::vector<BufferPtr>();
  }
  static BufferPtr one_to_six(const Shape& shape = kMatrix) {
    return tests::default_buffer(Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6}), shape);
  }
};

using Numbers = std::vector<float>;

TEST_P(Local, CompileReturnsANewObjectAndTheOldOneStaysUncompiled) {
  const LocalComputation old = negation();
  const LocalComputation fresh = compiled(old);
  EXPECT_TRUE(fresh.is_compiled());
  EXPECT_FALSE(old.is_compiled());
  EXPECT_EQ(raw(*run(fresh, {one_to_six()})[0]), (Numbers{-1, -2, -3, -4, -5, -6}));
}

TEST_P(Local, CompilingACompiledOneIsAnError) {
  EXPECT_EQ(compiled(negation()).compile({}).status().to_string(),
            "FAILED_PRECONDITION: Attempt to compile a compiled local XLA computation.");
}

TEST_P(Local, WithoutALayoutFunctionResultsAreRowMajor) {
  const LocalComputation computation = compiled(negation());
  EXPECT_EQ(computation.return_value_shape().to_string_with_layout(), "f32[2,3]{1,0}");
  EXPECT_EQ(raw(*run(computation, {one_to_six()})[0]), (Numbers{-1, -2, -3, -4, -5, -6}));
}

TEST_P(Local, TheLayoutFunctionLaysOutArgumentsAndResult) {
  const LocalComputation computation = compiled(negation(), column_major);
  ASSERT_EQ(computation.executable()->argument_shapes()[0], kColumnMajor);
  EXPECT_EQ(computation.return_value_shape(), kColumnMajor);
  const BufferPtr argument = one_to_six(kColumnMajor);
  EXPECT_EQ(raw(*argument), (Numbers{1, 4, 2, 5, 3, 6}));
  const std::vector<BufferPtr> results = run(computation, {argument});
  EXPECT_EQ(results[0]->shape(), kColumnMajor);
  EXPECT_EQ(raw(*results[0]), (Numbers{-1, -4, -2, -5, -3, -6}));
  EXPECT_EQ(literal_from_buffer(*results[0])->to_string(), "f32[2,3] {{-1, -2, -3}, {-4, -5, -6}}");
}

TEST_P(Local, AnArgumentMayHaveAnotherLayoutThanTheResult) {
  const LocalComputation computation = *negation().compile(std::vector<Shape>{kColumnMajor});
  EXPECT_EQ(raw(*run(computation, {one_to_six(kColumnMajor)})[0]), (Numbers{-1, -2, -3, -4, -5, -6}));
}

TEST_P(Local, TheIdentityChangesLayoutsToo) {
  const LocalComputation identity = uncompiled("  ROOT x = f32[2,3] parameter(0)\n");
  const LocalComputation to_rows = *identity.compile(std::vector<Shape>{kColumnMajor});
  EXPECT_EQ(raw(*run(to_rows, {one_to_six(kColumnMajor)})[0]), (Numbers{1, 2, 3, 4, 5, 6}));
  const LocalComputation columns = compiled(identity, column_major);
  EXPECT_EQ(raw(*run(columns, {one_to_six(kColumnMajor)})[0]), (Numbers{1, 4, 2, 5, 3, 6}));
}

TEST_P(Local, TuplesAreLaidOutLeafByLeaf) {
  const LocalComputation computation =
      compiled(uncompiled("  t = (f32[2,3], f32[3,2]) parameter(0)\n  a = f32[2,3] get-tuple-element(t), index=0\n"
                          "  b = f32[3,2] get-tuple-element(t), index=1\n  n = f32[2,3] negate(a)\n"
                          "  i = (f32[3,2], f32[2,3]) tuple(b, a)\n"
                          "  ROOT r = (f32[2,3], (f32[3,2], f32[2,3])) tuple(n, i)\n"),
               [](const Shape& leaf) { return leaf.dimension(0) == 2 ? column_major(leaf) : std::nullopt; });
  EXPECT_EQ(computation.return_value_shape().to_string_with_layout(),
            "(f32[2,3]{0,1}, (f32[3,2]{1,0}, f32[2,3]{0,1}))");
  const BufferPtr b = tests::default_buffer(Literal::array<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  const std::vector<BufferPtr> results = run(computation, {one_to_six(kColumnMajor), b});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(raw(*results[0]), (Numbers{-1, -4, -2, -5, -3, -6}));
  EXPECT_EQ(raw(*results[1]), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(raw(*results[2]), (Numbers{1, 4, 2, 5, 3, 6}));
}

TEST_P(Local, ALayoutFunctionThatReturnsNothingChangesNothing) {
  const LocalComputation computation = compiled(negation(), [](const Shape&) { return std::nullopt; });
  EXPECT_EQ(computation.return_value_shape(), kMatrix);
}

TEST_P(Local, TheOriginalIsNotAlteredByLayouts) {
  const LocalComputation old = negation();
  const std::vector<Shape> arguments = old.parameter_shapes();
  ASSERT_TRUE(old.compile(arguments, {}, column_major).ok());
  EXPECT_EQ(arguments[0], kMatrix);
  EXPECT_EQ(old.parameter_shapes()[0], kMatrix);
  EXPECT_EQ(old.return_value_shape(), kMatrix);
  EXPECT_EQ(compiled(old).return_value_shape(), kMatrix);
}

TEST_P(Local, ALayoutFunctionThatChangesTheShapeIsRefused) {
  const LocalComputation old = negation();
  const std::vector<Shape> shapes = old.parameter_shapes();
  const Status status = old.compile(shapes, {}, [](const Shape&) { return Shape::scalar(ElementType::kF32); }).status();
  EXPECT_EQ(status.to_string(),
            "INVALID_ARGUMENT: layout_fn: got f32[] for f32[2,3]{1,0}; wanted the same shape with another layout.");
  const auto twice = [](const Shape& leaf) { return leaf.with_layout(std::vector<int64_t>{0, 0}); };
  EXPECT_EQ(old.compile(shapes, {}, twice).status().code(), StatusCode::kInvalidArgument);
}

TEST_P(Local, TheResultShapeIsSetOnACopyOfTheOptions) {
  std::optional<CompileOptions> options = CompileOptions{};
  const LocalComputation old = negation();
  ASSERT_TRUE(old.compile(old.parameter_shapes(), options, column_major).ok());
  EXPECT_EQ(*options, CompileOptions{});
}

TEST_P(Local, LayoutsThatAProgramStatesAreThoseOfItsMemory) {
  const LocalComputation computation =
      compiled(uncompiled("  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n",
                          "HloModule f, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}\n"));
  EXPECT_EQ(raw(*run(computation, {one_to_six(kColumnMajor)})[0]), (Numbers{-1, -4, -2, -5, -3, -6}));
}

TEST_P(Local, ADonatedArgumentIsNotLaidOutInItsOwnMemory) {
  const LocalComputation identity = uncompiled("  ROOT x = f32[2,3] parameter(0)\n");
  for (const bool from_columns : {false, true}) {
    for (const bool to_columns : {false, true}) {
      const std::vector<Shape> parameters = {from_columns ? kColumnMajor : kMatrix};
      const hlo::Module module = with_entry_shapes(identity.module(), parameters, to_columns ? kColumnMajor : kMatrix);
      const LocalComputation compiled = *compile_under_flags(module, {});
      const std::vector<BufferPtr> arguments = {one_to_six(from_columns ? kColumnMajor : kMatrix)};
      const bool donated[] = {true};
      const StatusOr<std::vector<BufferPtr>> results = compiled.execute(arguments, {.donated = donated});
      ASSERT_TRUE(results.ok()) << results.status().to_string();
      EXPECT_EQ(literal_from_buffer(*(*results)[0])->to_string(), "f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
    }
  }
}

TEST_P(Local, ArgumentShapesMustFitTheParameters) {
  EXPECT_EQ(negation().compile().status().to_string(),
            "INVALID_ARGUMENT: Compile 'f': got 0 argument shapes; wanted 1.");
  EXPECT_EQ(negation().compile(std::vector<Shape>{Shape::scalar(ElementType::kF32)}).status().to_string(),
            "INVALID_ARGUMENT: Compile 'f': argument shape 0 doesn't match its parameter; got f32[]; wanted f32[2,3].");
}

TEST_P(Local, ExecutingAnUncompiledOneIsAnError) {
  EXPECT_EQ(negation().execute({}).status().to_string(),
            "FAILED_PRECONDITION: Attempt to execute an uncompiled local XLA computation.");
}

TEST_P(Local, ExecutingWithADeletedBufferIsAnError) {
  const BufferPtr argument = one_to_six();
  ASSERT_TRUE(argument->remove().ok());
  const Status status = compiled(negation()).execute(std::vector{argument}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("argument 0 'x': buffer f32[2,3] has been deleted"), std::string_view::npos)
      << status.to_string();
}

TEST_P(Local, AProgramRunsOnTheDeviceOfItsArguments) {
  ASSERT_TRUE(config().update("jax_replica_count", 2).ok());
  const Literal value = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const BufferPtr argument = tests::default_buffer(value, 1);
  const std::vector<BufferPtr> results = run(compiled(negation()), {argument});
  EXPECT_EQ(results[0]->device()->id(), 1);
  const LocalComputation sum =
      compiled(uncompiled("  x = f32[2,3] parameter(0)\n  y = f32[2,3] parameter(1)\n"
                          "  ROOT z = f32[2,3] add(x, y)\n"));
  const std::string platform = GetParam();
  EXPECT_EQ(sum.execute(std::vector{argument, tests::default_buffer(value, 0)}).status().to_string(),
            "INVALID_ARGUMENT: Execute 'f': argument 1 'y' is a buffer of " + platform + ":0, the program runs on " +
                platform + ":1");
}

TEST_P(Local, AnotherClientsBufferIsAnError) {
  const ClientPtr other = *make_platform_client(GetParam(), {});
  const BufferPtr argument = tests::buffer_on(*other, Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(compiled(negation()).execute(std::vector{argument}).status().to_string(),
            std::string("INVALID_ARGUMENT: Execute 'f': the program runs on ") + GetParam() +
                ":0, which is another client's");
}

TEST_P(Local, ExecutingWithAWrongCountIsAnError) {
  EXPECT_EQ(compiled(negation()).execute({}).status().to_string(),
            "INVALID_ARGUMENT: Execute 'f': got 0 arguments, compiled for 1");
}

TEST_P(Local, ExecutingWithAnotherLayoutNamesBothLayouts) {
  EXPECT_EQ(compiled(negation()).execute(std::vector{one_to_six(kColumnMajor)}).status().to_string(),
            "INVALID_ARGUMENT: Execute 'f': argument 0 'x' is f32[2,3]{0,1}, compiled for f32[2,3]{1,0}");
}

TEST_P(Local, XrtCompilesAtItsTarget) {
  clear_backends();
  ASSERT_TRUE(config().update("jax_xla_backend", "xrt").ok());
  ASSERT_TRUE(config().update("jax_backend_target", "rpc:127.0.0.1:1").ok());
  const LocalComputation computation = negation();
  const Status status = computation.compile(computation.parameter_shapes()).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  // no server listens on this port
  EXPECT_TRUE(status.message().starts_with("rpc:127.0.0.1:1: ")) << status.to_string();
}

TEST_P(Local, EqualProgramsShareAnExecutableUnlessTheyAreDumped) {
  const LocalComputation first = negation(), second = negation();
  EXPECT_EQ(compiled(first).executable(), compiled(second).executable());
  EXPECT_NE(compiled(first).executable(), compiled(first, column_major).executable());
  CompileOptions dumped;
  dumped.dump_optimized_hlo_proto_to = testing::TempDir() + "hilo_local_dump";
  EXPECT_NE(first.compile(first.parameter_shapes(), dumped)->executable(), compiled(first).executable());
}

TEST_P(Local, EqualProgramsOfOtherNamesKeepTheirNames) {
  const std::string body = "  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n";
  const LocalComputation f = compiled(uncompiled(body)), g = compiled(uncompiled(body, "HloModule g\n"));
  EXPECT_EQ(f.executable()->name(), "f");
  EXPECT_EQ(g.executable()->name(), "g");
  EXPECT_NE(g.execute({}).status().message().find("Execute 'g'"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Engines, Local, testing::Values("Host", "Reference"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace hilo
