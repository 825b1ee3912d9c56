// SPDX-License-Identifier: Apache-2.0
// examples/finance/paths.h -- means over random paths, a block of paths at a time.
#pragma once

#include "hilo/hilo.h"

namespace finance {

using namespace hilo;

/// The mean of `value(model, draws)` over the blocks, `draws` being one of them. The numbers of a block stay in the
/// cache. The gradient of a mean is the mean of the gradients. So a block's gradient is computed with its value, and
/// neither are the steps of all paths stored nor is a block repeated. The blocks themselves have no gradient.
/// Shapes    blocks [number of blocks, ...]; value returns a scalar
template <typename F, Tree Model>
Array mean_of_blocks(const F& value, const Model& model, const Array& blocks) {
  const auto mean = [value](const Model& m, const Array& all) {
    return numpy::mean(lax::map([&](const Array& draws) { return value(m, draws); }, all));
  };
  const auto forward = [value](const Model& m, const Array& all) {
    const auto of_block = [&](const Array& draws) {
      return value_and_grad([&](const Model& at) { return value(at, draws); })(m);
    };
    const auto [values, slopes] = lax::map(of_block, all);
    return std::pair(numpy::mean(values), tree::map([](const Array& s) { return numpy::mean(s, 0); }, slopes));
  };
  const auto backward = [](const Model& slopes, const Array& cotangent) {
    return std::tuple(tree::map([&](const Array& s) { return s * cotangent; }, slopes), std::nullopt);
  };
  return custom_vjp(mean).defvjp(forward, backward)(model, blocks);
}

}  // namespace finance
