// SPDX-License-Identifier: Apache-2.0
// tests/alone/mesh.cc -- arrays on meshes without transformations: linked with mesh/ and the folders below it only.
#include "hilo/mesh/sharded_array.h"
#include "hilo/trace/ops.h"
#include "tests/alone/check.h"

using namespace hilo;

int main() {
  const NamedSharding sharding(make_mesh({1}, {"x"}), P("x"));
  const Array whole = Array::from_vector<float>({1, 2, 3}, {3});
  const Array x = device_put(whole, sharding);
  CHECK(x.sharding() == sharding && x.is_fully_addressable() && x.to_string() == "[1. 2. 3.]");
  CHECK(x.device() == devices()[0] && x.addressable_shards().size() == 1);
  const Array sum = ops::add(x, x);
  CHECK(sum.sharding().mesh() == sharding.mesh() && sum.to_vector<int>() == std::vector<int>({2, 4, 6}));
  CHECK(device_put(x, devices()[0]).sharding() == SingleDeviceSharding(devices()[0]));
  return failures;
}
