// SPDX-License-Identifier: Apache-2.0
// transform/linear_transpose.h -- linear_transpose of linear functions, closure_convert of functions that close over
// arrays.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

namespace linear_transpose_detail {
/// The transpose as a function of cotangents, one a result leaf, that gives one array an argument leaf.
FlatFunction transpose(const FlatFunction& f, std::span<const Array> leaves, const std::source_location& location);

struct Converted {
  FlatFunction f;  ///< of the arguments, then the hoisted values
  std::vector<Array> hoisted;
};
Converted closure_convert(const FlatFunction& f, std::span<const Array> leaves);
}  // namespace linear_transpose_detail

/// The transpose of `f`, which is linear in all its arguments: a function from a cotangent of the result's tree to a tuple
/// of cotangents, one an argument. Of the arguments only shapes and types count. jax.linear_transpose.
/// Errors     INVALID_ARGUMENT naming the op that isn't linear, or if an argument or the cotangent has a type or shape
///            that doesn't fit; of the function that comes back: as vjp
/// Example    linear_transpose([](Array x) { return numpy::matmul(a, x); }, x)(ct)  gives (a^T ct,)
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

/// `f` as a function of its arguments and of what it closes over: (g, values), where g(args..., values) is f(args...).
/// Only tracers are hoisted, so that they can be differentiated or batched; arrays that have values stay constants.
/// jax.closure_convert.
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
