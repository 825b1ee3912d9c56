// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/shard_map.h"

#include <gtest/gtest.h>

#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
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

Array counted(std::vector<int64_t> shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return numpy::reshape(numpy::arange(size, ElementType::kF32), Dimensions(shape));
}

class ShardMap : public tests::EightDevices {
 protected:
  void SetUp() override {
    EightDevices::SetUp();
    row.emplace(make_mesh({4}, {"x"}));
    grid.emplace(make_mesh({2, 4}, {"x", "y"}));
  }
  void TearDown() override {
    row.reset();
    grid.reset();
    EightDevices::TearDown();
  }
  std::optional<Mesh> row, grid;
};

TEST_F(ShardMap, TheBodySeesItsPart) {
  std::string seen;
  const auto f = shard_map(
      [&](Array x, Array w) {
        seen = x.aval_shape().to_string() + w.aval_shape().to_string();
        return x * 2.0f + w;
      },
      *grid, {P("y", "x"), P()}, P("y", "x"));
  const Array got = f(counted({8, 4}), 1.0f);
  EXPECT_EQ(seen, "f32[2,2]f32[]");
  EXPECT_EQ(flat(got), flat(counted({8, 4}) * 2.0f + 1.0f));
  EXPECT_EQ(got.sharding(), NamedSharding(*grid, P("y", "x")));
}

TEST_F(ShardMap, TakesItsArgumentsByJaxsNames) {
  const auto f =
      shard_map([](Array x) { return lax::psum(x, "x"); }, {.mesh = *row, .in_specs = P("x"), .out_specs = P()});
  EXPECT_EQ(flat(f(counted({8}))), flat(numpy::sum(counted({4, 2}), 0)));
}

TEST_F(ShardMap, SumsMeansAndExtremesOverAnAxis) {
  const Array x = Array::from_vector(Floats{1, 2, 4, 8, 3, -1, 0, 5}, {8});  // shards: {1,2} {4,8} {3,-1} {0,5}
  const auto over = [&](auto f) { return flat(shard_map(f, *row, P("x"), P())(x)); };
  EXPECT_EQ(over([](Array x) { return lax::psum(x, "x"); }), (Floats{8, 14}));
  EXPECT_EQ(over([](Array x) { return lax::pmean(x, "x"); }), (Floats{2, 3.5f}));
  EXPECT_EQ(over([](Array x) { return lax::pmax(x, "x"); }), (Floats{4, 8}));
  EXPECT_EQ(over([](Array x) { return lax::pmin(x, "x"); }), (Floats{0, -1}));
}

TEST_F(ShardMap, GathersScattersAndExchanges) {
  const Array x = counted({8});
  const auto in_parts = [&](auto f) { return flat(shard_map(f, *row, P("x"), P("x"))(x)); };
  EXPECT_EQ(in_parts([](Array x) { return lax::all_gather(x, "x", {.tiled = true}); }).size(), 32U);
  EXPECT_EQ(flat(shard_map([](Array x) { return lax::all_gather(x, "x", {.tiled = true}); }, *row, P("x"), P())(x)),
            flat(x));
  const Array stacked = shard_map([](Array x) { return lax::all_gather(x, "x", 1); }, *row, P("x"), P())(x);
  EXPECT_EQ(flat(stacked), (Floats{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(in_parts([](Array x) { return lax::ppermute(x, "x", {{0, 1}, {1, 2}, {3, 0}}); }),
            (Floats{6, 7, 0, 1, 2, 3, 0, 0}));  // no device sends to 3
  EXPECT_EQ(in_parts([](Array x) { return lax::pshuffle(x, "x", {3, 2, 1, 0}); }), (Floats{6, 7, 4, 5, 2, 3, 0, 1}));
  EXPECT_EQ(in_parts([](Array x) { return x * 0.0f + lax::axis_index("x"); }), (Floats{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(in_parts([](Array x) { return lax::pbroadcast(x, "x", 2); }), (Floats{4, 5, 4, 5, 4, 5, 4, 5}));
  const Array square = counted({4, 4});
  const auto rows = [&](auto f) { return flat(shard_map(f, *row, P("x"), P("x"))(square)); };
  EXPECT_EQ(rows([](Array x) { return lax::all_to_all(x, "x", 1, 0, {.tiled = true}).T(); }),
            // Row j of each device is column j of the whole.
            (Floats{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
  EXPECT_EQ(rows([](Array x) { return lax::all_to_all(x.reshape(4, 1), "x", 0, 0).reshape(1, 4); }),
            (Floats{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
  EXPECT_EQ(rows([](Array x) { return lax::psum_scatter(x[0], "x", {.tiled = true}); }), (Floats{24, 28, 32, 36}));
  EXPECT_EQ(rows([](Array x) { return lax::psum_scatter(x[0], "x").reshape({1}); }), (Floats{24, 28, 32, 36}));
}

TEST_F(ShardMap, SpeaksAlongSeveralAxesAsOne) {
  const Array x = counted({8});
  const PartitionSpec both = P({"x", "y"});
  const auto in_parts = [&](auto f) { return flat(shard_map(f, *grid, both, both)(x)); };
  EXPECT_EQ(flat(shard_map([](Array x) { return lax::psum(x, {"x", "y"}); }, *grid, both, P())(x)), Floats{28});
  EXPECT_EQ(flat(shard_map([](Array x) { return lax::pmean(x, {"x", "y"}); }, *grid, both, P())(x)), Floats{3.5f});
  EXPECT_EQ(in_parts([](Array x) { return x * 0.0f + lax::axis_index({"x", "y"}); }), flat(x));
  EXPECT_EQ(in_parts([](Array x) { return x * 0.0f + lax::axis_index({"y", "x"}); }), (Floats{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(
      flat(shard_map([](Array x) { return lax::all_gather(x, {"x", "y"}, {.tiled = true}); }, *grid, both, P())(x)),
      flat(x));
  EXPECT_EQ(in_parts([](Array x) { return lax::ppermute(x, {"x", "y"}, {{0, 7}, {7, 0}, {3, 4}}); }),
            (Floats{7, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(in_parts([](Array x) {
              return lax::psum_scatter(numpy::arange(8, ElementType::kF32) + x, {"x", "y"}, {.tiled = true});
            }),
            (Floats{28, 36, 44, 52, 60, 68, 76, 84}));
  EXPECT_EQ(flat(shard_map([](Array x) { return lax::psum(x, "y"); }, *grid, both, P("x"))(x)), (Floats{6, 22}));
  EXPECT_EQ(flat(shard_map([](Array x) { return lax::psum(x, "x"); }, *grid, both, P("y"))(x)), (Floats{4, 6, 8, 10}));
}

/// The collectives of a program, in order.
std::string collectives_in(const std::string& text) {
  std::string found;
  for (const std::string name : {"all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective-permute"}) {
    for (size_t at = text.find(" " + name + "("); at != std::string::npos; at = text.find(" " + name + "(", at + 1))
      found += name + ";";
  }
  return found;
}

/// `f`, sharded along x by rows of f32[8,8], compiled.
template <typename F>
std::string sent_by(const F& f, const Mesh& mesh, const PartitionSpec& in = P("x"), const PartitionSpec& out = P("x")) {
  return collectives_in(shard_map(f, mesh, in, out).lower(ShapeDtypeStruct({8, 8}, float32)).compile().as_text());
}

TEST_F(ShardMap, CollectivesAreThoseOfTheDevices) {
  EXPECT_EQ(sent_by([](Array x) { return lax::psum(x, "x"); }, *row, P("x"), P()), "all-reduce;");
  EXPECT_EQ(sent_by([](Array x) { return lax::all_gather(x, "x", {.tiled = true}); }, *row, P("x"), P()),
            "all-gather;");
  EXPECT_EQ(sent_by([](Array x) { return lax::psum_scatter(x, "x", {.scatter_dimension = 1, .tiled = true}); }, *row),
            "reduce-scatter;");
  EXPECT_EQ(sent_by([](Array x) { return lax::all_to_all(x, "x", 1, 0, {.tiled = true}); }, *row), "all-to-all;");
  const auto sends = [](std::vector<std::pair<int64_t, int64_t>> pairs) {
    return [pairs = std::move(pairs)](Array x) { return lax::ppermute(x, "x", pairs); };
  };
  EXPECT_EQ(sent_by(sends({{0, 1}, {1, 2}, {2, 3}, {3, 0}}), *row), "collective-permute;");
  EXPECT_EQ(sent_by(sends({{0, 1}, {1, 2}, {2, 3}}), *row), "collective-permute;");
  EXPECT_EQ(sent_by(sends({{0, 1}, {1, 0}, {2, 3}, {3, 2}}), *row), "collective-permute;");
  EXPECT_EQ(sent_by(sends({{3, 1}}), *row), "collective-permute;");
  EXPECT_EQ(sent_by(sends({{0, 0}, {2, 2}}), *row), "");
  // Along one of two axes, and along both combined: in a ring of eight, the ends of rows need two hops.
  EXPECT_EQ(sent_by([](Array x) { return lax::ppermute(x, "y", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); }, *grid, P("x", "y"),
                    P("x", "y")),
            "collective-permute;");
  std::vector<std::pair<int64_t, int64_t>> ring;
  for (int64_t i = 0; i < 8; ++i) ring.emplace_back(i, (i + 1) % 8);
  EXPECT_EQ(sent_by([&](Array x) { return lax::ppermute(x, {"x", "y"}, ring); }, *grid, P({"x", "y"}), P({"x", "y"})),
            "collective-permute;collective-permute;collective-permute;");
  EXPECT_EQ(sent_by([](Array x) { return lax::psum_scatter(x, "y", {.scatter_dimension = 1, .tiled = true}); }, *grid,
                    P("y"), P(none, "y")),
            "reduce-scatter;");
}

TEST_F(ShardMap, LoopsSendToNeighboursAlone) {
  const auto around = [](Array x) {
    return lax::fori_loop(
        0, 4, [](Array, Array a) { return lax::ppermute(a, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}) + a; }, x);
  };
  EXPECT_EQ(sent_by(around, *row), "collective-permute;");
  const Array x = noise(3, {8, 8});
  Array wanted = x;
  for (int i = 0; i < 4; ++i) wanted = numpy::roll(wanted, 2, 0) + wanted;
  EXPECT_EQ(flat(shard_map(around, *row, P("x"), P("x"))(x)), flat(wanted));
}

TEST_F(ShardMap, GradientsSendAsMuch) {
  const auto loss = [&](auto f) {
    return grad([f, this](Array x) { return numpy::sum(numpy::square(shard_map(f, *row, P("x"), P("x"))(x))); });
  };
  const auto sent = [&](auto f) {
    const NamedSharding rows(*row, P("x"));
    return collectives_in(jit(loss(f), {.in_shardings = rows, .out_shardings = rows})
                              .lower(ShapeDtypeStruct({8, 8}, float32))
                              .compile()
                              .as_text());
  };
  // The ring sends its slices back one after the other: the same number of bytes, one more message.
  EXPECT_EQ(sent([](Array x) { return lax::ppermute(x * x, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); }),
            "collective-permute;collective-permute;collective-permute;");
  EXPECT_EQ(sent([](Array x) { return lax::psum_scatter(x * x, "x", {.scatter_dimension = 1, .tiled = true}); }),
            "all-gather;reduce-scatter;");
  EXPECT_EQ(sent([](Array x) { return lax::all_to_all(x * x, "x", 1, 0, {.tiled = true}); }), "all-to-all;all-to-all;");
}

/// Bits are exchanged unchanged, including NaN payloads.
TEST_F(ShardMap, EveryTypeIsExchangedBitForBit) {
  const auto bits = [](const Array& x) {
    const Literal value = x.to_literal();
    return std::string(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
  };
  for (const ElementTypeInfo& info : kElementTypes) {
    const ElementType type = info.type;
    if (!is_array_type(type) || canonical_type(type) != type) continue;
    const Array x = numpy::astype(counted({8, 4}) * 7.0f - 20.0f, type);
    const auto same = [&](auto f, const Array& wanted) {
      EXPECT_EQ(bits(shard_map(f, *row, P("x"), P("x"))(x)), bits(wanted)) << element_type_name(type);
    };
    same([](Array a) { return lax::ppermute(a, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); }, numpy::roll(x, 2, 0));
    same([](Array a) { return lax::all_to_all(a, "x", 1, 1, {.tiled = true}); },
         numpy::reshape(numpy::transpose(numpy::reshape(x, {4, 2, 4}), {2, 1, 0}), {8, 4}));
    same([](Array a) { return lax::all_gather(a, "x", {.tiled = true}); }, numpy::tile(x, {4, 1}));
  }
}

TEST_F(ShardMap, AMatmulWhoseTermsAreShared) {
  const Array a = noise(1, {8, 16}), b = noise(2, {16, 4});
  const auto product = shard_map([](Array a, Array b) { return lax::psum(numpy::matmul(a, b), "y"); }, *grid,
                                 {P("x", "y"), P("y")}, P("x"));
  expect_close(product(a, b), numpy::matmul(a, b));
  const auto scattered = shard_map(
      [](Array a, Array b) {
        return lax::psum_scatter(numpy::matmul(a, b), "y", {.scatter_dimension = 1, .tiled = true});
      },
      *grid, {P("x", "y"), P("y")}, P("x", "y"));
  expect_close(scattered(a, b), numpy::matmul(a, b));
}

TEST_F(ShardMap, UnderJitAndOnSharedArguments) {
  const Array x = noise(1, {8, 4});
  const auto centred =
      shard_map([](Array x) { return x - lax::pmean(numpy::mean(x), {"x", "y"}); }, *grid, P("x", "y"), P("x", "y"));
  const Array wanted = x - numpy::mean(x);
  expect_close(centred(x), wanted);
  expect_close(jit([&](Array x) { return centred(numpy::sin(x)) * 2.0f; })(x),
               (numpy::sin(x) - numpy::mean(numpy::sin(x))) * 2.0f);
  expect_close(centred(device_put(x, NamedSharding(*grid, P("y")))), wanted);
}

TEST_F(ShardMap, GradientsGoThrough) {
  const Array x = noise(1, {8, 4}), w = noise(2, {4});
  const auto loss = [&](Array w, Array x) {
    return shard_map([](Array w, Array x) { return lax::psum(numpy::sum(numpy::tanh(numpy::matmul(x, w))), "x"); },
                     *row, {P(), P("x")}, P())(w, x);
  };
  const auto plain = [](Array w, Array x) { return numpy::sum(numpy::tanh(numpy::matmul(x, w))); };
  expect_close(loss(w, x), plain(w, x));
  expect_close(grad<0>(loss)(w, x), grad<0>(plain)(w, x));
  expect_close(jit(grad<0>(loss))(w, x), grad<0>(plain)(w, x));
  expect_close(grad<1>(loss)(w, x), grad<1>(plain)(w, x));
  const auto shifted = [&](Array x) {
    const auto f = shard_map([](Array x) { return x * lax::ppermute(x, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); }, *row,
                             P("x"), P("x"));
    return numpy::sum(f(x));
  };
  const auto rolled = [](Array x) { return numpy::sum(x * numpy::roll(x, 2, 0)); };
  expect_close(grad(shifted)(x), grad(rolled)(x));
}

TEST_F(ShardMap, IsBatched) {
  const Array x = noise(1, {3, 8, 2});
  const auto f = shard_map([](Array x) { return x - lax::pmean(x, "x"); }, *row, P("x"), P("x"));
  const auto plain = [](Array x) {
    const Array parts = x.reshape(4, 2, 2);
    return (parts - numpy::mean(parts, {.axis = 0, .keepdims = true})).reshape(8, 2);
  };
  expect_close(vmap(f)(x), vmap(plain)(x));
  expect_close(jit(vmap(f))(x), vmap(plain)(x));
  expect_close(vmap(grad([&](Array x) { return numpy::sum(f(x) * x); }))(x),
               vmap(grad([&](Array x) { return numpy::sum(plain(x) * x); }))(x));
}

TEST_F(ShardMap, LoopsInsideSpeak) {
  const Array x = counted({4});
  const auto f = shard_map(
      [](Array x) {
        return lax::fori_loop(
            0, 3, [](Array, Array v) { return lax::ppermute(v, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}) + 1.0f; }, x);
      },
      *row, P("x"), P("x"));
  EXPECT_EQ(flat(f(x)), (Floats{4, 5, 6, 3}));
}

TEST_F(ShardMap, TreesOfArgumentsAndResults) {
  struct Pair {
    Array a, b;
  };
  const auto f =
      shard_map([](Pair p, Array s) { return std::tuple(Pair{p.a * s, p.b + 1.0f}, lax::psum(numpy::sum(p.a), "x")); },
                *row, {P("x"), P()}, {P("x"), P()});
  const auto [pair, sum] = f(Pair{counted({4}), counted({8})}, 2.0f);
  EXPECT_EQ(flat(pair.a), (Floats{0, 2, 4, 6}));
  EXPECT_EQ(flat(pair.b), flat(counted({8}) + 1.0f));
  EXPECT_EQ(sum.item<float>(), 6);
}

TEST_F(ShardMap, OtherAxesStayWithPropagation) {
  const Array x = noise(1, {8, 4}), w = noise(2, {4, 8});
  const auto f = shard_map([](Array x, Array w) { return numpy::matmul(x, w); }, *grid, {P("x"), P()}, P("x"),
                           {.axis_names = {"x"}});
  const Array got = f(x, device_put(w, NamedSharding(*grid, P(none, "y"))));
  expect_close(got, numpy::matmul(x, w));
  EXPECT_TRUE(got.sharding().is_equivalent_to(NamedSharding(*grid, P("x", "y")), 2)) << got.sharding();
}

TEST_F(ShardMap, RefusesAResultThatVariesWhereItsSpecSaysItDoesNot) {
  const Array x = counted({8});
  const auto varies = [](Array x) { return x * 2.0f; };
  const std::string error = error_of([&] { shard_map(varies, *row, P("x"), P())(x); }, StatusCode::kInvalidArgument);
  EXPECT_TRUE(has(error, "out_specs require replication which can't be statically inferred")) << error;
  EXPECT_TRUE(has(error, "mesh axis 'x'") && has(error, "check_vma") && has(error, "shard_map_test.cc:")) << error;
  EXPECT_EQ(flat(shard_map(varies, *row, P("x"), P(), {.check_vma = false})(x)), (Floats{0, 2}));
  // A value that doesn't vary may be declared replicated: each device returns the same value.
  EXPECT_EQ(flat(shard_map([](Array) { return numpy::ones({1}); }, *row, P("x"), P("x"))(x)), Floats(4, 1));
}

TEST_F(ShardMap, RefusesWhatDoesNotFit) {
  const auto same = [](Array x) { return x; };
  const auto refusal = [&](const SpecList& in, const SpecList& out, const Array& x, ShardMapOptions options = {}) {
    return error_of([&] { shard_map(same, *grid, in, out, options)(x); }, StatusCode::kInvalidArgument);
  };
  EXPECT_TRUE(
      has(refusal(P("y"), P("y"), counted({6})), "array axis 0 is partitioned 4 times, but the dimension size is 6"));
  EXPECT_TRUE(has(refusal(P(none, "y"), P(), counted({8})), "for values of rank at least 2; got f32[8]"));
  EXPECT_TRUE(has(refusal(P("z"), P(), counted({8})), "Resource axis: z"));
  EXPECT_TRUE(has(refusal({P(), P()}, P(), counted({8})), "in_specs must have one entry or one each: got 2 for 1"));
  EXPECT_TRUE(has(refusal(P(), {P(), P()}, counted({8})), "out_specs must have one entry or one each: got 2 for 1"));
  EXPECT_TRUE(has(refusal(P("y"), P("y"), counted({8}), {.axis_names = {"x"}}), "refers to 'y'"));
  EXPECT_TRUE(has(refusal(P(), P(), counted({8}), {.axis_names = {"w"}}), "has no axis 'w'"));
  EXPECT_TRUE(has(error_of([&] { shard_map([](Array x) { return lax::psum(x, "w"); }, *grid, P(), P())(counted({8})); },
                           StatusCode::kInvalidArgument),
                  "unbound axis name: w"));
}

TEST_F(ShardMap, IsTracedOnceForOneKindOfArguments) {
  int traces = 0;
  const auto f = shard_map(
      [&](Array x) {
        ++traces;
        return lax::psum(x, "x");
      },
      *row, P("x"), P());
  for (int i = 0; i < 3; ++i) f(counted({8}) + static_cast<float>(i));
  EXPECT_EQ(traces, 1);
}

}  // namespace
}  // namespace hilo
