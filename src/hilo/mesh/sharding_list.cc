// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharding_list.h"

#include "hilo/array/refuse.h"

namespace hilo {

ShardingList::ShardingList(const NamedSharding& all) : vector{all} {}
ShardingList::ShardingList(std::initializer_list<std::optional<NamedSharding>> each) : vector(each) {}
ShardingList::ShardingList(std::vector<std::optional<NamedSharding>> each) : vector(std::move(each)) {}

ShardingList shardings_of_leaves(const std::string& what, const ShardingList& list,
                                 const std::vector<size_t>& leaf_counts) {
  if (list.empty()) return {};
  if (list.size() != 1 && list.size() != leaf_counts.size()) {
    refuse(what, "must have one entry or one each: got " + std::to_string(list.size()) + " for " +
                     std::to_string(leaf_counts.size()));
  }
  ShardingList leaves;
  for (size_t i = 0; i < leaf_counts.size(); ++i) {
    for (size_t k = 0; k < leaf_counts[i]; ++k) leaves.push_back(list.size() == 1 ? list[0] : list[i]);
  }
  return leaves;
}

}  // namespace hilo
