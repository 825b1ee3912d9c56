// SPDX-License-Identifier: Apache-2.0
// Reshards arrays: by copies if the host can read them, and by programs as in several processes.
#include "hilo/mesh/reshard_array.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hilo/mesh/sharded_array.h"
#include "hilo/mesh/sharded_program.h"
#include "hilo/mesh/shards.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using ReshardArray = tests::EightDevices;

Array counted(const std::vector<int64_t>& shape, ElementType type = ElementType::kF32) {
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  return numpy::astype(numpy::reshape(numpy::arange(size, ElementType::kF32), Dimensions(shape)), type);
}

std::string bits(const Array& x) {
  const Literal value = x.to_literal();
  return {reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size()};
}

std::vector<PartitionSpec> specs() {
  return {P(),         P("x"),        P("y"),        P(none, "x"),        P(none, "y"),      P("x", "y"),
          P("y", "x"), P({"x", "y"}), P({"y", "x"}), P(none, {"x", "y"}), P("x", none, "y"), P(none, none, {"y", "x"})};
}

/// Reshards by a program: the identity with another result sharding.
Array by_program(const Array& x, const NamedSharding& to) {
  return jit([](Array a) { return a; }, {.out_shardings = to})(x);
}

void expect_same(const Array& got, const Array& wanted, const NamedSharding& to) {
  EXPECT_EQ(got.sharding(), to);
  EXPECT_EQ(got.aval_shape(), wanted.aval_shape());
  EXPECT_EQ(bits(got), bits(wanted)) << to;
  for (const Shard& shard : got.addressable_shards()) {
    EXPECT_EQ(bits(shard.data), bits(wanted(shard.index[0], shard.index[1], shard.index[2])));
    EXPECT_EQ(shard.data.device(), shard.device);
  }
}

TEST_F(ReshardArray, EveryShardingBecomesEveryOther) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  const Array whole = counted({8, 16, 8});
  for (const PartitionSpec& from : specs()) {
    const Array x = device_put(whole, NamedSharding(mesh, from));
    for (const PartitionSpec& to : specs()) {
      const NamedSharding sharding(mesh, to);
      expect_same(resharded(x, sharding), whole, sharding);
      expect_same(by_program(x, sharding), whole, sharding);
    }
  }
}

TEST_F(ReshardArray, OfAllTypesAndWithoutElements) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  for (const ElementType type :
       {ElementType::kPred, ElementType::kS8, ElementType::kU16, ElementType::kF16, ElementType::kBf16,
        ElementType::kF8E4M3Fn, ElementType::kS4, ElementType::kS32, ElementType::kC64}) {
    const Array whole = counted({8, 4, 3}, type);
    const NamedSharding to(mesh, P("y", "x"));
    expect_same(resharded(device_put(whole, NamedSharding(mesh, P({"x", "y"}))), to), whole, to);
  }
  const Array empty = device_put(numpy::zeros({0, 8}), NamedSharding(mesh, P(none, "y")));
  EXPECT_EQ(resharded(empty, NamedSharding(mesh, P("x"))).to_literal().shape(), empty.aval_shape());
  const Array number = device_put(Array(3.0f), NamedSharding(mesh, P()));
  EXPECT_EQ(resharded(number, NamedSharding(make_mesh({4}, {"z"}), P())).item<float>(), 3);
}

TEST_F(ReshardArray, GoesToOtherDevicesAndOtherOrders) {
  const std::vector<DevicePtr> all = devices();
  const Array whole = counted({8, 4, 2});
  const Array x = device_put(whole, NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x", "y")));
  for (const Mesh& mesh : {Mesh({all[7], all[2]}, {"z"}), Mesh({all.rbegin(), all.rend()}, {"z"}),
                           Mesh({all[3], all[0], all[2], all[1]}, {"z"})}) {
    const NamedSharding to(mesh, P("z"));
    expect_same(resharded(x, to), whole, to);
  }
}

TEST_F(ReshardArray, KeepsTheOldOneAndItsWeakType) {
  const Mesh mesh = make_mesh({8}, {"i"});
  const Array x = with_weak_type(device_put(counted({8, 8, 1}), NamedSharding(mesh, P("i"))), true);
  const Array turned = resharded(x, NamedSharding(mesh, P(none, "i")));
  EXPECT_TRUE(turned.weak_type());
  EXPECT_EQ(bits(x), bits(turned));
  const auto eat = jit([](Array a) { return a + 1.0f; }, {.donate_argnums = {0}});
  eat(turned);
  EXPECT_EQ(bits(x), bits(counted({8, 8, 1})));
}

TEST_F(ReshardArray, RefusesWhatDoesNotFit) {
  const Mesh mesh = make_mesh({8}, {"i"});
  const Array x = device_put(counted({8, 6}), NamedSharding(mesh, P("i")));
  EXPECT_THROW(resharded(x, NamedSharding(mesh, P(none, "i"))), IndivisibleError);
}

/// Processes share no host memory, so they run a program. It gathers no array unnecessarily.
TEST_F(ReshardArray, ProgramsSendNoMoreThanPartsThatChangeHands) {
  const Mesh mesh = make_mesh({8}, {"i"});
  const NamedSharding rows(mesh, P("i")), columns(mesh, P(none, "i"));
  const auto turn = jit([](Array a) { return a; }, {.in_shardings = rows, .out_shardings = columns});
  const std::string text = turn.lower(counted({16, 32})).compile().as_text();
  EXPECT_NE(text.find("all-to-all"), std::string::npos) << text;
  EXPECT_EQ(text.find("all-gather"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
