// SPDX-License-Identifier: Apache-2.0
// mesh/members.cc -- the members of Array about sharding.
#include "hilo/mesh/sharded_array.h"
#include "hilo/mesh/shards.h"

namespace hilo {

NamedSharding Array::sharding() const {
  const Array value = concrete_value(*this);
  const NamedSharding* const sharding = sharding_of(value);
  return sharding != nullptr ? *sharding : SingleDeviceSharding(value.device());
}

std::vector<Shard> Array::addressable_shards() const { return shards_of(*this); }
bool Array::is_fully_replicated() const { return sharding().is_fully_replicated(); }
bool Array::is_fully_addressable() const { return sharding().is_fully_addressable(); }

}  // namespace hilo
