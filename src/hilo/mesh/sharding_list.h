// SPDX-License-Identifier: Apache-2.0
// mesh/sharding_list.h -- shardings of several trees, as jit takes them.
#pragma once

#include <optional>
#include <vector>

#include "hilo/mesh/named_sharding.h"

namespace hilo {

/// One sharding for all, or one for each; `none`: nothing is said.
/// Example    sharding, {rows, none}
class ShardingList : public std::vector<std::optional<NamedSharding>> {
 public:
  ShardingList() = default;
  ShardingList(const NamedSharding& all);  // shardings are written as they are
  ShardingList(std::initializer_list<std::optional<NamedSharding>> each);
  ShardingList(std::vector<std::optional<NamedSharding>> each);
};

/// One a leaf, from trees of so many leaves; empty if nothing is said of any. `what` names the list in errors.
/// Errors    throws INVALID_ARGUMENT for another number of shardings than trees
ShardingList shardings_of_leaves(const std::string& what, const ShardingList& list,
                                 const std::vector<size_t>& leaf_counts);

}  // namespace hilo
