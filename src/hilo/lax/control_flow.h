// SPDX-License-Identifier: Apache-2.0
// lax/control_flow.h -- control flow that can be traced, differentiated and batched: cond, switch_, while_loop,
// fori_loop, scan. lax/map.h defines map and associative_scan.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo::lax {

namespace detail {
/// Implements cond. `one` and `other` walk the results of the branches once their branch has run.
std::vector<Array> cond(const Operand& predicate, const FlatFunction& if_true, const FlatFunction& if_false,
                        std::span<const Array> operands, WalkRef one, WalkRef other);
/// Binds a conditional. `index` is a scalar integer or pred; pred selects branch 0 if it is true.
std::vector<Array> conditional(std::string_view name, const Array& index, std::span<const FlatFunction> branches,
                               std::span<const Array> operands, const std::source_location& location);
/// Returns the index of a switch_, clamped to [0, count).
Array switch_index(const Operand& index, size_t count);
[[noreturn]] void refuse_no_branches(const std::source_location& location);
std::vector<Array> while_loop(const FlatFunction& condition, const FlatFunction& body, std::span<const Array> initial,
                              const std::source_location& location);
struct ScanResult {
  std::vector<Array> carry, ys;
};
/// Implements scan. `f` maps (carry, slice of xs) to (carry, slice of ys); the first initial.size() results are the
/// carry.
ScanResult scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs,
                std::optional<int64_t> length, bool reverse, const std::source_location& location);
/// Implements scan with `unroll` steps in each iteration of the loop.
ScanResult unrolled_scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs,
                         std::optional<int64_t> length, bool reverse, int64_t unroll,
                         const std::source_location& location);
/// The initial carry of a loop and the next carry that its body returned last. Their trees must be equal.
struct CarryTrees {
  WalkRef initial, next;
};
std::vector<Array> while_loop(const FlatFunction& condition, const FlatFunction& body, const CarryTrees& carry,
                              const std::source_location& location);
/// Implements scan with a check of trees. `f` returns the leaves of the carry and those of ys.
ScanResult scan(const FlatFunction& f, const CarryTrees& carry, WalkRef xs, std::optional<int64_t> length, bool reverse,
                int64_t unroll, const std::source_location& location);
/// The bounds of a fori_loop, as integer scalars of one type, and their values if both have one.
struct Bounds {
  Array lower, upper;
  bool have_values;
  int64_t first, last;  ///< values of the bounds
};
Bounds loop_bounds(const Operand& lower, const Operand& upper);
/// Returns upper - lower, at least 0.
/// Errors     OUT_OF_RANGE if 64 bits don't hold it
int64_t trip_count(int64_t lower, int64_t upper, const std::source_location& location);
/// Returns the leaves of the last carry. `body` takes the index and the carry. Bounds without values make it a
/// while_loop.
std::vector<Array> fori_loop(const Bounds& bounds, const FlatFunction& body, const CarryTrees& carry, int64_t unroll,
                             const std::source_location& location);
/// Throws the error for trees that differ: "function (train.cc:41): what: difference".
void refuse_difference(std::string_view function, const std::source_location& location, std::string_view what,
                       const std::string& difference);

/// Returns the leaves of a `part` of a call, and checks that its structure is that of `expected`.
template <Tree T>
std::vector<Array> leaves_like(std::string_view function, const std::source_location& location, std::string_view part,
                               const T& got, const T& expected) {
  FlatTree flat = hilo::flatten(got);
  if (flat.structure != hilo::flatten(expected).structure)
    detail::refuse_difference(function, location, std::string(part).append(" has another structure than the input"),
                              hilo::tree_difference(part, got, "the input", expected));
  return std::move(flat.leaves);
}

/// The type of a carry inside the loop: a number is a weakly typed scalar.
template <typename T>
using CarryOf = std::conditional_t<Number<T>, Array, T>;

/// Returns the result of a step as a pair: the next carry, and the slice to stack.
template <typename Step>
auto as_step(const Step& step) {
  constexpr bool is_pair = flat_call::PairLike<Step>, refused = std::is_same_v<Step, flat_call::Refused>;
  static_assert(is_pair || refused, "a scan's step returns a pair: the next carry, and what is stacked, or none");
  if constexpr (is_pair) return flat_call::pair_of(step);
  else return std::pair(flat_call::Refused(), Array());
}
/// Returns the next carry of a loop, converted to the type of the first.
template <typename Carry, typename Next>
Carry next_carry(const Next& next) {
  static_assert(flat_call::gives<Next, Carry>,
                "the next carry has another C++ type than the initial carry: return what the body takes");
  return flat_call::as<Carry>(next);
}
template <typename F, typename Tuple, typename Result>
std::vector<Array> run_branch(const flat_call::Typeless& call, std::span<const Array> leaves) {
  auto& result = *static_cast<std::optional<Result>*>(call.result);
  result.emplace(flat_call::as<Result>(flat_call::call(
      flat_call::function_at<F>(call.f), hilo::unflatten(*static_cast<const Tuple*>(call.arguments), leaves))));
  return hilo::flatten(*result).leaves;
}
/// Returns `f` as a function of the flat leaves of `arguments`; stores its last result, converted to Result, in
/// `result`.
template <typename F, typename Tuple, typename Result>
FlatFunction flat_branch(const F& f, const Tuple& arguments, std::optional<Result>& result) {
  return flat_call::flat_function(
      {flat_call::address_of(f), &arguments, &result, detail::run_branch<F, Tuple, Result>});
}
template <typename F, typename Tuple, typename Result>
std::vector<Array> run_step(const flat_call::Typeless& call, std::span<const Array> leaves) {
  auto& result = *static_cast<std::optional<Result>*>(call.result);
  const auto step = detail::as_step(flat_call::call(
      flat_call::function_at<F>(call.f), hilo::unflatten(*static_cast<const Tuple*>(call.arguments), leaves)));
  result.emplace(flat_call::as<typename Result::first_type>(step.first), step.second);
  return hilo::flatten(*result).leaves;
}
/// Does the same for a scan's step, which returns (carry, y).
template <typename F, typename Tuple, typename Result>
FlatFunction flat_step(const F& f, const Tuple& arguments, std::optional<Result>& result) {
  return flat_call::flat_function({flat_call::address_of(f), &arguments, &result, detail::run_step<F, Tuple, Result>});
}
template <typename T>
void walk_kept(void* kept, TreeVisitor& visitor) {
  hilo::walk(**static_cast<std::optional<T>*>(kept), visitor);
}
/// Walks the value of an optional that is set later.
template <typename T>
WalkRef walk_of_kept(std::optional<T>& kept) {
  return {&kept, detail::walk_kept<T>};
}
template <typename Pair>
void walk_first_kept(void* kept, TreeVisitor& visitor) {
  hilo::walk((*static_cast<std::optional<Pair>*>(kept))->first, visitor);
}
/// Doesn't compile: a tree for a loop or a branch in braces.
template <typename T>
constexpr void refuse_braces() {
  static_assert(kNever<T>, "a list in braces has no type here: name the struct or the tuple, std::tuple(a, b)");
}
/// Doesn't compile: the function isn't in its place among the arguments.
template <typename T>
constexpr void refuse_order() {
  static_assert(kNever<T>,
                "functions come first, as in JAX: scan(f, init, xs), map(f, xs), associative_scan(f, x), "
                "while_loop(condition, body, init), fori_loop(begin, end, body, init)");
}
}  // namespace detail

/// Calls if_true(operands...) or if_false(operands...), as the predicate selects: jax.lax.cond. Both branches are
/// traced; one is executed.
/// Types      predicate: a boolean or number as a scalar; both branches return the same type and tree
/// Errors     INVALID_ARGUMENT if the predicate isn't a scalar, or the results differ in type or tree: keys, optionals,
///            lengths, static values
/// Cost       one branch. Under vmap with a batched predicate, both branches run and a select picks the results.
/// Gradient   of the selected branch
/// Example    const auto one = [](Array x) { return x; };
///            const auto other = [](Array x) { return -2 * x; };
///            const auto f = [&](Array x) { return cond(x > 0, one, other, x); };
///            f(3)   // 3
///            f(-3)  // 6
template <typename True, typename False, typename... Operands>
auto cond(const Operand& predicate, const True& if_true, const False& if_false, const Operands&... operands) {
  const std::tuple<Operands...> arguments(operands...);
  using Result = std::remove_cvref_t<typename flat_call::CallOf<True, std::tuple<Operands...>>::Result>;
  if constexpr (!std::is_same_v<Result, flat_call::Refused>) {
    using Other = std::remove_cvref_t<typename flat_call::CallOf<False, std::tuple<Operands...>>::Result>;
    static_assert(flat_call::gives<Other, Result>,
                  "the branches return different C++ types: return one type from both");
  }
  std::optional<Result> result, other;
  FlatFunction flat_false;
  if constexpr (!std::is_same_v<Result, flat_call::Refused>)  // suppresses follow-up diagnostics
    flat_false = detail::flat_branch(if_false, arguments, other);
  const std::vector<Array> leaves =
      detail::cond(predicate, flat_call::flat_function(if_true, arguments, result), flat_false,
                   hilo::flatten(arguments).leaves, detail::walk_of_kept(result), detail::walk_of_kept(other));
  return hilo::unflatten(result ? *result : *other, leaves);
}

/// Doesn't compile: a second branch is missing.
template <typename True>
Array cond(const Operand&, const True&) {
  static_assert(kNever<True>, "cond takes two functions, and what they are called with: cond(p, f, g, x)");
  return {};
}
/// Doesn't compile: operands are passed one by one, because braces have no type.
template <typename True, typename False, typename T>
Array cond(const Operand&, const True&, const False&, std::initializer_list<T>) {
  detail::refuse_braces<T>();
  return {};
}

/// Repeats carry = body(carry) while condition(carry) is true; returns the last carry: jax.lax.while_loop.
/// Types      A weakly typed carry (a number) takes the type of the body's result, if that is of the same or a higher
///            kind.
/// Errors     INVALID_ARGUMENT if the body changes the carry's type or tree
/// Gradient   forward mode only, because the number of steps isn't known; use scan or fori_loop for reverse mode
/// Example    while_loop([](Array x) { return x < 100; }, [](Array x) { return 2 * x; }, 3)  // 192
template <typename Condition, typename Body, Tree Init>
auto while_loop(const Condition& condition, const Body& body, const Init& init,
                std::source_location location = std::source_location::current()) {
  using Carry = detail::CarryOf<Init>;
  const Carry initial(init);
  using Truth = typename flat_call::CallOf<Condition, std::tuple<Carry>>::Result;
  static_assert(flat_call::gives<Truth, Array>, "the condition of a while_loop returns one truth value, as an Array");
  if constexpr (!std::is_same_v<Truth, flat_call::Refused>) {
    using Next = std::remove_cvref_t<typename flat_call::CallOf<Body, std::tuple<Carry>>::Result>;
    static_assert(flat_call::gives<Next, Carry>,
                  "the next carry has another C++ type than the initial carry: return what the body takes");
  }
  const std::tuple<Carry> arguments(initial);
  std::optional<Array> truth;
  std::optional<Carry> next;
  FlatFunction flat_body;
  if constexpr (!std::is_same_v<Truth, flat_call::Refused>)  // suppresses follow-up diagnostics
    flat_body = detail::flat_branch(body, arguments, next);
  return hilo::unflatten(initial, detail::while_loop(detail::flat_branch(condition, arguments, truth), flat_body,
                                                     {hilo::walk_of(initial), detail::walk_of_kept(next)}, location));
}

/// Doesn't compile: the carry is one tree, whose type braces don't tell.
template <typename Condition, typename Body, typename T>
Array while_loop(const Condition&, const Body&, std::initializer_list<T>) {
  detail::refuse_braces<T>();
  return {};
}
/// Doesn't compile: the functions come first, the initial carry last.
template <typename First, typename Second, Tree... Init>
  requires(std::derived_from<First, Array> || sizeof...(Init) == 0)
Array while_loop(const First&, const Second&, const Init&...) {
  detail::refuse_order<First>();
  return {};
}
template <std::derived_from<Array> First, typename Condition, typename Body>
  requires(!Tree<Body>)
Array while_loop(const First&, const Condition&, const Body&) {
  detail::refuse_order<First>();
  return {};
}

/// Calls branches[index](operands...): jax.lax.switch. An index out of range is clamped. All branches are traced; one
/// is executed.
/// Types      branches: a std::vector of functions of one type, or a std::tuple of functions; all return the same type
///            and tree
/// Errors     INVALID_ARGUMENT if the index isn't an integer scalar, results differ in type or tree, or there are no
///            branches
/// Cost       one branch. Under vmap with a batched index, all branches run and a select picks the results.
/// Gradient   of the selected branch
/// Example    const auto one = [](Array x) { return x + 1; };
///            const auto two = [](Array x) { return 10 * x; };
///            switch_(1, std::tuple(one, two), 5)  // 50
template <typename... Branches, typename... Operands>
  requires(sizeof...(Branches) > 0)
auto switch_(const Operand& index, const std::tuple<Branches...>& branches, const Operands&... operands) {
  const auto& first = std::get<0>(branches);
  using Arguments = flat_call::Arguments<std::remove_cvref_t<decltype(first)>, Operands...>;
  using Result =
      std::remove_cvref_t<typename flat_call::CallOf<std::remove_cvref_t<decltype(first)>, Arguments>::Result>;
  static_assert(
      (flat_call::gives<std::remove_cvref_t<typename flat_call::CallOf<Branches, Arguments>::Result>, Result> && ...),
      "the branches return different C++ types: return one type from all");
  const Arguments arguments(operands...);
  std::optional<Result> result;
  std::vector<FlatFunction> flat;
  const auto add = [&](const auto& branch) {
    flat.push_back([&](std::span<const Array> leaves) {
      const auto own = flat_call::as<Result>(flat_call::call(branch, hilo::unflatten(arguments, leaves)));
      if (result) {
        detail::leaves_like<Result>("switch", index.location(), "a branch's result", own, *result);
      } else {
        result.emplace(own);
      }
      return hilo::flatten(own).leaves;
    });
  };
  tree_detail::apply([&](const auto&... branch) { (add(branch), ...); }, branches);
  const std::vector<Array> leaves = detail::conditional("switch", detail::switch_index(index, flat.size()), flat,
                                                        hilo::flatten(arguments).leaves, index.location());
  return hilo::unflatten(*result, leaves);
}
/// Doesn't compile: a number isn't a branch.
template <typename Branch, typename... Operands>
  requires(std::is_arithmetic_v<Branch>)
Array switch_(const Operand&, const std::vector<Branch>&, const Operands&...) {
  static_assert(!std::is_arithmetic_v<Branch>,
                "the branches of switch_ are functions: switch_(i, std::tuple(f, g), x)");
  return {};
}
/// Doesn't compile: the branches are one argument.
template <typename Branch, typename... Rest>
  requires(!tree_detail::IsTuple<Branch>::value && !tree_detail::IsVector<Branch>::value)
Array switch_(const Operand&, const Branch&, const Rest&...) {
  static_assert(kNever<Branch>, "the branches of switch_ are one argument: switch_(i, std::tuple(f, g), x)");
  return {};
}
template <typename Branch, typename... Operands>
  requires(!std::is_arithmetic_v<Branch>)
auto switch_(const Operand& index, const std::vector<Branch>& branches, const Operands&... operands) {
  if (branches.empty()) detail::refuse_no_branches(index.location());
  using Arguments = flat_call::Arguments<Branch, Operands...>;
  using Result = std::remove_cvref_t<typename flat_call::CallOf<Branch, Arguments>::Result>;
  const Arguments arguments(operands...);
  std::optional<Result> result;
  std::vector<FlatFunction> flat;
  for (const Branch& branch : branches) {
    flat.push_back([&](std::span<const Array> leaves) {
      Result own = flat_call::call(branch, hilo::unflatten(arguments, leaves));
      if (!result) result.emplace(own);
      return detail::leaves_like<Result>("switch", index.location(), "a branch's result", own, *result);
    });
  }
  const std::vector<Array> leaves = detail::conditional("switch", detail::switch_index(index, flat.size()), flat,
                                                        hilo::flatten(arguments).leaves, index.location());
  return hilo::unflatten(*result, leaves);
}

/// Calls one of several functions of one array, listed in braces: switch_(i, {numpy::sin, numpy::cos}, x).
Array switch_(const Operand& index, const std::vector<std::function<Array(const Array&)>>& branches,
              const Operand& operand);

/// Options of scan, as in JAX.
struct ScanOptions {
  std::optional<int64_t> length = {};  ///< number of steps; required only without xs
  bool reverse = false;                ///< runs from the last slice to the first; each y keeps the index of its x
  int64_t unroll = 1;                  ///< steps in each iteration of the loop
  bool _split_transpose = false;       ///< accepted for JAX's sake; has no effect
};

/// Runs (carry, y) = f(carry, x) for each x along the leading axis of `xs`: jax.lax.scan. Returns the last carry and
/// all ys, stacked.
/// Shapes     xs: arrays of one leading size n; y gets a leading axis of size n
/// Types      init, xs, y: trees; std::nullopt or {} as JAX's None. A weakly typed carry as for while_loop.
/// Errors     INVALID_ARGUMENT if leading sizes differ, or the step changes the carry's type or tree
/// Cost       one loop, which is compiled once; ys are written in place
/// Gradient   both modes; reverse mode stores the values of all steps that are dear to compute, and computes the others
///            again. checkpoint(f) stores the carries only.
/// Example    const auto step = [](Array sum, Array x) { return std::pair(sum + x, sum); };
///            const auto [total, before] = scan(step, Array(0), numpy::arange(5));
///            total   // 10
///            before  // [0 0 1 3 6]
template <typename F, Tree Init = std::optional<Array>, Tree Xs>
auto scan(const F& f, const Init& init, const Xs& xs, const ScanOptions& options = {},
          std::source_location location = std::source_location::current()) {
  using Carry = detail::CarryOf<Init>;
  const Carry initial(init);
  using Step = decltype(detail::as_step(flat_call::call(f, std::tuple<Carry, Xs>(initial, xs))));
  using Ys = typename Step::second_type;
  static_assert(flat_call::gives<typename Step::first_type, Carry>,
                "the next carry has another C++ type than the initial carry: return what the step takes");
  const std::tuple<Carry, Xs> arguments(initial, xs);
  std::optional<std::pair<Carry, Ys>> kept;
  const detail::ScanResult result =
      detail::scan(detail::flat_step(f, arguments, kept),
                   {hilo::walk_of(initial), {&kept, detail::walk_first_kept<std::pair<Carry, Ys>>}}, hilo::walk_of(xs),
                   options.length, options.reverse, options.unroll, location);
  return std::pair(hilo::unflatten(initial, result.carry), hilo::unflatten(kept->second, result.ys));
}
/// Runs a scan, forwards or in `reverse`.
template <typename F, Tree Init = std::optional<Array>, Tree Xs>
auto scan(const F& f, const Init& init, const Xs& xs, std::same_as<bool> auto reverse,
          std::source_location location = std::source_location::current()) {
  return lax::scan(f, init, xs, ScanOptions{.reverse = reverse}, location);
}
/// Runs a scan without xs: f(carry, std::nullopt), for options.length or `length` steps.
/// Errors     INVALID_ARGUMENT without a length
template <typename F, Tree Init = std::optional<Array>>
auto scan(const F& f, const Init& init, std::nullopt_t, const ScanOptions& options,
          std::source_location location = std::source_location::current()) {
  constexpr bool takes_none = std::is_invocable_v<const F&, const detail::CarryOf<Init>&, std::nullopt_t>;
  static_assert(takes_none, "without xs a scan's step gets none in place of an element: [](Array carry, auto) {...}");
  const auto step = [&](const auto& carry, const std::tuple<>&) {
    if constexpr (takes_none) return f(carry, std::nullopt);
    else return std::pair(carry, carry);  // suppresses follow-up diagnostics
  };
  return lax::scan(step, init, std::tuple<>(), options, location);
}
template <typename F, Tree Init = std::optional<Array>>
auto scan(const F& f, const Init& init, std::nullopt_t none, int64_t length,
          std::source_location location = std::source_location::current()) {
  return lax::scan(f, init, none, ScanOptions{.length = length}, location);
}
template <typename F, Tree Init>
auto scan(const F& f, const Init& init, const ScanOptions& options = {},
          std::source_location location = std::source_location::current()) {
  return lax::scan(f, init, std::nullopt, options, location);
}
/// Doesn't compile: the carry is one tree, whose type braces don't tell.
template <typename F, typename T, typename Xs>
auto scan(const F&, std::initializer_list<T>, const Xs&, const ScanOptions& = {}) {
  detail::refuse_braces<T>();
  return std::pair<Array, Array>();
}
/// Doesn't compile: the function comes first.
template <std::derived_from<Array> First, typename... Rest>
auto scan(const First&, const Rest&...) {
  detail::refuse_order<First>();
  return std::pair<Array, Array>();
}

namespace detail {
/// Returns the last carry. Not named fori_loop, because overload resolution would then test whether a Body converts to
/// a FlatFunction.
template <typename Body, Tree Carry>
Carry last_carry(const Bounds& bounds, const Body& body, const Carry& initial, int64_t unroll,
                 const std::source_location& location) {
  const std::tuple<Array, Carry> arguments(bounds.lower, initial);
  std::optional<Carry> next;
  return hilo::unflatten(
      initial, detail::fori_loop(bounds, detail::flat_branch(body, arguments, next),
                                 CarryTrees{hilo::walk_of(initial), detail::walk_of_kept(next)}, unroll, location));
}
}  // namespace detail

/// Options of fori_loop, as in JAX.
struct ForiLoopOptions {
  int64_t unroll = 1;  ///< steps in each iteration of the loop; requires known bounds
};

/// Repeats carry = body(i, carry) for i in [lower, upper); returns the last carry: jax.lax.fori_loop.
/// Types      i: a weakly typed integer; a weakly typed carry as for while_loop
/// Errors     INVALID_ARGUMENT if the body changes the carry's type or tree; OUT_OF_RANGE for bounds that i's type
///            can't hold
/// Cost       one loop, which is compiled once
/// Gradient   both modes, because the bounds are known
/// Example    fori_loop(0, 5, [](Array i, Array sum) { return sum + i * i; }, 0)  // 30
template <typename Body, Tree Init>
auto fori_loop(int64_t lower, int64_t upper, const Body& body, const Init& init, const ForiLoopOptions& options = {},
               std::source_location location = std::source_location::current()) {
  using Carry = detail::CarryOf<Init>;
  using Next = std::remove_cvref_t<typename flat_call::CallOf<Body, std::tuple<Array, Carry>>::Result>;
  static_assert(flat_call::gives<Next, Carry>, "the body of a fori_loop returns the next carry, of the type it takes");
  const detail::Bounds bounds = detail::loop_bounds(Operand(lower, location), Operand(upper, location));
  return detail::last_carry(bounds, body, Carry(init), options.unroll, location);
}

/// Repeats carry = body(i, carry) with bounds that may be tracers.
/// Types      i has the type of the bounds
/// Errors     INVALID_ARGUMENT if a bound isn't an integer scalar, their types differ, or unroll isn't 1 for unknown
///            bounds
/// Gradient   with unknown bounds forward mode only, because the loop is a while_loop
template <typename Body, Tree Init>
auto fori_loop(const Operand& lower, const Operand& upper, const Body& body, const Init& init,
               const ForiLoopOptions& options = {}) {
  using Carry = detail::CarryOf<Init>;
  using Next = std::remove_cvref_t<typename flat_call::CallOf<Body, std::tuple<Array, Carry>>::Result>;
  static_assert(flat_call::gives<Next, Carry>, "the body of a fori_loop returns the next carry, of the type it takes");
  return detail::last_carry(detail::loop_bounds(lower, upper), body, Carry(init), options.unroll, lower.location());
}
/// Doesn't compile: the carry is one tree, whose type braces don't tell.
template <typename Body, typename T>
Array fori_loop(const Operand&, const Operand&, const Body&, std::initializer_list<T>, const ForiLoopOptions& = {}) {
  detail::refuse_braces<T>();
  return {};
}
/// Doesn't compile: the body comes third, the initial carry last.
template <typename Third, typename... Rest>
  requires(std::derived_from<Third, Array> || sizeof...(Rest) == 0)
Array fori_loop(const Operand&, const Operand&, const Third&, const Rest&...) {
  detail::refuse_order<Third>();
  return {};
}

}  // namespace hilo::lax
