// SPDX-License-Identifier: Apache-2.0
// transform/flat_call.h -- between typed user functions and transformations on flat lists of arrays.
#pragma once

#include "hilo/trace/flat_function.h"
#include "hilo/tree/tree.h"

namespace hilo::flat_call {

/// A number argument becomes an Array if `f` takes an Array there.
template <typename T>
using Lifted = std::conditional_t<Number<std::remove_cvref_t<T>>, Array, std::remove_cvref_t<T>>;

template <typename F, typename... Args>
struct ArgumentsOf {
  static constexpr bool lifts = std::is_invocable_v<const F&, Lifted<Args>...>;
  using Type = std::conditional_t<lifts, std::tuple<Lifted<Args>...>, std::tuple<std::remove_cvref_t<Args>...>>;
};
/// The tuple in which the arguments of a call of F travel.
template <typename F, typename... Args>
using Arguments = typename ArgumentsOf<F, Args...>::Type;

template <typename F, typename Tuple>
using ResultOf = decltype(std::apply(std::declval<const F&>(), std::declval<Tuple>()));

template <typename Tuple>
inline constexpr size_t size_of = std::tuple_size_v<std::remove_cvref_t<Tuple>>;

/// Leaves of each argument.
template <typename Tuple>
std::vector<size_t> leaf_counts(const Tuple& arguments) {
  return std::apply([](const auto&... a) { return std::vector<size_t>{flatten(a).leaves.size()...}; }, arguments);
}

/// One bit a leaf: does its argument stand in `argnums`? Negative numbers count from the end.
/// Errors    INVALID_ARGUMENT for a number out of range
std::vector<bool> mask_of(const std::vector<size_t>& leaf_counts, const std::vector<int>& argnums);
template <typename Tuple>
std::vector<bool> leaf_mask(const Tuple& arguments, const std::vector<int>& argnums) {
  return mask_of(leaf_counts(arguments), argnums);
}

/// `f` on flat leaves of `arguments`; the tree of its last result is kept in `result`.
template <typename F, typename Tuple, typename Result>
FlatFunction flat_function(const F& f, const Tuple& arguments, std::optional<Result>& result) {
  return [&f, &arguments, &result](std::span<const Array> leaves) {
    result.emplace(std::apply(f, unflatten(arguments, leaves)));
    return flatten(*result).leaves;
  };
}

}  // namespace hilo::flat_call
