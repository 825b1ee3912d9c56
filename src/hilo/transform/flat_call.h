// SPDX-License-Identifier: Apache-2.0
// transform/flat_call.h -- between typed user functions and transformations on flat lists of arrays.
#pragma once

#include <functional>
#include <type_traits>

#include "hilo/trace/flat_function.h"
#include "hilo/tree/tree.h"

namespace hilo {

/// Takes what JAX's argnums would be, and says where they are here.
struct ArgnumsInAngles {
  ArgnumsInAngles() = default;
  template <typename First, typename... Rest>
    requires(!std::same_as<First, ArgnumsInAngles>)
  ArgnumsInAngles(First, Rest...) {  // NOLINT: whatever is given converts, to be refused
    static_assert(sizeof(First) == 0, "the numbers of arguments stand in <>: grad<1>(f), jacfwd<0, 2>(f), jit<1>(f)");
  }
  bool operator==(const ArgnumsInAngles&) const = default;
};

/// A function whose result is (value, aux): only the value is differentiated. What has_aux returns.
template <typename F>
struct HasAux {
  F f;
  template <typename... Args>
    requires std::is_invocable_v<const F&, const Args&...>
  auto operator()(const Args&... args) const {
    return f(args...);
  }
};

/// Marks `f`, which returns a pair (value, aux), for jvp, vjp, linearize, jacfwd, jacrev and hessian, as has_aux=True
/// does in JAX: they hand aux on beside their results.
/// Example    auto [y, pull, aux] = vjp(has_aux(f), x);
template <typename F>
HasAux<F> has_aux(F f) {
  return {std::move(f)};
}

}  // namespace hilo

namespace hilo::flat_call {

template <typename F>
inline constexpr bool kHasAux = false;
template <typename F>
inline constexpr bool kHasAux<HasAux<F>> = true;

/// The part of a result of F that is differentiated: all of it, or the value of a function that has aux.
template <typename F, typename Result>
const auto& value_of(const Result& result) {
  if constexpr (kHasAux<F>) return result.first;
  else return result;
}

/// Leaves of the value in the latest result of F; the leaves of aux follow them.
template <typename F, typename Result>
std::function<size_t()> value_leaves(const std::optional<Result>& result) {
  return [&result] { return hilo::flatten(flat_call::value_of<F>(*result)).leaves.size(); };
}

/// Marks an argument that stays the number it is.
template <typename T> struct Kept;

template <typename T> struct PlainOf {
  // Text of any kind travels as a std::string.
  using Type = std::conditional_t<std::is_convertible_v<T, std::string>, std::string, std::remove_cvref_t<T>>;
  using Lifted = std::conditional_t<Number<Type>, Array, Type>;
};
template <typename T> struct PlainOf<Kept<T>> {
  using Type = typename PlainOf<T>::Type;
  using Lifted = Type;
};
template <typename T>
using Plain = typename PlainOf<T>::Type;
template <typename T>
using Lifted = typename PlainOf<T>::Lifted;

/// Numbers become Arrays one by one, as far as F takes Arrays there.
template <typename F, typename Decided, typename... Rest> struct LiftOneByOne {
  using Type = Decided;
};
template <typename F, typename... Decided, typename Next, typename... Rest>
struct LiftOneByOne<F, std::tuple<Decided...>, Next, Rest...> {
  static constexpr bool lifts = std::is_invocable_v<const F&, Decided..., Lifted<Next>, Plain<Rest>...>;
  using Chosen = std::conditional_t<lifts, Lifted<Next>, Plain<Next>>;
  using Type = typename LiftOneByOne<F, std::tuple<Decided..., Chosen>, Rest...>::Type;
};

/// All at once if that will do: a generic F may not compile for numbers.
template <bool kAllAtOnce, typename F, typename... Args> struct Lift {
  using Type = std::tuple<Lifted<Args>...>;
};
template <typename F, typename... Args> struct Lift<false, F, Args...> : LiftOneByOne<F, std::tuple<>, Args...> {};

/// The tuple in which the arguments of a call of F travel: numbers as Arrays where F takes an Array.
template <typename F, typename... Args>
using Arguments = typename Lift<std::is_invocable_v<const F&, Lifted<Args>...>, F, Args...>::Type;

/// The parameters of a function that is no template and has one signature.
template <typename F> struct Signature;
template <typename R, typename... Parameters> struct Signature<R (*)(Parameters...)> {
  static constexpr size_t count = sizeof...(Parameters);
  static constexpr bool changes_arguments =
      ((std::is_lvalue_reference_v<Parameters> && !std::is_const_v<std::remove_reference_t<Parameters>>) || ...);
  static constexpr bool changes_itself = false;
};
template <typename F, typename R, typename... Parameters>
struct Signature<R (F::*)(Parameters...) const> : Signature<R (*)(Parameters...)> {};
template <typename F, typename R, typename... Parameters>
struct Signature<R (F::*)(Parameters...)> : Signature<R (*)(Parameters...)> {
  static constexpr bool changes_itself = true;
};
template <typename F>
concept HasSignature = requires { &F::operator(); } || std::is_function_v<std::remove_pointer_t<F>>;
template <typename F>
constexpr auto signature_of() {
  if constexpr (requires { &F::operator(); }) return Signature<decltype(&F::operator())>();
  else return Signature<F>();
}

/// Doesn't compile: says why F can't be called with `count` arguments.
template <typename F, size_t count>
constexpr void refuse_call() {
  if constexpr (HasSignature<F>) {
    using Own = decltype(flat_call::signature_of<F>());
    constexpr bool wrong_count = Own::count != count;
    static_assert(!wrong_count, "the function takes another number of arguments than it is given");
    static_assert(
        wrong_count || !Own::changes_arguments,
        "a parameter that is an Array& can't be traced: take an Array or const Array&, and return what changes");
    static_assert(wrong_count || Own::changes_arguments || !Own::changes_itself,
                  "a mutable lambda can't be traced: take its state as an argument, and return it");
    static_assert(
        wrong_count || Own::changes_arguments || Own::changes_itself,
        "the function's parameters are not made of what it is given: where an Array comes, as a loop's index, "
        "take an Array, no int");
  } else {
    static_assert(count > 10000, "the function can't be called with these arguments: their number or types differ");
  }
}

/// What F gives for the elements of Tuple. What it can't be asked is refused in a sentence, and stands for an Array, so
/// that no more is said.
template <typename F, typename Tuple> struct CallOf;
template <typename F, typename... Args> struct CallOf<F, std::tuple<Args...>> {
  static constexpr bool possible = std::is_invocable_v<const F&, Args...>;
  static constexpr auto check() {
    if constexpr (!possible) {
      flat_call::refuse_call<F, sizeof...(Args)>();
      return std::type_identity<Array>();
    } else if constexpr (std::is_void_v<std::invoke_result_t<const F&, Args...>>) {
      static_assert(sizeof...(Args) > 10000, "the function returns nothing: return an Array, or a tree of them");
      return std::type_identity<Array>();
    } else {
      return std::type_identity<std::invoke_result_t<const F&, Args...>>();
    }
  }
  using Result = typename decltype(check())::type;
  static constexpr bool gives_result = [] {
    if constexpr (possible) return !std::is_void_v<std::invoke_result_t<const F&, Args...>>;
    else return false;
  }();
};

template <typename F, typename Tuple>
using ResultOf = typename CallOf<F, std::remove_cvref_t<Tuple>>::Result;

/// f of the tuple's elements.
template <typename F, typename Tuple>
ResultOf<F, Tuple> call(const F& f, const Tuple& arguments) {
  if constexpr (CallOf<F, Tuple>::gives_result) return std::apply(f, arguments);
  else return Array();
}

template <typename Tuple>
inline constexpr size_t size_of = std::tuple_size_v<std::remove_cvref_t<Tuple>>;

/// Leaves of each argument.
template <typename Tuple>
std::vector<size_t> leaf_counts(const Tuple& arguments) {
  return std::apply([](const auto&... a) { return std::vector<size_t>{hilo::flatten(a).leaves.size()...}; }, arguments);
}

/// Leaves of each element of a tuple, or of the whole of what is none.
template <typename T>
std::vector<size_t> element_leaf_counts(const T& value) {
  if constexpr (tree_detail::IsTuple<T>::value) return flat_call::leaf_counts(value);
  else return {hilo::flatten(value).leaves.size()};
}

/// One bit a leaf: does its argument stand in `argnums`? Negative numbers count from the end.
/// Errors    INVALID_ARGUMENT for a number out of range
std::vector<bool> mask_of(const std::vector<size_t>& leaf_counts, const std::vector<int>& argnums);
template <typename Tuple>
std::vector<bool> leaf_mask(const Tuple& arguments, const std::vector<int>& argnums) {
  return flat_call::mask_of(flat_call::leaf_counts(arguments), argnums);
}

/// Differentiated leaves of the arguments `argnums`, from the arguments' order into that of `argnums`.
std::vector<Array> in_order_of(const std::vector<int>& argnums, const std::vector<size_t>& leaf_counts,
                               std::vector<Array> leaves);

/// The argument numbered First, or a tuple of several.
template <int First, int... Rest, typename Tuple>
auto chosen(const Tuple& arguments) {
  constexpr int count = static_cast<int>(std::tuple_size_v<Tuple>);
  const auto get = [&]<int I>(std::integral_constant<int, I>) {
    static_assert(I >= -count && I < count, "argnums: no such argument");
    if constexpr (I >= -count && I < count) return std::get<static_cast<size_t>(I < 0 ? I + count : I)>(arguments);
    else return Array();
  };
  if constexpr (sizeof...(Rest) == 0) return get(std::integral_constant<int, First>());
  else return std::tuple(get(std::integral_constant<int, First>()), get(std::integral_constant<int, Rest>())...);
}

/// `arguments` without the arrays that they hold, for who keeps only the structure.
template <typename T>
T without_arrays(const T& arguments) {
  return hilo::unflatten(arguments, std::vector<Array>(hilo::flatten(arguments).leaves.size()));
}

/// "args[0].w": where leaf `index` of the arguments stands.
template <Tree T>
std::string path_of(const T& arguments, size_t index) {
  T copy = arguments;
  return "args" + hilo::leaf_path(index, [&](TreeVisitor& visitor) { hilo::walk(copy, visitor); });
}

/// `f` on flat leaves of `arguments`; the tree of its last result is kept in `result`.
template <typename F, typename Tuple, typename Result>
FlatFunction flat_function(const F& f, const Tuple& arguments, std::optional<Result>& result) {
  return [&f, &arguments, &result](std::span<const Array> leaves) {
    result.emplace(flat_call::call(f, hilo::unflatten(arguments, leaves)));
    return hilo::flatten(*result).leaves;
  };
}

template <typename First, typename Second>
auto pair_without_none(const First& first, const Second& second) {
  if constexpr (std::is_same_v<Second, std::nullopt_t>) return std::pair<First, std::tuple<>>(first, {});
  else return std::pair<First, Second>(first, second);
}
template <typename T>
concept PairLike = requires(const T& x) { x.first, x.second; } ||
                   (tree_detail::IsTuple<T>::value && requires { requires std::tuple_size_v<T> == 2; });
/// The two things that a step or a rule returns, in a pair or a tuple; none as second is a tree without arrays.
template <PairLike T>
auto pair_of(const T& x) {
  if constexpr (requires { x.first, x.second; }) return flat_call::pair_without_none(x.first, x.second);
  else return flat_call::pair_without_none(std::get<0>(x), std::get<1>(x));
}

}  // namespace hilo::flat_call
