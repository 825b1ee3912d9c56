// SPDX-License-Identifier: Apache-2.0
// Programs and operations on sharded arrays: values, shardings of results, errors.
#include "hilo/mesh/sharded_program.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hilo/lax/control_flow.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/shard_map.h"
#include "hilo/transform/vmap.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"
#include "tests/support/noise.h"

namespace hilo {
namespace {

using tests::expect_close;
using tests::flat;
using tests::noise;
using Floats = std::vector<float>;

class SharedPrograms : public tests::EightDevices {
 protected:
  void SetUp() override {
    EightDevices::SetUp();
    mesh.emplace(make_mesh({2, 4}, {"x", "y"}));
  }
  void TearDown() override {
    mesh.reset();
    EightDevices::TearDown();
  }
  NamedSharding over(const PartitionSpec& spec) const { return NamedSharding(*mesh, spec); }
  Array put(const Array& x, const PartitionSpec& spec) const { return device_put(x, over(spec)); }
  std::optional<Mesh> mesh;
};

TEST_F(SharedPrograms, MatmulByRowsColumnsAndContracting) {
  const Array a = noise(1, {16, 8}), b = noise(2, {8, 12});
  const Array wanted = numpy::matmul(a, b);
  const auto product = jit([](Array a, Array b) { return numpy::matmul(a, b); });
  struct Case {
    PartitionSpec a, b, result;
  };
  for (const Case& c :
       {Case{P("y"), P(), P("y", none)}, Case{P(), P(none, "y"), P(none, "y")}, Case{P("x"), P(none, "y"), P("x", "y")},
        Case{P(none, "y"), P("y"), P(none, none)}, Case{P("x", "y"), P("y"), P("x", none)}}) {
    const Array got = product(put(a, c.a), put(b, c.b));
    expect_close(got, wanted);
    EXPECT_EQ(got.sharding(), over(c.result)) << c.a << " " << c.b << " gave " << got.sharding();
  }
}

TEST_F(SharedPrograms, OperationsFollowTheirOperands) {
  const Array x = noise(1, {8, 4});
  const Array shared = put(x, P("y", "x"));
  const Array sum = numpy::sin(shared) + 1.0f;
  expect_close(sum, numpy::sin(x) + 1.0f);
  EXPECT_TRUE(sum.sharding().is_equivalent_to(shared.sharding(), 2));
  expect_close(numpy::sum(shared, {.axis = 0}), numpy::sum(x, {.axis = 0}));
  expect_close(shared.T(), x.T());
  EXPECT_TRUE(shared.T().sharding().is_equivalent_to(over(P("x", "y")), 2));
  expect_close(shared + x, x + x);  // x isn't committed, so it is moved to the mesh
}

TEST_F(SharedPrograms, WhatIsNotCommittedFollows) {
  const Array x = noise(1, {8, 4}), w = noise(2, {8, 4});
  const auto f = jit([&w](Array x, Array b) { return numpy::sum(x * w + b); });
  expect_close(f(put(x, P("x")), 2.0f), f(x, 2.0f));
  expect_close(f(put(x, P("y")), put(w, P(none, "x"))), f(x, w), 1e-5f);
}

TEST_F(SharedPrograms, InAndOutShardingsAreExact) {
  const Array x = noise(1, {8, 4});
  const auto f = jit([](Array x, Array y) { return std::pair(x * 2.0f, numpy::sum(y)); },
                     {.in_shardings = {over(P("y")), none}, .out_shardings = {over(P(none, "x")), none}});
  const auto [doubled, sum] = f(x, x);
  EXPECT_EQ(flat(doubled), flat(x * 2.0f));
  EXPECT_EQ(doubled.sharding(), over(P(none, "x")));
  expect_close(sum, numpy::sum(x));
  const auto g = jit([](Array x) { return x + 1.0f; }, {.in_shardings = over(P("x"))});
  EXPECT_TRUE(g(x).sharding().is_equivalent_to(over(P("x")), 2));
}

TEST_F(SharedPrograms, ConstraintsHoldInsideAndOutside) {
  const Array x = noise(1, {8, 4});
  EXPECT_EQ(with_sharding_constraint(x, over(P("x", "y"))).sharding(), over(P("x", "y")));
  const auto f = jit([&](Array x) { return with_sharding_constraint(x * 2.0f, over(P("y"))) + 1.0f; });
  EXPECT_EQ(flat(f(x)), flat(x * 2.0f + 1.0f));
  EXPECT_TRUE(f(x).sharding().is_equivalent_to(over(P("y")), 2)) << f(x).sharding();
  // A dimension that the number of devices doesn't divide is replicated.
  const auto g = jit([&](Array x) { return with_sharding_constraint(x, over(P(none, "y"))) * 1.0f; });
  EXPECT_EQ(flat(g(noise(1, {8, 6}))), flat(noise(1, {8, 6})));
}

TEST_F(SharedPrograms, DerivativesAndBatchesKeepConstraints) {
  const Array x = noise(1, {8, 4});
  const auto f = [&](Array x) {
    return numpy::sum(numpy::square(with_sharding_constraint(numpy::sin(x), over(P("y", none)))));
  };
  const auto plain = [](Array x) { return numpy::sum(numpy::square(numpy::sin(x))); };
  expect_close(jit(grad(f))(x), grad(plain)(x));
  expect_close(grad(f)(x), grad(plain)(x));
  EXPECT_TRUE(jit(grad(f))(x).sharding().is_equivalent_to(over(P("y")), 2));
  const auto [value, tangent] = jvp(f, std::tuple(x), std::tuple(x));
  const auto [plain_value, plain_tangent] = jvp(plain, std::tuple(x), std::tuple(x));
  expect_close(tangent, plain_tangent, 1e-5f);
  const Array batch = noise(3, {6, 8, 4});
  const auto rows = [&](Array x) { return with_sharding_constraint(x, over(P("y"))) * 3.0f; };
  expect_close(jit(vmap(rows))(batch), batch * 3.0f);
  const Array named = jit(vmap(rows, {.spmd_axis_name = "x"}))(batch);
  expect_close(named, batch * 3.0f);
  EXPECT_TRUE(named.sharding().is_equivalent_to(over(P("x", "y")), 3)) << named.sharding();
  EXPECT_THROW(jit(vmap(rows, {.spmd_axis_name = "y"}))(batch), DuplicateSpecError);
}

TEST_F(SharedPrograms, LoopsAndBranchesRunShared) {
  const Array x = noise(1, {8, 4});
  const auto f = jit([](Array x) {
    const auto step = [](Array carry, Array row) { return std::pair(carry + row, numpy::sum(carry * row)); };
    auto [carry, sums] = lax::scan(step, x[0], x);
    return std::tuple(lax::cond(
                          numpy::sum(x) > 0, [](Array c) { return c * 2.0f; }, [](Array c) { return c - 1.0f; }, carry),
                      sums, lax::fori_loop(0, 5, [](Array, Array v) { return numpy::sin(v); }, x));
  });
  const auto [a, b, c] = f(x);
  for (const PartitionSpec& spec : {P("x"), P(none, "y"), P("y", "x")}) {
    const auto [a1, b1, c1] = f(put(x, spec));
    expect_close(a1, a);
    expect_close(b1, b);
    expect_close(c1, c);
  }
}

TEST_F(SharedPrograms, NestedJitsAndGradientsOfSharedArguments) {
  const Array x = noise(1, {16, 8}), w = noise(2, {8, 4});
  const auto layer = jit([](Array x, Array w) { return numpy::tanh(numpy::matmul(x, w)); });
  const auto loss = [&](Array w, Array x) { return numpy::mean(numpy::square(layer(x, w))); };
  const Array wanted = grad(loss)(w, x);
  expect_close(jit(grad(loss))(put(w, P(none, "x")), put(x, P("y"))), wanted);
  expect_close(grad(loss)(put(w, P(none, "x")), put(x, P("y"))), wanted);
}

TEST_F(SharedPrograms, DonatedArgumentsAreGone) {
  const Array x = put(noise(1, {8, 4}), P("x"));
  const Floats before = flat(x);
  const auto f = jit([](Array x) { return x + 1.0f; }, {.donate_argnums = {0}});
  const Floats after = flat(f(x));
  for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], before[i] + 1.0f);
  EXPECT_TRUE(has(error_of([&] { x.to_literal(); }, StatusCode::kInvalidArgument), "donated"));
  EXPECT_TRUE(has(error_of([&] { device_put(x, devices()[0]); }, StatusCode::kInvalidArgument), "donated"));
}

TEST_F(SharedPrograms, DonatedArgumentsThatLieOtherwiseAreGoneToo) {
  const Array x = noise(1, {8, 4});
  const auto f =
      jit([&](Array x) { return with_sharding_constraint(x, over(P("y"))) + 1.0f; }, {.donate_argnums = {0}});
  f(x);
  EXPECT_TRUE(has(error_of([&] { x.to_literal(); }, StatusCode::kInvalidArgument), "deleted"));
}

TEST_F(SharedPrograms, ATracerWithoutAValueHasNoSharding) {
  const auto f = jit([](Array x) { return x.sharding().is_fully_replicated() ? x : x * 2.0f; });
  EXPECT_THROW(f(put(noise(1, {8}), P("x"))), ConcretizationError);
  const auto g = [](Array x) { return numpy::sum(x) * static_cast<float>(x.sharding().parts(0)); };
  EXPECT_EQ(grad(g)(put(noise(1, {4}), P("x"))).to_vector<float>(), Floats(4, 2.0f));
}

TEST_F(SharedPrograms, BadValuesAreFound) {
  const auto scope = debug_nans(true);
  const Array x = put(noise(1, {8}) - 2.0f, P("x"));
  const auto error = [](auto f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_TRUE(has(error([&] { numpy::log(x); }), "log"));
  EXPECT_TRUE(has(error([&] { jit([](Array x) { return numpy::log(x) + 1.0f; })(x); }), "log"));
  const auto taking = jit([](Array x) { return numpy::log(x) + 1.0f; }, {.donate_argnums = {0}});
  EXPECT_TRUE(has(error([&] { taking(x); }), "log"));
  const auto f = shard_map([](Array x) { return numpy::log(x) * 2.0f; }, *mesh, P("x"), P("x"));
  EXPECT_TRUE(has(error([&] { f(x); }), "log"));
  EXPECT_TRUE(has(error([&] { grad([&](Array x) { return numpy::sum(f(x)); })(x); }), "log"));
}

TEST_F(SharedPrograms, ANewShardingIsANewProgramAndAnOldOneIsNot) {
  int traces = 0;
  const auto f = jit([&](Array x) {
    ++traces;
    return x * 2.0f;
  });
  const Array x = noise(1, {8, 4});
  for (int i = 0; i < 3; ++i) {
    f(put(x, P("x")));
    f(put(x, P("y")));
    f(x);
  }
  EXPECT_EQ(traces, 1);
}

TEST_F(SharedPrograms, ATrainingStepIsTheSameShared) {
  struct Weights {
    Array w1, b1, w2;
  };
  const Weights start = {noise(1, {8, 16}), noise(2, {16}), noise(3, {16, 4})};
  const Array x = noise(4, {32, 8}), y = noise(5, {32, 4});
  const auto loss = [](const Weights& p, Array x, Array y) {
    return numpy::mean(numpy::square(numpy::matmul(numpy::tanh(numpy::matmul(x, p.w1) + p.b1), p.w2) - y));
  };
  const auto step = jit([&](Weights p, Array x, Array y) {
    const Weights g = grad(loss)(p, x, y);
    return Weights{p.w1 - 0.1f * g.w1, p.b1 - 0.1f * g.b1, p.w2 - 0.1f * g.w2};
  });
  const auto train = [&](Weights p, const Array& x, const Array& y) {
    for (int i = 0; i < 4; ++i) p = step(p, x, y);
    return p;
  };
  const Weights wanted = train(start, x, y);
  const auto check = [&](const Weights& got) {
    expect_close(got.w1, wanted.w1);
    expect_close(got.b1, wanted.b1);
    expect_close(got.w2, wanted.w2);
  };
  check(train(start, put(x, P({"x", "y"})), put(y, P({"x", "y"}))));  // data parallel
  const Weights by_tensor = {put(start.w1, P(none, "y")), put(start.b1, P("y")), put(start.w2, P("y"))};
  const Weights got = train(by_tensor, put(x, P("x")), put(y, P("x")));
  check(got);
  EXPECT_TRUE(got.w1.sharding().is_equivalent_to(over(P(none, "y")), 2)) << got.w1.sharding();
}

TEST_F(SharedPrograms, RefusesOtherDevicesAndNamesBoth) {
  const Array x = noise(1, {8, 4});
  const auto f = jit([](Array a, Array b) { return a + b; });
  const Mesh four = make_mesh({4}, {"z"});
  const std::string error =
      error_of([&] { f(put(x, P("x")), device_put(x, NamedSharding(four, P("z")))); }, StatusCode::kInvalidArgument);
  EXPECT_TRUE(has(error, "Received incompatible devices for jitted computation"));
  EXPECT_TRUE(has(error, "argument 1 with shape f32[8,4] and device ids [0, 1, 2, 3] on platform Host")) << error;
  EXPECT_TRUE(has(error, "argument 0 with shape f32[8,4] with device ids [0, 1, 2, 3, 4, 5, 6, 7]")) << error;
  EXPECT_TRUE(has(error_of([&] { f(put(x, P("x")), device_put(x, devices()[1])); }, StatusCode::kInvalidArgument),
                  "device ids [1] on platform Host"));
  const auto g = jit([](Array a) { return a; }, {.in_shardings = over(P("x"))});
  EXPECT_TRUE(has(error_of([&] { g(put(x, P("y"))); }, StatusCode::kInvalidArgument),
                  "Sharding passed to jit does not match the sharding on the respective arg"));
  EXPECT_THROW(g(noise(1, {7, 4})), IndivisibleError);
  EXPECT_TRUE(has(error_of([&] { g(noise(1, {7, 4})); }, StatusCode::kInvalidArgument), "sharded_program_test.cc:"));
  EXPECT_TRUE(has(error_of([&] { jit([](Array a) { return a; }, {.in_shardings = {none, none}})(x); },
                           StatusCode::kInvalidArgument),
                  "must have one entry or one each: got 2 for 1"));
}

TEST_F(SharedPrograms, RunOnDevicesInAnyOrder) {
  const std::vector<DevicePtr> all = devices();
  const Mesh odd({all[6], all[1], all[3], all[4]}, {"z"});
  const Array x = noise(1, {8, 4});
  const Array got = jit([](Array x) { return numpy::sum(numpy::sin(x), {.axis = 0}) + x; })(
      device_put(x, NamedSharding(odd, P("z"))));
  expect_close(got, numpy::sum(numpy::sin(x), {.axis = 0}) + x);
  EXPECT_EQ(got.addressable_shards()[0].device, all[6]);
}

}  // namespace
}  // namespace hilo
