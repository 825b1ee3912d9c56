// SPDX-License-Identifier: Apache-2.0
// lax/control_flow.h -- cond, while_loop, fori_loop, scan: control flow that traces, differentiates and batches.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo::lax {

namespace detail {
std::vector<Array> cond(const Operand& predicate, const FlatFunction& if_true, const FlatFunction& if_false,
                        std::span<const Array> operands);
std::vector<Array> while_loop(const FlatFunction& condition, const FlatFunction& body, std::span<const Array> initial,
                              const std::source_location& location);
struct ScanResult {
  std::vector<Array> carry, ys;
};
/// `f` maps (carry, slice of xs) to (carry, slice of ys); the first initial.size() results are the carry.
ScanResult scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs,
                std::optional<int64_t> length, bool reverse, const std::source_location& location);
Array increment(const Array& i, const std::source_location& location);
Array less(const Array& i, const Array& end, const std::source_location& location);
/// The bounds of a fori_loop: numbers if both have values, and in any case integer scalars of one type.
struct Bounds {
  Array lower, upper;
  std::optional<std::pair<int64_t, int64_t>> values;
};
Bounds loop_bounds(const Operand& lower, const Operand& upper);
/// Refuses a `part` of a call whose structure isn't that of what went in.
void check_structure(std::string_view function, const std::source_location& location, std::string_view part,
                     const std::string& got, const std::string& wanted);
}  // namespace detail

/// if_true(operands...) or if_false(operands...); both are traced, one runs.
/// Errors     INVALID_ARGUMENT if the predicate isn't a scalar, or the results differ in type
/// Gradient   of the branch taken. Under vmap with a batched predicate both run and a select picks.
template <typename True, typename False, typename... Operands>
auto cond(const Operand& predicate, const True& if_true, const False& if_false, const Operands&... operands) {
  const std::tuple<Operands...> arguments(operands...);
  using Result = std::remove_cvref_t<flat_call::ResultOf<True, std::tuple<Operands...>>>;
  std::optional<Result> result, other;
  const std::vector<Array> leaves =
      detail::cond(predicate, flat_call::flat_function(if_true, arguments, result),
                   flat_call::flat_function(if_false, arguments, other), flatten(arguments).leaves);
  return unflatten(*result, leaves);
}

/// carry = body(carry) while condition(carry).
/// Errors     INVALID_ARGUMENT if the body changes the carry's type
/// Gradient   forward mode only: the number of steps isn't known
template <typename Condition, typename Body, Tree Carry>
Carry while_loop(const Condition& condition, const Body& body, const Carry& initial,
                 std::source_location location = std::source_location::current()) {
  const FlatFunction flat_condition = [&](std::span<const Array> leaves) {
    return std::vector<Array>{Array(condition(unflatten(initial, leaves)))};
  };
  const FlatFunction flat_body = [&](std::span<const Array> leaves) {
    const FlatTree out = flatten(Carry(body(unflatten(initial, leaves))));
    detail::check_structure("while_loop", location, "the body's result", out.structure, flatten(initial).structure);
    return out.leaves;
  };
  return unflatten(initial, detail::while_loop(flat_condition, flat_body, flatten(initial).leaves, location));
}

/// f(carry, x) -> (carry, y) over the leading axis of `xs`; returns the last carry and all ys, stacked.
/// Errors     INVALID_ARGUMENT if leading axes differ, or the step changes the carry's type
/// Cost       one loop; ys are written in place
template <typename F, Tree Carry, Tree Xs>
auto scan(const F& f, const Carry& initial, const Xs& xs, bool reverse = false,
          std::source_location location = std::source_location::current()) {
  using Step = std::remove_cvref_t<decltype(f(initial, xs))>;
  using Ys = typename Step::second_type;
  std::optional<Ys> ys;
  const size_t carry_count = flatten(initial).leaves.size();
  const FlatFunction flat = [&](std::span<const Array> leaves) {
    Step step = f(unflatten(initial, leaves.first(carry_count)), unflatten(xs, leaves.subspan(carry_count)));
    FlatTree carry = flatten(Carry(step.first));
    detail::check_structure("scan", location, "the step's carry", carry.structure, flatten(initial).structure);
    ys.emplace(step.second);
    for (const Array& y : flatten(*ys).leaves) carry.leaves.push_back(y);
    return carry.leaves;
  };
  const detail::ScanResult result =
      detail::scan(flat, flatten(initial).leaves, flatten(xs).leaves, std::nullopt, reverse, location);
  return std::pair(unflatten(initial, result.carry), unflatten(*ys, result.ys));
}

/// carry = body(i, carry) for i in [lower, upper); the bounds are known, so both modes of derivative work.
template <typename Body, Tree Carry>
Carry fori_loop(int64_t lower, int64_t upper, const Body& body, const Carry& initial,
                std::source_location location = std::source_location::current()) {
  FlatTree start = flatten(initial);
  start.leaves.insert(start.leaves.begin(), Array::from_literal(Literal::scalar(static_cast<int32_t>(lower))));
  const FlatFunction flat = [&](std::span<const Array> leaves) {
    const FlatTree out = flatten(Carry(body(leaves[0], unflatten(initial, leaves.subspan(1)))));
    detail::check_structure("fori_loop", location, "the body's result", out.structure, flatten(initial).structure);
    std::vector<Array> next = {detail::increment(leaves[0], location)};
    next.insert(next.end(), out.leaves.begin(), out.leaves.end());
    return next;
  };
  const detail::ScanResult result =
      detail::scan(flat, start.leaves, {}, std::max<int64_t>(0, upper - lower), false, location);
  return unflatten(initial, std::span(result.carry).subspan(1));
}

/// The same with bounds that may be tracers: then it is a while_loop, which reverse mode refuses.
/// Errors     INVALID_ARGUMENT if a bound isn't an integer scalar, or their types differ
template <typename Body, Tree Carry>
Carry fori_loop(const Operand& lower, const Operand& upper, const Body& body, const Carry& initial) {
  const detail::Bounds bounds = detail::loop_bounds(lower, upper);
  if (bounds.values) return fori_loop(bounds.values->first, bounds.values->second, body, initial, lower.location());
  using State = std::tuple<Array, Array, Carry>;
  const State last =
      while_loop([&](const State& s) { return detail::less(std::get<0>(s), std::get<1>(s), lower.location()); },
                 [&](const State& s) {
                   const auto& [i, end, carry] = s;
                   return State(detail::increment(i, lower.location()), end, Carry(body(i, carry)));
                 },
                 State(bounds.lower, bounds.upper, initial), lower.location());
  return std::get<2>(last);
}

}  // namespace hilo::lax
