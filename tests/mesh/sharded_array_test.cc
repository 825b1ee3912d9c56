// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharded_array.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "hilo/array/dlpack.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "hilo/tree/device_put.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using ShardedArrays = tests::EightDevices;
using Floats = std::vector<float>;

template <typename F>
std::string refusal(F&& f) {
  return error_of(std::forward<F>(f), StatusCode::kInvalidArgument);
}

Array counted(std::vector<int64_t> shape) {
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  return numpy::reshape(numpy::arange(size, ElementType::kF32), Dimensions(shape));
}

Floats flat(const Array& x) { return x.to_vector<float>(); }

TEST_F(ShardedArrays, ReadingGathers) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  const Array x = counted({4, 8});
  for (const PartitionSpec& spec : {P(), P("x"), P("y"), P(none, "y"), P("x", "y"), P("y", "x"), P(none, {"x", "y"}),
                                    P(none, {"y", "x"}), P("x", none)}) {
    const Array shared = device_put(x, NamedSharding(mesh, spec));
    EXPECT_EQ(flat(shared), flat(x)) << spec;
    EXPECT_TRUE(shared.to_literal().identical(x.to_literal())) << spec;
    EXPECT_EQ(shared.to_string(), x.to_string()) << spec;
    EXPECT_EQ(shared.aval_shape(), x.aval_shape()) << spec;
  }
}

TEST_F(ShardedArrays, EachDeviceHasItsPart) {
  const NamedSharding sharding(make_mesh({2, 4}, {"x", "y"}), P(none, "x"));
  const Array x = device_put(counted({2, 4}), sharding);
  EXPECT_EQ(x.sharding(), sharding);
  EXPECT_FALSE(x.is_fully_replicated());
  EXPECT_TRUE(x.is_fully_addressable());
  const std::vector<Shard> shards = x.addressable_shards();
  ASSERT_EQ(shards.size(), 8U);
  EXPECT_EQ(flat(shards[5].data), (Floats{2, 3, 6, 7}));  // x=1, y=1
  EXPECT_EQ(shards[5].index, (ShardIndex{all, range(2, 4)}));
  EXPECT_EQ(shards[5].device, devices()[5]);
  EXPECT_EQ(shards[5].data.device(), devices()[5]);
  EXPECT_EQ(shards[5].replica_id, 1);
  EXPECT_EQ(shards[0].replica_id, 0);
}

TEST_F(ShardedArrays, AnArrayOnOneDeviceIsOneShard) {
  const Array x = device_put(counted({3}), devices()[2]);
  EXPECT_EQ(x.sharding(), SingleDeviceSharding(devices()[2]));
  ASSERT_EQ(x.addressable_shards().size(), 1U);
  EXPECT_EQ(x.addressable_shards()[0].index, (ShardIndex{all}));
  EXPECT_TRUE(x.is_fully_replicated());
  const Array number = 3.0f;
  EXPECT_EQ(number.addressable_shards()[0].data.item<float>(), 3);
}

TEST_F(ShardedArrays, TypesAndSizesOfAllKinds) {
  const Mesh mesh = make_mesh({4}, {"x"});
  const NamedSharding rows(mesh, P("x"));
  EXPECT_EQ(device_put(counted({0, 3}), rows).size(), 0);
  EXPECT_EQ(flat(device_put(counted({4, 0}), rows)), Floats());
  EXPECT_EQ(flat(device_put(Array(2.5f), NamedSharding(mesh, P()))), Floats{2.5f});
  const Array narrow = numpy::arange(8).astype(ElementType::kS8);
  EXPECT_TRUE(device_put(narrow, rows).to_literal().identical(narrow.to_literal()));
  const Array nibbles = numpy::arange(8).astype(ElementType::kS4);
  EXPECT_TRUE(device_put(nibbles, rows).to_literal().identical(nibbles.to_literal()));
  const Array complex = counted({8}).astype(ElementType::kC64);
  EXPECT_TRUE(device_put(complex, rows).to_literal().identical(complex.to_literal()));
  const float inf = std::numeric_limits<float>::infinity();
  const Array special = Array::from_vector(Floats{NAN, inf, -inf, -0.0f, 1e-42f, 1, 2, 3}, {8});
  EXPECT_TRUE(device_put(special, rows).to_literal().identical(special.to_literal()));
  const Array large = counted({1 << 10, 257});
  EXPECT_EQ(flat(device_put(large, rows)), flat(large));
}

TEST_F(ShardedArrays, IsDealtAnewOrNot) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  const Array x = device_put(counted({8, 4}), NamedSharding(mesh, P("x", "y")));
  const Array moved = device_put(x, NamedSharding(mesh, P("y")));
  EXPECT_EQ(flat(moved), flat(x));
  EXPECT_EQ(moved.sharding().spec(), P("y"));
  EXPECT_EQ(&device_put(x, x.sharding()).impl(), &x.impl());
  const Array same = device_put(x, NamedSharding(make_mesh({2, 4}, {"a", "b"}), P("a", "b")));
  EXPECT_EQ(same.addressable_shards()[3].data.data<float>().data(),
            x.addressable_shards()[3].data.data<float>().data());
  const Array together = device_put(x, devices()[1]);
  EXPECT_EQ(flat(together), flat(x));
  EXPECT_EQ(together.sharding(), SingleDeviceSharding(devices()[1]));
  EXPECT_EQ(device_put(x, SingleDeviceSharding(devices()[1])).sharding(), SingleDeviceSharding(devices()[1]));
  const Array elsewhere = device_put(x, NamedSharding(Mesh({devices()[7], devices()[2]}, {"z"}), P("z")));
  EXPECT_EQ(flat(elsewhere), flat(x));
  EXPECT_EQ(elsewhere.addressable_shards()[0].device, devices()[7]);
}

TEST_F(ShardedArrays, OfTreesToo) {
  const NamedSharding rows(make_mesh({8}, {"i"}), P("i"));
  const auto [a, b] = device_put(std::pair(counted({8}), counted({16, 2})), rows);
  EXPECT_EQ(a.sharding(), rows);
  EXPECT_EQ(flat(b), flat(counted({16, 2})));
}

TEST_F(ShardedArrays, AreReadThroughEveryDoor) {
  const Array x = device_put(counted({8}), NamedSharding(make_mesh({4}, {"i"}), P("i")));
  EXPECT_EQ(x.data<float>()[5], 5);
  EXPECT_EQ(x[6].item<float>(), 6);
  EXPECT_EQ(device_put(counted({1}) + 4.0f, NamedSharding(make_mesh({8}, {"i"}), P())).item<float>(), 4);
  EXPECT_EQ(flat(block_until_ready(x)), flat(counted({8})));
}

TEST_F(ShardedArrays, MadeFromACallback) {
  const NamedSharding sharding(make_mesh({2, 4}, {"x", "y"}), P("y", "x"));
  const Array whole = counted({8, 4});
  int calls = 0;
  const Array made = make_array_from_callback({8, 4}, sharding, [&](const ShardIndex& at) {
    ++calls;
    return whole(at[0], at[1]);
  });
  EXPECT_EQ(calls, 8);
  EXPECT_EQ(flat(made), flat(whole));
  EXPECT_EQ(made.sharding(), sharding);
  const NamedSharding everywhere(sharding.mesh(), P());
  EXPECT_EQ(make_array_from_callback({}, everywhere, [](const ShardIndex&) { return Array(7.0f); }).item<float>(), 7);
  EXPECT_TRUE(
      has(refusal([&] { make_array_from_callback({8, 4}, sharding, [&](const ShardIndex&) { return whole; }); }),
          "part 0 is f32[8,4]; wanted f32[2,2]"));
}

TEST_F(ShardedArrays, MadeFromArraysOnTheirDevices) {
  const NamedSharding sharding(make_mesh({2}, {"x"}), P("x"));
  std::vector<Array> parts = {device_put(counted({2}), devices()[0]), device_put(counted({2}) + 2.0f, devices()[1])};
  const auto make = [&] { return make_array_from_single_device_arrays({4}, sharding, parts); };
  EXPECT_EQ(flat(make()), flat(counted({4})));
  std::swap(parts[0], parts[1]);
  EXPECT_TRUE(has(refusal(make), "part 0 lies on SingleDeviceSharding(device=Host:1); wanted Host:0"));
  parts.pop_back();
  EXPECT_TRUE(has(refusal(make), "got 1 arrays; wanted one for each of the mesh's 2 devices"));
}

TEST_F(ShardedArrays, RefusesWhatDoesNotFit) {
  const Mesh mesh = make_mesh({4}, {"x"});
  EXPECT_THROW(device_put(counted({6}), NamedSharding(mesh, P("x"))), IndivisibleError);
  EXPECT_TRUE(has(refusal([&] { device_put(counted({4}), NamedSharding(mesh, P(none, "x"))); }), "rank at least 2"));
  const auto made = jit(
      [&](Array x) { return make_array_from_single_device_arrays({4}, NamedSharding(mesh, P("x")), {x, x, x, x}); });
  EXPECT_TRUE(has(error_of([&] { made(counted({1})); }, StatusCode::kUnimplemented), "inside a transformation"));
}

}  // namespace
}  // namespace hilo
