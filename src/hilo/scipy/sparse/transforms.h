// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/transforms.h -- derivatives with respect to what a sparse array stores: jax.experimental.sparse.grad.
#pragma once

#include "hilo/scipy/sparse/bcsr.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::sparse {

/// BCOO or BCSR.
template <typename T>
concept SparseArray = std::same_as<T, BCOO> || std::same_as<T, BCSR>;

/// The value of `fun`, and its derivative with respect to the data of its first argument, a sparse array, at the same places.
/// Errors     as hilo::grad
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

/// Doesn't compile. JAX rewrites functions of dense arrays so that they take sparse ones.
template <typename F>
auto sparsify(F) {
  static_assert(!std::same_as<F, F>,
                "a function of Arrays takes no sparse array: write it on sparse::BCOO, whose operators, "
                "matmul, sum, transpose and reshape are those of arrays");
}

}  // namespace hilo::scipy::sparse
