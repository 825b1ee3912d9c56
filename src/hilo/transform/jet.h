// SPDX-License-Identifier: Apache-2.0
// transform/jet.h -- jet: derivatives of high order along a curve, by Taylor arithmetic.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

namespace jet_detail {

struct Expansion {
  std::vector<Array> primals;
  std::vector<std::vector<Array>> terms;  ///< derivatives of each result, from the first order on
};
/// Computes the values and derivatives of `f`. `series` has the derivatives of each argument leaf.
Expansion expand(const FlatFunction& f, std::span<const Array> primals, const std::vector<std::vector<Array>>& series,
                 const std::source_location& location);
/// Throws if two lists differ in length.
void check_order(size_t order, size_t other, const std::source_location& location);

/// Appends `leaves` empty lists; returns the index of the first.
size_t append_leaves(std::vector<std::vector<Array>>& all, size_t leaves);
void append_term(std::vector<std::vector<Array>>& all, size_t begin, size_t leaves, const std::vector<Array>& term);
/// Appends the leaves of a list of trees, leaf by leaf.
template <typename T>
void append_series(std::vector<std::vector<Array>>& all, const std::vector<T>& series, size_t leaves) {
  const size_t begin = jet_detail::append_leaves(all, leaves);
  for (const T& term : series) jet_detail::append_term(all, begin, leaves, hilo::flatten(term).leaves);
}

}  // namespace jet_detail

/// Computes the derivatives of `f` along a curve: jax.experimental.jet. `primals` and `series` are the curve's value
/// and derivatives at 0; series[i][k] is derivative k + 1 of argument i. Returns f's value and the same number of
/// derivatives.
/// Errors     INVALID_ARGUMENT if the lists differ in length or a term in shape; UNIMPLEMENTED naming an operation
///            without a rule, such as while_loop, cond and scan
/// Cost       quadratic in the number of terms; nested jvps double with each term
/// Source     Griewank and Walther, "Evaluating derivatives", chapter 13
/// Example    const std::vector<Array> x_terms = {Array(1.0f), Array(0.0f)};
///            const auto cube = [](Array x) { return x * x * x; };
///            const auto [y, dy] = jet(cube, std::tuple(Array(2.0f)), std::tuple(x_terms));
///            y      // 8.0
///            dy[0]  // 12.0
///            dy[1]  // 12.0
template <typename F, typename... Args>
auto jet(const F& f, const std::tuple<Args...>& primals, const std::tuple<std::vector<Args>...>& series,
         std::source_location location = std::source_location::current()) {
  static_assert(sizeof...(Args) > 0, "jet takes a function of an argument or more");
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, std::tuple<Args...>>>;
  const size_t order = std::get<0>(series).size();
  std::vector<std::vector<Array>> terms;
  [&]<size_t... I>(std::index_sequence<I...>) {
    (jet_detail::check_order(order, std::get<I>(series).size(), location), ...);
    (jet_detail::append_series(terms, std::get<I>(series), hilo::flatten(std::get<I>(primals)).leaves.size()), ...);
  }(std::index_sequence_for<Args...>());
  std::optional<Result> result;
  const jet_detail::Expansion out =
      jet_detail::expand(flat_call::flat_function(f, primals, result), hilo::flatten(primals).leaves, terms, location);
  std::pair<Result, std::vector<Result>> both{hilo::unflatten(*result, out.primals), {}};
  for (size_t k = 0; k < order; ++k) {
    std::vector<Array> leaves;
    for (const std::vector<Array>& of_leaf : out.terms) leaves.push_back(of_leaf[k]);
    both.second.push_back(hilo::unflatten(*result, leaves));
  }
  return both;
}

}  // namespace hilo
