// SPDX-License-Identifier: Apache-2.0
// transform/vmap.h -- vmap and eval_shape.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

/// The axis of an argument that is mapped over, or none.
using Axis = std::optional<int>;
inline constexpr std::nullopt_t kNoAxis = std::nullopt;

namespace vmap_detail {
std::vector<Array> vmap(const FlatFunction& f, std::span<const Array> leaves, const std::vector<size_t>& leaf_counts,
                        const std::vector<Axis>& in_axes, const std::vector<Axis>& out_axes,
                        const std::function<std::vector<size_t>()>& result_leaf_counts, const std::string& axis_name,
                        const std::source_location& location);
/// One axis a leaf, from one axis an argument or one for all. `what` names the list in errors.
std::vector<std::optional<int64_t>> axes_of_leaves(const std::string& what, const std::vector<Axis>& axes,
                                                   const std::vector<size_t>& leaf_counts);
std::vector<Array> abstract_results(const FlatFunction& f, std::span<const Array> leaves);

/// Leaves of each result: of each element if it is a tuple, else of the whole.
template <typename Result>
std::vector<size_t> result_leaf_counts(const Result& result) {
  if constexpr (tree_detail::IsTuple<Result>::value) return flat_call::leaf_counts(result);
  else return {flatten(result).leaves.size()};
}
}  // namespace vmap_detail

/// `f` on a whole batch at once. in_axes has one entry an argument (or one for all); out_axes one an element of a result
/// tuple (or one for all). kNoAxis: not batched. In `f`, lax::psum and the like may name the axis by `axis_name`.
/// Errors     INVALID_ARGUMENT if mapped axes differ in size, or nothing is mapped
/// Example    vmap([](Array x) { return numpy::sum(x); })(rows)
template <typename F>
auto vmap(F f, std::vector<Axis> in_axes = {0}, std::vector<Axis> out_axes = {0}, std::string axis_name = {},
          std::source_location location = std::source_location::current()) {
  return [f = std::move(f), in_axes = std::move(in_axes), out_axes = std::move(out_axes),
          axis_name = std::move(axis_name), location](const auto&... args) {
    const TransformationLocation here(location);
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
    const Arguments arguments(args...);
    std::optional<Result> result;
    const std::vector<Array> leaves = vmap_detail::vmap(
        flat_call::flat_function(f, arguments, result), flatten(arguments).leaves, flat_call::leaf_counts(arguments),
        in_axes, out_axes, [&] { return vmap_detail::result_leaf_counts(*result); }, axis_name, location);
    return unflatten(*result, leaves);
  };
}

/// The result of `f` with shapes and types but no values: nothing is computed. jax.eval_shape.
template <typename F, typename... Args>
auto eval_shape(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  const std::vector<Array> leaves =
      vmap_detail::abstract_results(flat_call::flat_function(f, arguments, result), flatten(arguments).leaves);
  return unflatten(*result, leaves);
}

}  // namespace hilo
