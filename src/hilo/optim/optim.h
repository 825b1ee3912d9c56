// SPDX-License-Identifier: Apache-2.0
// optim/optim.h -- optimisers over trees of parameters: init makes a state, update gives new parameters and state.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/tree/tree.h"

namespace hilo::optim {

/// params - learning_rate * gradient.
struct Sgd {
  float learning_rate = 0.01f;

  template <Tree Params>
  Params update(const Params& gradients, const Params& params) const {
    return tree_map([this](const Array& p, const Array& g) { return p - learning_rate * g; }, params, gradients);
  }
};

template <Tree Params>
struct AdamState {
  Array step;       ///< s32 scalar: updates so far
  Params mean;      ///< running mean of gradients
  Params variance;  ///< running mean of their squares
};

/// Adam with bias correction. Source    Kingma and Ba, "Adam: a method for stochastic optimization" (2015)
struct Adam {
  float learning_rate = 1e-3f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;

  template <Tree Params>
  AdamState<Params> init(const Params& params) const {
    const auto zeros = [](const Array& p) { return numpy::zeros_like(p); };
    return {numpy::zeros({}, ElementType::kS32), tree_map(zeros, params), tree_map(zeros, params)};
  }

  template <Tree Params>
  std::pair<Params, AdamState<Params>> update(const Params& gradients, const AdamState<Params>& state,
                                              const Params& params) const {
    AdamState<Params> next;
    next.step = state.step + 1;
    next.mean =
        tree_map([this](const Array& m, const Array& g) { return beta1 * m + (1 - beta1) * g; }, state.mean, gradients);
    next.variance = tree_map([this](const Array& v, const Array& g) { return beta2 * v + (1 - beta2) * g * g; },
                             state.variance, gradients);
    const Array t = next.step * 1.0f;  // weakly typed: what it scales keeps its type
    const Array mean_scale = 1.0f / (1.0f - numpy::power(beta1, t));
    const Array variance_scale = 1.0f / (1.0f - numpy::power(beta2, t));
    const auto moved = [&](const Array& p, const Array& m, const Array& v) {
      return p - learning_rate * (m * mean_scale) / (numpy::sqrt(v * variance_scale) + epsilon);
    };
    return {tree_map(moved, params, next.mean, next.variance), next};
  }
};

}  // namespace hilo::optim
