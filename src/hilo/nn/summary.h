// SPDX-License-Identifier: Apache-2.0
// nn/summary.h -- a model as a table: its parameters, and the cost of a call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hilo/transform/jit.h"
#include "hilo/tree/functions.h"

namespace hilo::nn {

namespace summary_detail {

struct Cost {
  CostAnalysis count;
  CompiledMemoryStats memory;
};
std::string table(const std::vector<std::pair<std::string, Array>>& parameters, const Cost* cost);

}  // namespace summary_detail

/// Returns the number of elements of all arrays in a pytree.
/// Example    num_parameters(dense_init(random::key(0), 4, 3))  // 15
template <Tree Params>
int64_t num_parameters(const Params& params) {
  return tree::reduce([](int64_t so_far, const Array& leaf) { return so_far + leaf.size(); }, params, int64_t{0});
}

/// Returns a table with a line for each array of a pytree: path, shape, type, number of elements, bytes; and their
/// sums.
/// Example    std::cout << nn::summary(params);
template <Tree Params>
std::string summary(const Params& params) {
  return summary_detail::table(tree::flatten_with_path(params), nullptr);
}

/// Returns the table and the cost of f(params, inputs...): operations of the trace, memory of the compiled program.
/// Cost      compiles the function, but does not run it
/// Example   std::cout << nn::summary(params, logits, images);
template <Tree Params, typename F, typename... Inputs>
std::string summary(const Params& params, const F& f, const Inputs&... inputs) {
  const auto lowered = hilo::jit(f).lower(params, inputs...);
  const summary_detail::Cost cost = {lowered.cost_analysis(), lowered.compile().memory_analysis()};
  return summary_detail::table(tree::flatten_with_path(params), &cost);
}

}  // namespace hilo::nn
