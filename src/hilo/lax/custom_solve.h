// SPDX-License-Identifier: Apache-2.0
// lax/custom_solve.h -- custom_linear_solve and custom_root: solvers that are differentiated by the equation that they
// solve, not by their steps.
#pragma once

#include <source_location>

#include "hilo/lax/control_flow.h"

namespace hilo::lax {

struct LinearSolveOptions {
  bool symmetric = false;  ///< the matrix is symmetric, so that `solve` serves also for the transpose
};

namespace detail {

/// A solver on flat lists: solve(matvec, b). The leaves of the solution may be followed by those of aux.
using FlatSolve = std::function<std::vector<Array>(const FlatFunction& matvec, std::span<const Array> b)>;

std::vector<Array> custom_linear_solve(const FlatFunction& matvec, std::span<const Array> b, const FlatSolve& solve,
                                       const FlatSolve* transpose_solve, bool symmetric,
                                       const std::source_location& location);
std::vector<Array> custom_root(const FlatFunction& f, std::span<const Array> guess, const FlatSolve& solve,
                               const FlatSolve& tangent_solve, const std::source_location& location);

/// The function of flat lists that a solver receives, as a function of trees.
template <Tree T>
struct OfTrees {
  const FlatFunction& flat;
  const T& like;
  T operator()(const T& v) const { return hilo::unflatten(like, flat(hilo::flatten(v).leaves)); }
};

/// Returns the aux of a solver's result; an empty tree for a solver without has_aux.
template <typename Solve, typename T>
struct AuxOf {
  using Type = std::tuple<>;
};
template <typename Solve, typename T>
struct AuxOf<HasAux<Solve>, T> {
  using Type = std::remove_cvref_t<
      decltype(std::declval<const Solve&>()(std::declval<OfTrees<T>>(), std::declval<const T&>()).second)>;
};
/// The tree of aux, known once the solver has run.
template <typename Solve, typename T>
using AuxSlot = std::shared_ptr<std::optional<typename AuxOf<Solve, T>::Type>>;
template <typename Solve, typename T>
AuxSlot<Solve, T> aux_slot() {
  return std::make_shared<std::optional<typename AuxOf<Solve, T>::Type>>();
}

/// Converts a user's solver of trees like `like` to one of flat lists.
template <typename Solve, Tree T>
FlatSolve flat_solve(std::string_view function, const Solve& solve, const T& like, const std::source_location& location,
                     AuxSlot<Solve, T> aux = detail::aux_slot<Solve, T>()) {
  return [=](const FlatFunction& matvec, std::span<const Array> b) {
    const auto result = flat_call::call_with(solve, OfTrees<T>{matvec, like}, hilo::unflatten(like, b));
    const auto solution_leaves = [&](const auto& x) {
      return detail::leaves_like<T>(function, location, "the solver's result", detail::next_carry<T>(x), like);
    };
    if constexpr (flat_call::kHasAux<Solve>) {
      std::vector<Array> leaves = solution_leaves(result.first);
      aux->emplace(result.second);
      for (const Array& leaf : hilo::flatten(result.second).leaves) leaves.push_back(leaf);
      return leaves;
    } else {
      return solution_leaves(result);
    }
  };
}

/// Returns the solution, with aux if the solver has it.
template <typename Solve, Tree T>
auto solution(const T& like, const AuxSlot<Solve, T>& aux, std::span<const Array> leaves) {
  if constexpr (flat_call::kHasAux<Solve>) {
    const size_t count = hilo::flatten(like).leaves.size();
    return std::pair(hilo::unflatten(like, leaves.first(count)), hilo::unflatten(**aux, leaves.subspan(count)));
  } else {
    return hilo::unflatten(like, leaves);
  }
}

template <typename F, Tree T>
FlatFunction flat_like(std::string_view function, const F& f, const T& like, const std::source_location& location) {
  return [=](std::span<const Array> v) {
    return detail::leaves_like<T>(function, location, "the function's result",
                                  detail::next_carry<T>(flat_call::call_with(f, hilo::unflatten(like, v))), like);
  };
}

}  // namespace detail

/// Solves the linear equation matvec(x) = b by solve(matvec, b): jax.lax.custom_linear_solve. transpose_solve(vecmat,
/// b) solves the transposed equation, for reverse mode.
/// Types      b and x: trees of one structure; matvec maps such a tree to another, and captures the matrix. If the
///            solver is has_aux(solve), it returns (x, aux), and so does custom_linear_solve; aux isn't differentiated.
/// Errors     INVALID_ARGUMENT if a function returns another type or tree than b's, or reverse mode lacks
///            transpose_solve
/// Gradient   one more solve: of b' - A' x in forward mode, with the transpose in reverse mode
/// Example    custom_linear_solve([&](Array v) { return numpy::matmul(a, v); }, b,
///                                [&](auto, Array c) { return numpy::linalg::solve(a, c); },
///                                [&](auto, Array c) { return numpy::linalg::solve(numpy::transpose(a), c); })
template <typename Matvec, Tree T, typename Solve, typename TransposeSolve>
  requires(!std::same_as<TransposeSolve, LinearSolveOptions>)
auto custom_linear_solve(const Matvec& matvec, const T& b, const Solve& solve, const TransposeSolve& transpose_solve,
                         std::source_location location = std::source_location::current()) {
  constexpr std::string_view name = "custom_linear_solve";
  const auto aux = detail::aux_slot<Solve, T>();
  const detail::FlatSolve transposed = detail::flat_solve(name, transpose_solve, b, location);
  return detail::solution<Solve>(
      b, aux,
      detail::custom_linear_solve(detail::flat_like(name, matvec, b, location), hilo::flatten(b).leaves,
                                  detail::flat_solve(name, solve, b, location, aux), &transposed, false, location));
}
template <typename Matvec, Tree T, typename Solve>
auto custom_linear_solve(const Matvec& matvec, const T& b, const Solve& solve, const LinearSolveOptions& options = {},
                         std::source_location location = std::source_location::current()) {
  constexpr std::string_view name = "custom_linear_solve";
  const auto aux = detail::aux_slot<Solve, T>();
  return detail::solution<Solve>(
      b, aux,
      detail::custom_linear_solve(detail::flat_like(name, matvec, b, location), hilo::flatten(b).leaves,
                                  detail::flat_solve(name, solve, b, location, aux), nullptr, options.symmetric,
                                  location));
}

/// Finds a root of f by solve(f, initial_guess): jax.lax.custom_root. tangent_solve(g, y) solves g(x) = y for the
/// linear function g, the derivative of f at the root.
/// Types      guess, root and f's result: trees of one structure; f captures the values on which the root depends. If
///            the solver is has_aux(solve), it returns (root, aux), and so does custom_root.
/// Errors     INVALID_ARGUMENT if a function returns another type or tree than the guess
/// Gradient   by the implicit function theorem, with respect to values that f captures; the guess has none
/// Example    custom_root([&](Array x) { return x * x - a; }, Array(1.0f), newton,
///                        [](auto g, Array y) { return y / g(1.0f); })
template <typename F, Tree T, typename Solve, typename TangentSolve>
auto custom_root(const F& f, const T& initial_guess, const Solve& solve, const TangentSolve& tangent_solve,
                 std::source_location location = std::source_location::current()) {
  using Guess = detail::CarryOf<T>;
  const Guess guess(initial_guess);
  constexpr std::string_view name = "custom_root";
  const auto aux = detail::aux_slot<Solve, Guess>();
  return detail::solution<Solve>(
      guess, aux,
      detail::custom_root(detail::flat_like(name, f, guess, location), hilo::flatten(guess).leaves,
                          detail::flat_solve(name, solve, guess, location, aux),
                          detail::flat_solve(name, tangent_solve, guess, location), location));
}

}  // namespace hilo::lax
