// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/transforms.h -- derivatives by the data of a sparse array: jax.experimental.sparse.grad.
#pragma once

#include "hilo/scipy/sparse/bcsr.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::sparse {

/// BCOO or BCSR.
template <typename T>
concept SparseArray = std::same_as<T, BCOO> || std::same_as<T, BCSR>;

/// Returns a function that computes the value of `fun`, and its derivative by the data of the first argument, a sparse
/// array. The derivative has the same indices. grad computes the derivative only.
/// Errors     those of hilo::grad
/// Example    sparse::grad([](const sparse::BCOO& m, Array x) { return numpy::sum(m.matmul(x)); })(m, x)
template <typename F>
auto value_and_grad(F fun) {
  return [fun]<SparseArray M, typename... Rest>(const M& mat, const Rest&... rest) {
    const auto of_data = [&](const Array& data) -> Array { return fun(mat.with_data(data), rest...); };
    const auto [value, gradient] = hilo::value_and_grad(of_data)(mat.data);
    return std::pair<Array, M>(value, mat.with_data(gradient));
  };
}
template <typename F>
auto grad(F fun) {
  return [fun]<SparseArray M, typename... Rest>(const M& mat, const Rest&... rest) -> M {
    return scipy::sparse::value_and_grad(fun)(mat, rest...).second;
  };
}

/// Doesn't compile: only JAX can rewrite functions of dense arrays to accept sparse ones.
template <typename F>
auto sparsify(F) {
  static_assert(!std::same_as<F, F>,
                "a function of Arrays does not accept a sparse array: write it for sparse::BCOO, whose operators, "
                "matmul, sum, transpose and reshape are those of arrays");
}

}  // namespace hilo::scipy::sparse
