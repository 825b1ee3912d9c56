// SPDX-License-Identifier: Apache-2.0
// lax/sequential_vmap.h -- sequential_vmap: functions that vmap runs example by example.
#pragma once

#include "hilo/lax/map.h"
#include "hilo/transform/custom_batching.h"

namespace hilo::custom_batching {

/// Makes vmap run `f` as a loop over the examples: jax.custom_batching.sequential_vmap. For functions that branch, or
/// whose batch would not fit into memory.
/// Gradient   that of f; derivatives are batched as usual
/// Cost       one lax::map under vmap
/// Example    vmap(custom_batching::sequential_vmap(f))(xs)
template <typename F>
auto sequential_vmap(F f, std::source_location location = std::source_location::current()) {
  const auto rule = [f, location](int64_t, const std::vector<bool>& in_batched, const auto&... args) {
    const std::tuple<std::remove_cvref_t<decltype(args)>...> arguments(args...);
    const std::vector<Array> leaves = hilo::flatten(arguments).leaves;
    std::vector<Array> examples;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (in_batched[i]) examples.push_back(leaves[i]);
    }
    const auto one = [&](const std::vector<Array>& example) {
      std::vector<Array> own = leaves;
      for (size_t i = 0, next = 0; i < own.size(); ++i) {
        if (in_batched[i]) own[i] = example[next++];
      }
      return flat_call::call(f, hilo::unflatten(arguments, own));
    };
    return std::pair(lax::map(one, examples, {}, location), true);
  };
  return custom_batching::custom_vmap(f, location).def_vmap(rule);
}

}  // namespace hilo::custom_batching
