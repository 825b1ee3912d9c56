// SPDX-License-Identifier: Apache-2.0
// transform/flat_call.h -- connects typed user functions with transformations on flat lists of arrays.
#pragma once

#include <functional>
#include <type_traits>

#include "hilo/trace/flat_function.h"
#include "hilo/tree/tree.h"

namespace hilo {

/// Rejects JAX's argnums with a message that shows hilo's spelling.
struct ArgnumsInAngles {
  ArgnumsInAngles() = default;
  template <typename First, typename... Rest>
    requires(!std::same_as<First, ArgnumsInAngles>)
  ArgnumsInAngles(First, Rest...) {  // converts from anything, so that the static_assert below reports the error
    static_assert(kNever<First>,
                  "the numbers of arguments are template arguments: grad<1>(f), jacfwd<0, 2>(f), jit<1>(f)");
  }
  bool operator==(const ArgnumsInAngles&) const = default;
};

/// A function that returns (value, aux); only the value is differentiated. The result of has_aux.
template <typename F>
struct HasAux {
  F f;
  template <typename... Args>
    requires std::is_invocable_v<const F&, const Args&...>
  auto operator()(const Args&... args) const {
    return f(args...);
  }
};

/// Marks a function that returns (value, aux) for jvp, vjp, linearize, jacfwd, jacrev and hessian, as has_aux=True does
/// in JAX. They return aux after their other results.
/// Example    const auto f = has_aux([](Array x) { return std::pair(x * x, x + 1.0f); });
///            const auto [y, pull, aux] = vjp(f, Array(3.0f));
///            aux  // 4.0
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

/// Returns the differentiated part of a result of F: all of it, or the value of a function with aux.
template <typename F, typename Result>
const auto& value_of(const Result& result) {
  if constexpr (kHasAux<F>) return result.first;
  else return result;
}

template <bool kAux, typename Result>
void walk_value_of(void* result, TreeVisitor& visitor) {
  if constexpr (kAux) hilo::walk((**static_cast<std::optional<Result>*>(result)).first, visitor);
  else hilo::walk(**static_cast<std::optional<Result>*>(result), visitor);
}
std::function<size_t()> leaf_count_later(WalkRef walk_value);
/// Returns the number of leaves of the value in the latest result of F; the leaves of aux follow them.
template <typename F, typename Result>
std::function<size_t()> value_leaves(std::optional<Result>& result) {
  return flat_call::leaf_count_later({&result, flat_call::walk_value_of<kHasAux<F>, Result>});
}

/// Marks an argument that stays a number.
template <typename T> struct Kept;

template <typename T> struct PlainOf {
  // All kinds of text are passed as std::string.
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

/// Same as std::is_invocable_v; compilers' messages about it are shorter.
template <typename F, typename... Args>
concept Callable = (std::is_member_pointer_v<F> && std::is_invocable_v<const F&, Args...>) ||
                   requires(const F& f) { f(std::declval<Args>()...); };

/// Converts numbers to Arrays one by one, if F accepts an Array there.
template <typename F, typename Decided, typename... Rest> struct LiftOneByOne {
  using Type = Decided;
};
template <typename F, typename... Decided, typename Next, typename... Rest>
struct LiftOneByOne<F, std::tuple<Decided...>, Next, Rest...> {
  static constexpr bool lifts = Callable<F, Decided..., Lifted<Next>, Plain<Rest>...>;
  using Chosen = std::conditional_t<lifts, Lifted<Next>, Plain<Next>>;
  using Type = typename LiftOneByOne<F, std::tuple<Decided..., Chosen>, Rest...>::Type;
};

/// Converts all at once if F accepts that, because a generic F may not compile for numbers.
template <bool kAllAtOnce, typename F, typename... Args> struct Lift {
  using Type = std::tuple<Lifted<Args>...>;
};
template <typename F, typename... Args> struct Lift<false, F, Args...> : LiftOneByOne<F, std::tuple<>, Args...> {};

/// The tuple of arguments for a call of F: numbers are Arrays where F accepts an Array.
template <typename F, typename... Args>
using Arguments = typename Lift<Callable<F, Lifted<Args>...>, F, Args...>::Type;

/// The parameters of a function that isn't a template and has one signature.
template <typename F> struct Signature {};
template <typename R, typename... Parameters, bool throws>
struct Signature<R (*)(Parameters...) noexcept(throws)> {
  using Plain = std::tuple<std::remove_cvref_t<Parameters>...>;
  static constexpr size_t count = sizeof...(Parameters);
  static constexpr bool changes_arguments =
      ((std::is_lvalue_reference_v<Parameters> && !std::is_const_v<std::remove_reference_t<Parameters>>) || ...);
  static constexpr bool changes_itself = false;
};
template <typename F, typename R, typename... Parameters, bool throws>
struct Signature<R (F::*)(Parameters...) const noexcept(throws)> : Signature<R (*)(Parameters...)> {};
template <typename F, typename R, typename... Parameters, bool throws>
struct Signature<R (F::*)(Parameters...) noexcept(throws)> : Signature<R (*)(Parameters...)> {
  static constexpr bool changes_itself = true;
};
template <typename F>
constexpr auto signature_of() {
  if constexpr (requires { &F::operator(); }) return Signature<decltype(&F::operator())>();
  else return Signature<std::add_pointer_t<std::remove_pointer_t<F>>>();
}
template <typename F>
concept HasSignature = requires { decltype(flat_call::signature_of<F>())::count; };

/// Whether T is a Ref; see numpy/ref.h.
template <typename T>
inline constexpr bool kIsRef = false;
template <typename T>
constexpr bool holds_ref();
template <typename T>
inline constexpr bool kAnyHoldsRef = false;
template <typename... Ts>
inline constexpr bool kAnyHoldsRef<std::tuple<Ts...>> = (flat_call::holds_ref<std::remove_cvref_t<Ts>>() || ...);
template <typename A, typename B>
inline constexpr bool kAnyHoldsRef<std::pair<A, B>> = kAnyHoldsRef<std::tuple<A, B>>;
template <typename T, size_t N>
inline constexpr bool kAnyHoldsRef<std::array<T, N>> = flat_call::holds_ref<T>();
template <typename... Fields>
inline constexpr bool kAnyHoldsRef<tree_detail::References<Fields...>> = kAnyHoldsRef<std::tuple<Fields...>>;
/// Whether the tree type T holds a Ref.
template <typename T>
constexpr bool holds_ref() {
  if constexpr (kIsRef<T>) return true;
  else if constexpr (std::derived_from<T, Array> || tree_detail::is_fixed<T> || !Tree<T>) return false;
  else if constexpr (tree_detail::IsVector<T>::value || tree_detail::IsOptional<T>::value)
    return flat_call::holds_ref<typename T::value_type>();
  else if constexpr (tree_detail::IsMap<T>::value) return flat_call::holds_ref<typename T::mapped_type>();
  else if constexpr (tree_detail::IsTuple<T>::value) return kAnyHoldsRef<T>;
  else if constexpr (tree_detail::HasFields<T>) return kAnyHoldsRef<decltype(std::declval<T&>().hilo_tree_fields())>;
  else if constexpr (std::is_aggregate_v<T> && !tree_detail::holds_array<T>())
    return kAnyHoldsRef<decltype(boost::pfr::structure_tie(std::declval<T&>()))>;
  else return false;
}
/// Whether a function that returns nothing can have an effect: it may capture a ref, or takes one.
template <typename F, typename... Args>
constexpr bool may_write() {
  return !std::is_empty_v<F> || (flat_call::holds_ref<std::remove_cvref_t<Args>>() || ...);
}

/// The result type of a rejected call; suppresses follow-up diagnostics.
struct Refused : Array {};
/// An expression of type Expected for code that doesn't compile anyway.
template <typename Expected>
Expected nothing();
template <typename Got, typename Expected>
inline constexpr bool gives = std::is_convertible_v<const Got&, Expected> || std::is_same_v<Got, Refused>;
/// Converts the result of a user's function to the expected type. The caller has asserted `gives` with a readable
/// message.
template <typename Expected, typename Got>
Expected as(const Got& got) {
  if constexpr (std::is_convertible_v<const Got&, Expected>) return got;
  else return flat_call::nothing<Expected>();
}

/// The reason why F can't be called.
enum class Problem : uint8_t { kNone, kValue, kCount, kReference, kMutable, kTypes, kUnknown, kVoid };
template <typename F, typename... Args>
constexpr Problem problem_of() {
  if constexpr (std::is_base_of_v<Array, F> || tree_detail::IsTuple<F>::value || std::is_arithmetic_v<F>) {
    return Problem::kValue;
  } else if constexpr (Callable<F, Args...>) {
    return std::is_void_v<std::invoke_result_t<const F&, Args...>> ? Problem::kVoid : Problem::kNone;
  } else if constexpr (HasSignature<F>) {
    using Own = decltype(flat_call::signature_of<F>());
    if constexpr (Own::count != sizeof...(Args)) return Problem::kCount;
    else if constexpr (Own::changes_arguments) return Problem::kReference;
    else return Own::changes_itself ? Problem::kMutable : Problem::kTypes;
  } else {
    return Problem::kUnknown;
  }
}

/// The result of F for the elements of Tuple. Invalid calls fail with a readable static_assert and have the result type
/// Refused, which suppresses follow-up diagnostics. The assertions are in this struct, because each function in between
/// adds a line to the message.
template <typename F, typename Tuple> struct CallOf;
template <typename F, typename... Args> struct CallOf<F, std::tuple<Args...>> {
  static constexpr Problem problem = flat_call::problem_of<F, Args...>();
  static constexpr bool gives_result = problem == Problem::kNone;
  static constexpr bool gives_none = [] {
    if constexpr (problem == Problem::kVoid) return flat_call::may_write<F, Args...>();
    else return false;
  }();
  static constexpr auto result() {
    if constexpr (gives_none) return std::type_identity<std::tuple<>>();
    else if constexpr (gives_result) return std::type_identity<std::invoke_result_t<const F&, Args...>>();
    else return std::type_identity<Refused>();
  }
  using Result = typename decltype(result())::type;
  static constexpr bool is_function = problem != Problem::kValue, right_count = problem != Problem::kCount,
                        unchanged = problem != Problem::kReference, stateless = problem != Problem::kMutable,
                        right_types = problem != Problem::kTypes, returns = problem != Problem::kVoid || gives_none;
  // Last, and conditions are plain names: after a failure Clang drops the other members and prints the condition's
  // expression.
  static_assert(is_function, "expected a function, got a value: grad(f)(x), not grad(f(x))");
  static_assert(right_count, "the function takes another number of arguments than are passed");
  static_assert(
      unchanged,
      "a parameter that is an Array& can't be traced: take an Array or const Array&, and return what changes");
  static_assert(stateless, "a mutable lambda can't be traced: take its state as an argument, and return it");
  static_assert(right_types,
                "the function's parameters don't fit the arguments: where an Array is passed, as a loop's index, "
                "take an Array, no int");
  static_assert(returns, "the function returns nothing: return an Array, or a tree of them");
};

template <typename F, typename Tuple>
using ResultOf = typename CallOf<F, std::remove_cvref_t<Tuple>>::Result;

/// Fails with a readable static_assert for types that are not trees, close to the user's code.
template <typename Tuple>
inline constexpr bool are_trees = true;
template <typename... Ts>
inline constexpr bool are_trees<std::tuple<Ts...>> = (tree_detail::RequireTree<Ts>::value && ...);

/// Calls f with the tuple's elements.
template <typename F, typename Tuple>
ResultOf<F, Tuple> call(const F& f, const Tuple& arguments) {
  // The compiler's own message is best for errors of or in a generic function.
  if constexpr (CallOf<F, Tuple>::problem == Problem::kUnknown) return tree_detail::apply(f, arguments), Refused();
  else if constexpr (CallOf<F, Tuple>::gives_none) return tree_detail::apply(f, arguments), std::tuple<>();
  else if constexpr (!CallOf<F, Tuple>::gives_result) return {};
  else if constexpr (std::is_member_pointer_v<F>) return std::apply(f, arguments);
  else return tree_detail::apply(f, arguments);
}
/// Calls f with separate arguments: for user functions of loops, rules and callbacks.
template <typename F, typename... Args>
ResultOf<F, std::tuple<const Args&...>> call_with(const F& f, const Args&... args) {
  if constexpr (CallOf<F, std::tuple<const Args&...>>::problem == Problem::kUnknown) return f(args...), Refused();
  else if constexpr (CallOf<F, std::tuple<const Args&...>>::gives_none) return f(args...), std::tuple<>();
  else if constexpr (CallOf<F, std::tuple<const Args&...>>::gives_result) return f(args...);
  else return {};
}

/// Lets a transformed function accept {a, b} for a struct. If the function has one signature, its parameters determine
/// the type; else a static_assert shows what to write. Self::call is the generic function.
template <typename Self, typename Parameters> struct TakesBraces;
template <typename Self, typename... Parameters>
struct TakesBraces<Self, std::tuple<Parameters...>> {
  auto operator()(const Parameters&... args) const { return static_cast<const Self*>(this)->call(args...); }
};
template <typename Self>
struct TakesBraces<Self, void> {
  template <typename T, typename... Rest>
  Array operator()(std::initializer_list<T>, const Rest&...) const {
    static_assert(kNever<T>, "a list in braces has no type here: name the struct, f(Params{a, b})");
    return {};
  }
  template <typename First, typename T, typename... Rest>
  Array operator()(const First&, std::initializer_list<T>, const Rest&...) const {
    static_assert(kNever<T>, "a list in braces has no type here: name the struct, f(x, Params{a, b})");
    return {};
  }
};
template <typename F>
constexpr auto plain_parameters() {
  if constexpr (HasSignature<F>) return std::type_identity<typename decltype(flat_call::signature_of<F>())::Plain>();
  else return std::type_identity<void>();
}
template <typename F>
using PlainParameters = typename decltype(flat_call::plain_parameters<F>())::type;
/// `Call` is the transformed F.
template <typename F, typename Call>
struct WithBraces : Call, TakesBraces<WithBraces<F, Call>, PlainParameters<F>> {
  explicit WithBraces(Call call) : Call(std::move(call)) {}
  using Call::operator();
  using TakesBraces<WithBraces, PlainParameters<F>>::operator();
  template <typename... Args>
  auto call(const Args&... args) const {
    return Call::operator()(args...);
  }
};
template <typename F, typename Call>
WithBraces<F, Call> with_braces(Call call) {
  return WithBraces<F, Call>(std::move(call));
}

template <typename Tuple>
inline constexpr size_t size_of = std::tuple_size_v<std::remove_cvref_t<Tuple>>;

/// Returns the number of leaves of each argument.
template <typename Tuple>
std::vector<size_t> leaf_counts(const Tuple& arguments) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return std::vector<size_t>{hilo::leaf_count(hilo::walk_of(std::get<I>(arguments)))...};
  }(std::make_index_sequence<size_of<Tuple>>());
}

/// Returns the number of leaves of each element of a tuple, or of the whole value if it isn't a tuple.
template <typename T>
std::vector<size_t> element_leaf_counts(const T& value) {
  if constexpr (tree_detail::IsTuple<T>::value) return flat_call::leaf_counts(value);
  else return {hilo::leaf_count(hilo::walk_of(value))};
}

/// Returns one bit per leaf: whether its argument is in `argnums`. Negative numbers count from the end.
/// Errors     INVALID_ARGUMENT for a number out of range
std::vector<bool> mask_of(const std::vector<size_t>& leaf_counts, const std::vector<int>& argnums);
template <typename Tuple>
std::vector<bool> leaf_mask(const Tuple& arguments, const std::vector<int>& argnums) {
  return flat_call::mask_of(flat_call::leaf_counts(arguments), argnums);
}

/// Reorders the differentiated leaves from the arguments' order to that of `argnums`.
std::vector<Array> in_order_of(const std::vector<int>& argnums, const std::vector<size_t>& leaf_counts,
                               std::vector<Array> leaves);

/// Returns the argument numbered First, or a tuple of several.
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

/// Replaces every array by the number 0.
void drop_arrays(WalkRef walk_value);
/// Leaves no array in the value: its leaves are moved-from, and copies of it cost nothing.
void empty_arrays(WalkRef walk_value);
/// Returns a copy of `arguments` without its arrays, for callers that store only the structure.
template <typename T>
T without_arrays(const T& arguments) {
  T bare = arguments;
  flat_call::drop_arrays(hilo::walk_of(bare));
  return bare;
}

/// Returns the path of leaf `index` of the arguments: "args[0].w".
std::string path_of_walked(WalkRef arguments, size_t index);
template <Tree T>
std::string path_of(const T& arguments, size_t index) {
  return flat_call::path_of_walked(hilo::walk_of(arguments), index);
}
/// Returns a function from leaf indices to paths.
std::function<std::string(size_t leaf)> paths_of(WalkRef arguments);

/// A user's function, its arguments and the place of its result, with their types erased. For each transformed function
/// only `run` is compiled again.
struct Typeless {
  const void* f;
  const void* arguments;
  void* result;  ///< a std::optional
  std::vector<Array> (*run)(const Typeless& call, std::span<const Array> leaves);
};
FlatFunction flat_function(const Typeless& call);
template <typename F>
const void* address_of(const F& f) {
  if constexpr (std::is_function_v<F>) return reinterpret_cast<const void*>(&f);
  else return &f;
}
template <typename F>
const F& function_at(const void* address) {
  if constexpr (std::is_function_v<F>) return *reinterpret_cast<F*>(const_cast<void*>(address));
  else return *static_cast<const F*>(address);
}
template <typename F, typename Tuple, typename Result>
std::vector<Array> run(const Typeless& call, std::span<const Array> leaves) {
  auto& result = *static_cast<std::optional<Result>*>(call.result);
  result.emplace(flat_call::call(flat_call::function_at<F>(call.f),
                                 hilo::unflatten(*static_cast<const Tuple*>(call.arguments), leaves)));
  return hilo::flatten(*result).leaves;
}
/// Returns `f` as a function of the flat leaves of `arguments`; stores the tree of its last result in `result`.
template <typename F, typename Tuple, typename Result>
FlatFunction flat_function(const F& f, const Tuple& arguments, std::optional<Result>& result) {
  return flat_call::flat_function(
      Typeless{flat_call::address_of(f), &arguments, &result, flat_call::run<F, Tuple, Result>});
}

template <typename First, typename Second>
auto pair_without_none(const First& first, const Second& second) {
  if constexpr (std::is_same_v<Second, std::nullopt_t>) return std::pair<First, std::tuple<>>(first, {});
  else return std::pair<First, Second>(first, second);
}
template <typename T>
concept PairLike = requires(const T& x) { x.first, x.second; } ||
                   (tree_detail::IsTuple<T>::value && requires { requires std::tuple_size_v<T> == 2; });
/// Returns the two results of a step or rule, from a pair or a tuple. nullopt as second becomes a tree without arrays.
template <PairLike T>
auto pair_of(const T& x) {
  if constexpr (requires { x.first, x.second; }) return flat_call::pair_without_none(x.first, x.second);
  else return flat_call::pair_without_none(std::get<0>(x), std::get<1>(x));
}

}  // namespace hilo::flat_call
