// SPDX-License-Identifier: Apache-2.0
// tests/nn/recorded_layers.h -- layers of flax. tests/golden/record_layers.py recorded values and gradients with jax
// 0.10.2 and flax 0.12.8.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/io/npz.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/paths.h"

namespace hilo::nn {

inline const io::NamedLiterals& recorded() {
  static const io::NamedLiterals all = *io::read_npz(std::string(tests::kSourceDir) + "/tests/nn/data/layers.npz");
  return all;
}

inline Array get(const std::string& name) {
  const auto found = recorded().find(name);
  if (found == recorded().end()) throw std::out_of_range("nothing is recorded as " + name);
  return Array::from_literal(found->second);
}
inline Array parameter(const std::string& layer, const std::string& name) { return get(layer + "/param/" + name); }

/// Both are sums of at most some hundred products of numbers around 1, added in different orders.
inline void expect_near(const Array& got, const Array& wanted, const std::string& what) {
  ASSERT_EQ(got.aval_shape(), wanted.aval_shape()) << what;
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  double largest = 1;
  for (double value : b) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 4e-6 * largest) << what << " at " << i;
}

inline Array weighted_sum(const Array& out) {
  return numpy::sum(out * numpy::reshape(numpy::cos(numpy::arange(out.size()).astype(ElementType::kF32)), out.shape()));
}

/// Expects f(params, x) and its gradients as recorded for `layer`. names[i] is flax's name of the i-th array of params.
template <typename Params, typename F>
void expect_as_recorded(const std::string& layer, const std::vector<std::string>& names, const Params& params,
                        const F& f) {
  const Array x = get(layer + "/in"), wanted = get(layer + "/out");
  expect_near(f(params, x), wanted, layer);
  expect_near(jit(f)(params, x), wanted, layer + " under jit");
  const auto [of_params, of_x] =
      grad<0, 1>([&](const Params& p, const Array& in) { return weighted_sum(f(p, in)); })(params, x);
  expect_near(of_x, get(layer + "/grad/in"), layer + ", gradient of the input");
  const std::vector<Array> grads = flatten(of_params).leaves;
  ASSERT_EQ(grads.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i)
    expect_near(grads[i], get(layer + "/grad/" + names[i]), layer + "/" + names[i]);
}

}  // namespace hilo::nn
