// SPDX-License-Identifier: Apache-2.0
// transform/linear_transpose.h -- linear_transpose of linear functions; closure_convert of functions that capture
// arrays.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

namespace linear_transpose_detail {
/// Returns the transpose as a function from cotangents of the result leaves to cotangents of the argument leaves.
FlatFunction transpose(const FlatFunction& f, std::span<const Array> leaves, const std::source_location& location);

struct Converted {
  FlatFunction f;  ///< function of the arguments, then the hoisted values
  std::vector<Array> hoisted;
};
Converted closure_convert(const FlatFunction& f, std::span<const Array> leaves);
}  // namespace linear_transpose_detail

/// Returns the transpose of a function that is linear in all its arguments: jax.linear_transpose. The transpose maps a
/// cotangent of the result's tree to a tuple of cotangents, one per argument. Only shapes and types of the arguments
/// count.
/// Errors     INVALID_ARGUMENT naming an operation that isn't linear, or for an argument or a cotangent whose type or
///            shape doesn't fit; from the returned function: as vjp
/// Example    const Array a = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}});
///            const auto transposed = linear_transpose([a](Array x) { return numpy::matmul(a, x); }, numpy::ones({2}));
///            std::get<0>(transposed(numpy::array({1.0f, 0.0f})))  // [1. 2.]
template <typename F, typename... Args>
auto linear_transpose(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  FlatFunction pull = linear_transpose_detail::transpose(
      flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves, std::source_location::current());
  return [pull = std::move(pull), arguments](const Result& cotangent,
                                             std::source_location location = std::source_location::current()) {
    const UserLocation here(location);
    return hilo::unflatten(arguments, pull(hilo::flatten(cotangent).leaves));
  };
}

/// Converts `f` to a function without captured tracers: jax.closure_convert. Returns (g, values) such that g(args...,
/// values) computes f(args...). Only tracers are hoisted, so that they can be differentiated or batched; captured
/// arrays with values remain constants.
/// Example    auto [g, hoisted] = closure_convert(f, x);  g(x, hoisted)
template <typename F, typename... Args>
auto closure_convert(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  auto converted = linear_transpose_detail::closure_convert(flat_call::flat_function(f, arguments, result),
                                                            hilo::flatten(arguments).leaves);
  const auto g = [flat = std::move(converted.f), result = *result](const Args&... own,
                                                                   const std::vector<Array>& hoisted) {
    std::vector<Array> leaves = hilo::flatten(Arguments(own...)).leaves;
    leaves.insert(leaves.end(), hoisted.begin(), hoisted.end());
    return hilo::unflatten(result, flat(leaves));
  };
  return std::pair(g, std::move(converted.hoisted));
}

}  // namespace hilo
