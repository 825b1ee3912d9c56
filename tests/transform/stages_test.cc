// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/stages.h"

#include <gtest/gtest.h>

#include "hilo/device/executable.h"
#include "hilo/lax/control_flow.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

struct Layer {
  Array w, b;
};

Array apply(const Layer& layer, const Array& x) { return numpy::tanh(numpy::matmul(x, layer.w) + layer.b); }
Layer layer() { return {numpy::full({3, 2}, 0.5f), numpy::array({0.25f, -0.5f})}; }

TEST(Stages, CompiledProgramsComputeWhatTheFunctionDoes) {
  const Array x = numpy::reshape(numpy::arange(6, float32), {2, 3});
  const auto compiled = jit(apply).lower(layer(), x).compile();
  EXPECT_EQ(compiled(layer(), x).to_vector<float>(), jit(apply)(layer(), x).to_vector<float>());
  const Layer slopes =
      lower(grad([](Layer l, Array v) { return numpy::sum(apply(l, v)); }), layer(), x).compile()(layer(), x);
  EXPECT_EQ(slopes.w.shape().size(), 2u);
}

TEST(Stages, LoweringNeedsNoValuesAndRunsNothing) {
  int traces = 0;
  const auto f = jit([&](const Array& x) {
    ++traces;
    return x + 1.0f;
  });
  const auto lowered = f.lower(ShapeDtypeStruct({4}, float32));
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(lowered.compile()(numpy::ones({4})).to_vector<float>(), (std::vector<float>{2, 2, 2, 2}));
  EXPECT_EQ(traces, 1);
}

TEST(Stages, TextComesInTwoDialects) {
  const auto lowered = lower([](const Array& x) { return numpy::sin(x); }, numpy::ones({3}));
  EXPECT_NE(lowered.as_text().find("stablehlo.sine"), std::string::npos);
  EXPECT_EQ(lowered.as_text(), lowered.as_text("stablehlo"));
  EXPECT_NE(lowered.as_text("hlo").find("f32[3]{0} sine("), std::string::npos);
  const std::string error = error_of([&] { return lowered.as_text("mhlo"); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("got \"mhlo\", wanted \"stablehlo\" or \"hlo\""), std::string::npos);
  EXPECT_NE(lowered.compile().as_text().find("sine("), std::string::npos);
}

TEST(Stages, CostsAreCounted) {
  const auto product = [](const Array& a, const Array& b) { return numpy::exp(numpy::matmul(a, b)); };
  const auto lowered = lower(product, numpy::ones({8, 16}), numpy::ones({16, 4}));
  for (const CostAnalysis& cost : {lowered.cost_analysis(), lowered.compile().cost_analysis()}) {
    EXPECT_EQ(cost.flops, 2.0 * 8 * 16 * 4);
    EXPECT_EQ(cost.transcendentals, 8.0 * 4);
    EXPECT_TRUE(cost.exact);
  }
}

TEST(Stages, MemoryIsAsPlanned) {
  const auto f = jit([](const Array& x) { return x + 1.0f; }, {.donate_argnums = {0}});
  const CompiledMemoryStats memory = f.lower(ShapeDtypeStruct({256}, float32)).compile().memory_analysis();
  EXPECT_EQ(memory.argument_size_in_bytes, 1024);
  EXPECT_EQ(memory.output_size_in_bytes, 1024);
  EXPECT_EQ(memory.alias_size_in_bytes, 1024);
}

TEST(Stages, ArgumentsOfOtherTypesAreRefusedByPath) {
  const auto compiled = jit(apply).lower(layer(), numpy::ones({2, 3})).compile();
  const std::string error = error_of([&] { return compiled(Layer{layer().w, numpy::ones({3})}, numpy::ones({2, 3})); },
                                     StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("Argument types differ from the types for which this computation was compiled; args[0][1] is "
                       "f32[3], wanted f32[2]"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("stages_test.cc:"), std::string::npos);
}

TEST(Stages, WeakTypesDontCountWhenACompiledProgramIsCalled) {
  const auto compiled = lower([](const Array& x) { return x * 2.0f; }, ShapeDtypeStruct({}, float32)).compile();
  EXPECT_EQ(compiled(3.0f).item<float>(), 6);
}

TEST(Stages, OtherTreesAndStaticValuesAreRefused) {
  const auto sum = [](const std::vector<Array>& all) { return all[0] * static_cast<float>(all.size()); };
  const auto compiled = lower(sum, std::vector<Array>{1.0f, 2.0f}).compile();
  const std::string error = error_of([&] { return compiled(std::vector<Array>{1.0f}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("the arguments have another tree"), std::string::npos) << error;
  const auto power = jit<1>([](const Array& x, int n) { return n == 2 ? x * x : x; }).lower(3.0f, 2).compile();
  EXPECT_EQ(power(3.0f, 2).item<float>(), 9);
  error_of([&] { return power(3.0f, 1); }, StatusCode::kInvalidArgument);
}

TEST(Stages, CompiledProgramsCantBeTransformed) {
  const auto compiled = lower([](const Array& x) { return x * x; }, 1.0f).compile();
  for (const std::string& error :
       {error_of([&] { return grad([&](Array x) { return compiled(x); })(1.0f); }, StatusCode::kUnimplemented),
        error_of([&] { return jit([&](Array x) { return compiled(x); })(1.0f); }, StatusCode::kUnimplemented),
        error_of([&] { return vmap([&](Array x) { return compiled(x); })(numpy::ones({2})); },
                 StatusCode::kUnimplemented)}) {
    EXPECT_NE(error.find("Cannot apply JAX transformations to a function lowered and compiled"), std::string::npos);
  }
}

TEST(Stages, DonatedArgumentsAreGoneAfterTheCall) {
  const auto compiled =
      jit([](const Array& x) { return x + 1.0f; }, {.donate_argnums = {0}}).lower(numpy::ones({64})).compile();
  const Array x = numpy::ones({64});
  EXPECT_EQ(compiled(x).to_vector<float>()[0], 2);
  error_of([&] { return x.to_vector<float>(); }, StatusCode::kInvalidArgument);
}

TEST(Jit, CacheSizeCountsTracesAndCanBeCleared) {
  int traces = 0;
  const auto f = jit([&traces](const Array& x) {
    ++traces;
    return x + x;
  });
  EXPECT_EQ(f.cache_size(), 0u);
  f(1.0f);
  f(2.0f);
  f(numpy::ones({2}));
  EXPECT_EQ(f.cache_size(), 2u);
  f.clear_cache();
  EXPECT_EQ(f.cache_size(), 0u);
  f(1.0f);
  EXPECT_EQ(traces, 3);
}

TEST(Jit, InlineLeavesNoCall) {
  const auto called = jit([](const Array& x) { return numpy::sin(x); });
  const auto inlined = jit([](const Array& x) { return numpy::sin(x); }, {.inline_ = true});
  const auto text = [](const auto& f) { return make_hlo([&](Array x) { return f(x) + 1.0f; })(numpy::ones({2})); };
  EXPECT_NE(text(called).find("call("), std::string::npos);
  EXPECT_EQ(text(inlined).find("call("), std::string::npos);
  EXPECT_EQ(inlined(0.0f).item<float>(), 0);
}

TEST(Stages, CompiledProgramsAreWrittenAndReadBack) {
  const Array x = numpy::reshape(numpy::arange(6, float32), {2, 3});
  const auto lowered = jit(apply).lower(layer(), x);
  const std::string bytes = lowered.compile().serialize();
  EXPECT_FALSE(bytes.empty());
  const auto loaded = jit(apply).lower(layer(), x).deserialize_and_load(bytes);
  EXPECT_EQ(loaded(layer(), x).to_vector<float>(), apply(layer(), x).to_vector<float>());
  error_of([&] { lowered.deserialize_and_load("no program"); }, StatusCode::kInvalidArgument);
  error_of([&] { lowered.deserialize_and_load(bytes.substr(0, bytes.size() / 2)); }, StatusCode::kInvalidArgument);
  const auto other = jit([](const Array& v) { return v + 1.0f; }).lower(x);
  error_of([&] { other.deserialize_and_load(bytes); }, StatusCode::kInvalidArgument);
}

TEST(Stages, ArgumentsAreNamedWithTheirTypesAndWhetherTheyAreDonated) {
  const auto f =
      jit([](Layer l, Array x) { return std::pair(Layer{l.w * 2.0f, l.b * 2.0f}, x * 2.0f); }, {.donate_argnums = {0}});
  const auto lowered = f.lower(layer(), numpy::ones({4}));
  for (const std::vector<ArgInfo>& infos : {lowered.args_info(), lowered.compile().args_info()}) {
    ASSERT_EQ(infos.size(), 3u);
    EXPECT_EQ(infos[0].path, "args[0][0]");
    EXPECT_EQ(infos[0].shape.to_string(), "f32[3,2]");
    EXPECT_TRUE(infos[0].donated && infos[1].donated);
    EXPECT_EQ(infos[2].path, "args[1]");
    EXPECT_FALSE(infos[2].donated);
  }
}

class SharedStages : public tests::EightDevices {};

TEST_F(SharedStages, AreCompiledForTheDevicesOfTheirArguments) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  const NamedSharding rows(mesh, P("y"));
  const Array a = device_put(numpy::reshape(numpy::arange(128, float32), {16, 8}), rows), b = numpy::ones({8, 4});
  const auto product = jit([](Array a, Array b) { return numpy::matmul(a, b); });
  const auto compiled = product.lower(a, b).compile();
  EXPECT_TRUE(compiled.input_shardings()[0].is_equivalent_to(rows, 2));
  EXPECT_TRUE(compiled.input_shardings()[1].is_fully_replicated());
  EXPECT_TRUE(compiled.output_shardings()[0].is_equivalent_to(rows, 2));
  EXPECT_EQ(compiled.memory_analysis().argument_size_in_bytes, 4 * (4 * 8 + 8 * 4)) << "of one device";
  EXPECT_EQ(compiled.cost_analysis().flops, 2.0 * 4 * 8 * 4);
  EXPECT_EQ(compiled.runtime_executable()->devices().size(), 8u);
  EXPECT_NE(compiled.as_text().find("f32[4,8]"), std::string::npos);
  const Array got = compiled(a, b);
  EXPECT_EQ(got.to_vector<float>(), product(a, b).to_vector<float>());
  EXPECT_EQ(got.sharding(), compiled.output_shardings()[0]);
  // Uncommitted arrays are moved to the device. Committed arrays must already be there.
  EXPECT_EQ(compiled(numpy::reshape(numpy::arange(128, float32), {16, 8}), b).to_vector<float>(),
            got.to_vector<float>());
  const std::string error =
      error_of([&] { compiled(device_put(a, NamedSharding(mesh, P("x"))), b); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("does not match the sharding on the respective arg"), std::string::npos) << error;
}

TEST_F(SharedStages, AreCompiledForWhatIsSaid) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  const NamedSharding rows(mesh, P("x")), columns(mesh, P(none, "y"));
  const ShapeDtypeStruct square({8, 8}, float32);
  const auto edges = jit([](Array a) { return numpy::sin(a); }, {.in_shardings = rows, .out_shardings = columns})
                         .lower(square)
                         .compile();
  EXPECT_TRUE(edges.input_shardings()[0].is_equivalent_to(rows, 2));
  EXPECT_TRUE(edges.output_shardings()[0].is_equivalent_to(columns, 2));
  const Array x = numpy::reshape(numpy::arange(64, float32), {8, 8});
  EXPECT_EQ(edges(x).to_vector<float>(), numpy::sin(x).to_vector<float>());
  EXPECT_EQ(edges(x).sharding(), columns);
  const auto inside =
      lower([&](Array a, Array) { return with_sharding_constraint(a * 2.0f, rows); }, square, square).compile();
  EXPECT_EQ(inside.output_shardings()[0].spec().entry(0).axes(), std::vector<std::string>{"x"});
  EXPECT_EQ(inside(x, x).to_vector<float>(), (x * 2.0f).to_vector<float>());
  EXPECT_EQ(inside.input_shardings().size(), 2u);  // unused arguments included
  const auto captured = device_put(x, columns);
  const auto closed = lower([&](Array a) { return a + captured; }, square).compile();
  EXPECT_EQ(closed(x).to_vector<float>(), (x + x).to_vector<float>());
  EXPECT_EQ(lower([](Array a) { return a; }, x).compile().input_shardings()[0], SingleDeviceSharding(devices()[0]));
  EXPECT_NE(error_of([&] { edges.serialize(); }, StatusCode::kUnimplemented).find("can't be saved"), std::string::npos);
}

TEST_F(SharedStages, DonatedArgumentsAreGone) {
  const NamedSharding rows(make_mesh({8}, {"x"}), P("x"));
  const Array x = device_put(numpy::ones({8, 2}), rows);
  const auto next = jit([](Array a) { return a + 1.0f; }, {.donate_argnums = {0}}).lower(x).compile();
  EXPECT_EQ(next(x).to_vector<float>(), std::vector<float>(16, 2));
  EXPECT_NE(error_of([&] { x.to_literal(); }, StatusCode::kInvalidArgument), "");
}

TEST(Stages, TheExecutableBehindIsShown) {
  const auto compiled = lower([](const Array& x) { return numpy::sin(x) * 2.0f; }, numpy::ones({3})).compile();
  const std::shared_ptr<Executable> executable = compiled.runtime_executable();
  ASSERT_NE(executable, nullptr);
  EXPECT_EQ(executable->argument_shapes()[0].to_string(), "f32[3]");
  ASSERT_NE(executable->optimized_module(), nullptr);
  EXPECT_FALSE(executable->units().empty());
  EXPECT_EQ(executable->memory_analysis().argument_bytes, compiled.memory_analysis().argument_size_in_bytes);
}

TEST(Stages, TheExecutableOfTheIdentityIsShownToo) {
  const auto compiled = lower([](const Array& x) { return x; }, numpy::ones({3})).compile();
  EXPECT_NE(compiled.runtime_executable()->optimized_module(), nullptr);
  EXPECT_NE(compiled.as_text().find("parameter(0)"), std::string::npos);
}

TEST(Stages, ObjectsHaveAHeaderWithThePathsOfTheArguments) {
  const auto lowered = jit(apply).lower(layer(), ShapeDtypeStruct({4, 3}, float32));
  const ObjectFiles files = export_object(lowered, {.name = "net", .target = "x86-64:v3"});
  for (const char* part :
       {"int net(const float x0_0[3 * 2], const float x0_1[2], const float x1[4 * 3],", "args[0][0]"})
    EXPECT_NE(files.header.find(part), std::string::npos) << files.header;
  EXPECT_EQ(files.object.substr(1, 3), "ELF");
  EXPECT_NE(files.manifest.find("\"target\": \"x86-64:v3\""), std::string::npos);
}

TEST(Stages, ObjectsHoldCapturedArraysAndTakeUnusedArguments) {
  const Array table = numpy::arange(5, float32);
  const auto f = jit([&](const Array& x, const Array& unused) { return x + table + 0.0f * numpy::zeros_like(unused); });
  const ShapeDtypeStruct five({5}, float32);
  const ObjectFiles files = export_object(f.lower(five, five), {.name = "f"});
  EXPECT_NE(files.header.find("int f(const float x0[5], const float x1[5], float y[5], void* arena);"),
            std::string::npos)
      << files.header;
}

TEST(Stages, ObjectsOfOpsThatNeedTheLibraryAreRefused) {
  const auto f = jit([](const Array& x) { return numpy::sort(x); });
  const std::string message = error_of([&] { export_object(f.lower(ShapeDtypeStruct({900}, float32)), {.name = "f"}); },
                                       StatusCode::kUnimplemented);
  EXPECT_NE(message.find("sort"), std::string::npos) << message;
  EXPECT_NE(message.find("hilo's library"), std::string::npos) << message;
}

}  // namespace
}  // namespace hilo
