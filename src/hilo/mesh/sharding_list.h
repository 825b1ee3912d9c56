// SPDX-License-Identifier: Apache-2.0
// mesh/sharding_list.h -- shardings of several trees, as jit accepts them.
#pragma once

#include <optional>
#include <vector>

#include "hilo/mesh/named_sharding.h"

namespace hilo {

/// One sharding for all, or one for each; `none` means unspecified.
/// Example    sharding, {rows, none}
class ShardingList : public std::vector<std::optional<NamedSharding>> {
 public:
  ShardingList() = default;
  ShardingList(const NamedSharding& all);  // implicit, so that users can write plain shardings
  ShardingList(std::initializer_list<std::optional<NamedSharding>> each);
  ShardingList(std::vector<std::optional<NamedSharding>> each);
};

/// Returns one sharding per leaf, for trees with these numbers of leaves; empty if none is specified. `what` names the
/// list in errors.
/// Errors     throws INVALID_ARGUMENT for another number of shardings than trees
ShardingList shardings_of_leaves(const std::string& what, const ShardingList& list,
                                 const std::vector<size_t>& leaf_counts);

}  // namespace hilo
