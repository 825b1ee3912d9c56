// SPDX-License-Identifier: Apache-2.0
// nn/summary.h -- a model as a table: its parameters, and what one call of it costs.
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

/// How many numbers the arrays of a tree hold.
template <Tree Params>
int64_t num_parameters(const Params& params) {
  return tree::reduce([](int64_t so_far, const Array& leaf) { return so_far + leaf.size(); }, params, int64_t{0});
}

/// A line for each array of a tree: path, shape, type, numbers, bytes; and their sums.
template <Tree Params>
std::string summary(const Params& params) {
  return summary_detail::table(tree::flatten_with_path(params), nullptr);
}

/// The same, and what f(params, inputs...) takes: operations as it is traced, memory as it is compiled.
/// Cost      compiles the function, runs nothing
/// Example   std::cout << nn::summary(params, logits, images);
template <Tree Params, typename F, typename... Inputs>
std::string summary(const Params& params, const F& f, const Inputs&... inputs) {
  const auto lowered = hilo::jit(f).lower(params, inputs...);
  const summary_detail::Cost cost = {lowered.cost_analysis(), lowered.compile().memory_analysis()};
  return summary_detail::table(tree::flatten_with_path(params), &cost);
}

}  // namespace hilo::nn
