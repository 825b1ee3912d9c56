// SPDX-License-Identifier: Apache-2.0
// lax/map.h -- map, a loop over the leading axis; associative_scan, running reductions of logarithmic depth; select_n.
#pragma once

#include "hilo/lax/control_flow.h"
#include "hilo/transform/vmap.h"

namespace hilo::lax {

/// Options of map, as in JAX.
struct MapOptions {
  std::optional<int64_t> batch_size =
      {};  ///< number of elements per iteration, batched by vmap; a smaller batch handles the remainder
};

struct AssociativeScanOptions {
  bool reverse = false;
  int64_t axis = 0;
};

namespace detail {
/// Returns rows [begin, limit) of the leaves along the leading axis. If `block` isn't 0, groups them in blocks of that
/// many rows.
std::vector<Array> leading_rows(std::span<const Array> leaves, int64_t begin, int64_t limit, int64_t block);
std::vector<Array> joined_rows(std::span<const Array> blocks, std::span<const Array> rest);
/// Returns the common leading size of `leaves`.
/// Errors     INVALID_ARGUMENT if the sizes differ, or batch_size isn't positive
int64_t leading_size(std::string_view function, std::span<const Array> leaves, std::optional<int64_t> batch_size,
                     const std::source_location& location);
/// Implements associative_scan. `combine` maps the leaves of two elements to those of one.
std::vector<Array> associative_scan(const FlatFunction& combine, std::span<const Array> leaves,
                                    const AssociativeScanOptions& options, const std::source_location& location);
}  // namespace detail

/// Computes f(x) for each x along the leading axis of `xs`, one after the other, and stacks the results: jax.lax.map.
/// Types      xs: a tree of arrays with one leading size
/// Errors     as scan
/// Cost       one loop; with batch_size, each iteration computes that many elements by vmap
/// Example    map([](Array x) { return x * x; }, numpy::arange(4))  // [0 1 4 9]
template <typename F, Tree Xs>
auto map(const F& f, const Xs& xs, MapOptions options = {},
         std::source_location location = std::source_location::current()) {
  const auto one_by_one = [&](const auto& all) {
    const auto step = [&](const std::tuple<>& none, const auto& x) {
      return std::pair(none, flat_call::call_with(f, x));
    };
    return lax::scan(step, std::tuple<>(), all, ScanOptions{}, location).second;
  };
  const std::vector<Array> leaves = hilo::flatten(xs).leaves;
  const int64_t count = detail::leading_size("map", leaves, options.batch_size, location);
  if (!options.batch_size) return one_by_one(xs);
  using Result = std::remove_cvref_t<decltype(one_by_one(xs))>;
  const auto batch = hilo::vmap(f, {0}, {0}, {}, location);
  const int64_t block = *options.batch_size, whole = count / block * block;
  const auto rest_of = [&] { return hilo::unflatten(xs, detail::leading_rows(leaves, whole, count, 0)); };
  if (whole == 0) return Result(batch(xs));
  const Xs blocks = hilo::unflatten(xs, detail::leading_rows(leaves, 0, whole, block));
  const auto step = [&](const std::tuple<>& none, const Xs& x) { return std::pair(none, Result(batch(x))); };
  const Result stacked = lax::scan(step, std::tuple<>(), blocks, ScanOptions{}, location).second;
  const std::vector<Array> rest =
      whole == count ? std::vector<Array>() : hilo::flatten(Result(batch(rest_of()))).leaves;
  return hilo::unflatten(stacked, detail::joined_rows(hilo::flatten(stacked).leaves, rest));
}

/// Doesn't compile: the function comes first.
template <std::derived_from<Array> First, typename... Rest>
Array map(const First&, const Rest&...) {
  detail::refuse_order<First>();
  return {};
}
/// Doesn't compile: the function takes one argument.
template <typename F, Tree Xs, Tree... More>
  requires(sizeof...(More) > 0)
Array map(const F&, const Xs&, const More&...) {
  static_assert(kNever<F>, "map takes one tree, over whose leading axis it goes: map(f, std::tuple(x, y))");
  return {};
}

/// Computes the running results of an associative operation along an axis: y[0] = x[0], y[i] = fn(y[i - 1], x[i]).
/// jax.lax.associative_scan.
/// Types      a tree of arrays with one size along the axis. fn(a, b) takes two such trees of any size along the axis
///            and works elementwise.
/// Errors     INVALID_ARGUMENT if sizes differ, the axis is out of range, or fn changes type, shape or tree
/// Cost       2 log2 n calls of fn, on halves, quarters, ... of the elements; sums are grouped as in JAX
/// Example    associative_scan([](Array a, Array b) { return a * b; }, numpy::arange(1, 6))  // [ 1 2 6 24 120]
template <typename F, Tree T>
T associative_scan(const F& fn, const T& elements, AssociativeScanOptions options = {},
                   std::source_location location = std::source_location::current()) {
  const FlatFunction combine = [&](std::span<const Array> both) {
    const size_t count = both.size() / 2;
    return detail::leaves_like<T>(
        "associative_scan", location, "fn's result",
        detail::next_carry<T>(flat_call::call_with(fn, hilo::unflatten(elements, both.first(count)),
                                                   hilo::unflatten(elements, both.subspan(count)))),
        elements);
  };
  return hilo::unflatten(elements,
                         detail::associative_scan(combine, hilo::flatten(elements).leaves, options, location));
}

/// Doesn't compile: the function comes first.
template <std::derived_from<Array> First, typename... Rest>
Array associative_scan(const First&, const Rest&...) {
  detail::refuse_order<First>();
  return {};
}

/// Selects cases[which], element by element: jax.lax.select_n. `which` is pred (two cases: false, true) or s32 in
/// range; a scalar selects one case for all elements.
/// Shapes     cases have one shape, that of the result; `which` has it too or is a scalar
/// Errors     INVALID_ARGUMENT if shapes or types differ, or pred has more than two cases
/// Example    select_n(numpy::array({false, true}), {numpy::array({1, 2}), numpy::array({10, 20})})  // [ 1 20]
Array select_n(const Operand& which, const std::vector<Array>& cases);
template <typename... Cases>
  requires(sizeof...(Cases) > 0 && (std::convertible_to<Cases, Array> && ...))
Array select_n(const Operand& which, const Cases&... cases) {
  return select_n(which, std::vector<Array>{Array(cases)...});
}

}  // namespace hilo::lax
