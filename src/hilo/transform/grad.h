// SPDX-License-Identifier: Apache-2.0
// transform/grad.h -- derivatives: grad, value_and_grad, jvp, vjp, linearize. jacobian.h defines jacfwd, jacrev and
// hessian.
#pragma once

#include <functional>
#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

/// Options of grad, value_and_grad and the functions for Jacobians, as in JAX.
struct GradOptions {
  Named named = Named();
  ArgnumsInAngles argnums = {};
  bool has_aux = false;      ///< rarely needed: a function that returns a pair is treated as (value, aux)
  bool holomorphic = false;  ///< arguments and results are complex, and the function is holomorphic
  bool allow_int = false;    ///< accepts integer and boolean arguments; their gradients are zeros of the same type
};

// Functions in this namespace don't share names with public ones. Argument-dependent lookup finds them for calls such
// as jvp(grad(f), ...), because the result of grad is a type of this namespace.
namespace grad_detail {

struct Gradient {
  std::vector<Array> outputs;    ///< result of the function, one entry per leaf
  std::vector<Array> gradients;  ///< one entry per differentiated leaf; zeros where the result doesn't depend on it
};
/// Differentiates the first output, which is a scalar. `name` is the public function that the user called.
Gradient gradient(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                  const std::vector<bool>& mask, const GradOptions& options);
/// Rejects an argument or result that reverse mode can't differentiate under these options.
void check_argument(std::string_view name, const Shape& shape, const GradOptions& options);
void check_result(std::string_view name, const Shape& shape, const GradOptions& options);

/// Throws the error for has_aux with a function that doesn't return a pair.
[[noreturn]] void refuse_no_aux(std::string_view name);

/// Returns the number of leading outputs that are differentiated. Called after the function has run.
using ValueCount = std::function<size_t()>;

/// The destination of the cotangent of one leaf: nothing, a value, or a ref to which it is added.
struct GradientPlace {
  bool wanted = true;
  std::optional<Array> ref = std::nullopt;
};
/// Maps cotangents of the differentiated outputs to cotangents of the leaves. `places` has an entry for each of
/// the first leaves; the others are returned. Cotangents that go elsewhere have no meaning in the result.
using PullFunction =
    std::function<std::vector<Array>(std::span<const Array> cotangents, std::span<const GradientPlace> places)>;
struct Pullback {
  std::vector<Array> outputs;
  PullFunction pull_to;
  /// Returns the cotangents of all leaves.
  FlatFunction pull() const;
};
Pullback pullback(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count);

struct Pushforward {
  std::vector<Array> outputs;
  FlatFunction push;  ///< maps tangents of the leaves to tangents of the differentiated outputs
};
Pushforward pushforward(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count);

struct Directional {
  std::vector<Array> outputs;
  std::vector<Array> tangents;  ///< of the differentiated outputs
};
Directional directional(const FlatFunction& f, std::span<const Array> primals, std::span<const Array> tangents,
                        const ValueCount& value_count);

template <typename T> struct IsPair : std::false_type {};
template <typename A, typename B> struct IsPair<std::pair<A, B>> : std::true_type {};

/// Without numbers, differentiates with respect to the first argument.
template <bool WithValue, int... Argnums, typename F>
auto differentiate(F f, const GradOptions& options, const std::source_location& location) {
  if constexpr (sizeof...(Argnums) == 0)
    return grad_detail::differentiate<WithValue, 0>(std::move(f), options, location);
  else
    return flat_call::with_braces<F>([f = std::move(f), options, location](const auto&... args) {
      const TransformationLocation here(location);
      using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
      using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
      if (options.has_aux && !IsPair<Result>::value) refuse_no_aux(WithValue ? "value_and_grad" : "grad");
      const Arguments arguments(args...);
      std::optional<Result> result;
      const Gradient g = grad_detail::gradient(
          WithValue ? "value_and_grad" : "grad", flat_call::flat_function(f, arguments, result),
          hilo::flatten(arguments).leaves, flat_call::leaf_mask(arguments, {Argnums...}), options);
      auto gradients =
          hilo::unflatten(flat_call::chosen<Argnums...>(arguments),
                          flat_call::in_order_of({Argnums...}, flat_call::leaf_counts(arguments), g.gradients));
      if constexpr (WithValue) {
        return std::pair(hilo::unflatten(*result, g.outputs), std::move(gradients));
      } else if constexpr (IsPair<Result>::value) {
        return std::pair(std::move(gradients), hilo::unflatten(*result, g.outputs).second);
      } else {
        return gradients;
      }
    });
}

/// The linear function that linearize returns. It maps tangents, of the arguments' trees, to the tangent of the value.
template <typename Value, typename Arguments>
class Tangents;
template <typename Value, typename... Args>
class Tangents<Value, std::tuple<Args...>> {
 public:
  Tangents(Value value, FlatFunction push) : value_(std::move(value)), push_(std::move(push)) {}
  Value operator()(const Args&... tangents, std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    return hilo::unflatten(value_, push_(hilo::flatten(std::tuple<Args...>(tangents...)).leaves));
  }

 private:
  Value value_;
  FlatFunction push_;
};

}  // namespace grad_detail

/// How vjp's pull.with_refs treats the gradient of an argument: jax.ad.
namespace ad {
struct GradValue {};  ///< returns it, as without with_refs
struct DontWant {};   ///< omits it; the result is a DidntWant
struct GradRef {};    ///< result in place of a gradient that was added to a ref
struct DidntWant {};  ///< result in place of an omitted gradient
}  // namespace ad

namespace grad_detail {

template <typename Entry>
GradientPlace place_of(const Entry& entry) {
  constexpr bool is_ref = flat_call::kIsRef<Entry>;
  constexpr bool known = is_ref || std::is_same_v<Entry, ad::GradValue> || std::is_same_v<Entry, ad::DontWant>;
  static_assert(known, "with_refs takes for each argument a Ref, ad::GradValue() or ad::DontWant()");
  if constexpr (is_ref) return {.ref = entry.leaf()};
  else return {.wanted = !std::is_same_v<Entry, ad::DontWant>};
}
/// Returns the gradient of an argument, or what stands for it.
template <typename Argument, typename Entry>
auto gradient_of(const Argument& argument, const Entry&) {
  if constexpr (flat_call::kIsRef<Entry>) return ad::GradRef();
  else if constexpr (std::is_same_v<Entry, ad::DontWant>) return ad::DidntWant();
  else return argument;
}

/// The function that vjp returns. It maps a cotangent, of the value's tree, to a tuple with a cotangent for each
/// argument.
template <typename Value, typename Arguments, typename Entries = std::tuple<>>
class Pull {
 public:
  Pull(Arguments arguments, PullFunction pull, Entries entries = {})
      : arguments_(std::move(arguments)), pull_(std::move(pull)), entries_(std::move(entries)) {}

  auto operator()(const Value& cotangent, std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    const std::vector<GradientPlace> places = places_of_leaves();
    const Arguments all = hilo::unflatten(arguments_, pull_(hilo::flatten(cotangent).leaves, places));
    if constexpr (std::tuple_size_v<Entries> == 0) return all;
    else
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return std::tuple(grad_detail::gradient_of(std::get<I>(all), std::get<I>(entries_))...);
      }(std::make_index_sequence<std::tuple_size_v<Arguments>>());
  }

  /// Returns the function with a destination for the gradient of each argument: a Ref, to which it is added;
  /// ad::GradValue(), to return it; or ad::DontWant().
  template <typename... Refs>
  auto with_refs(const Refs&... entries) const {
    constexpr bool one_each = sizeof...(Refs) == std::tuple_size_v<Arguments>;
    static_assert(one_each, "with_refs takes one entry for each argument of the differentiated function");
    return Pull<Value, Arguments, std::tuple<Refs...>>(arguments_, pull_, std::tuple<Refs...>(entries...));
  }

 private:
  std::vector<GradientPlace> places_of_leaves() const {
    const std::vector<size_t> counts = flat_call::leaf_counts(arguments_);
    std::vector<GradientPlace> places;
    size_t argument = 0;
    const auto add = [&](const auto& entry) {
      const size_t count = counts[argument++];
      places.insert(places.end(), count, grad_detail::place_of(entry));
    };
    std::apply([&](const auto&... entry) { (add(entry), ...); }, entries_);
    return places;
  }

  Arguments arguments_;
  PullFunction pull_;
  Entries entries_;
};

/// Returns (first, second), or (first, second, aux) for a function with aux.
template <typename F, typename First, typename Second, typename Result>
auto with_aux(First first, Second second, const Result& result) {
  if constexpr (flat_call::kHasAux<F>) return std::tuple(std::move(first), std::move(second), result.second);
  else return std::pair(std::move(first), std::move(second));
}

}  // namespace grad_detail

/// Returns a function that computes the gradient of a scalar function: jax.grad. Differentiates with respect to the
/// first argument, or to those numbered: grad<0, 2>(f) returns a tuple.
/// Types      arguments: trees; the gradient has the tree of its argument. If `f` returns a pair (value, aux), the
///            result is (gradient, aux). For a complex argument z = x + iy the gradient is df/dx - i df/dy, as in JAX.
/// Errors     INVALID_ARGUMENT if the value isn't a real scalar, or a differentiated argument is neither floating nor
///            complex; GradOptions relax this
/// Cost       about two to four evaluations of `f`, whatever the number of arguments; stores the intermediate values
/// Differs    from JAX: argnums are template arguments, grad<0, 2>(f); has_aux is inferred from the result's type
/// Example    const auto f = [](Array x) { return numpy::sum(x * x); };
///            grad(f)(numpy::array({1.0f, 2.0f, 3.0f}))  // [2. 4. 6.]
///            grad<1>([](Array x, Array y) { return x * numpy::sin(y); })(2.0f, 0.0f)  // 2.0
template <int... Argnums, typename F>
auto grad(F f, const GradOptions& options = {}, std::source_location location = std::source_location::current()) {
  return grad_detail::differentiate<false, Argnums...>(std::move(f), options, location);
}
template <int... Argnums, typename F, std::convertible_to<ArgnumsInAngles> Numbers = ArgnumsInAngles>
auto grad(F f, const Numbers& argnums) {
  return hilo::grad<Argnums...>(std::move(f), GradOptions{.argnums = argnums});
}

/// Returns a function that computes the value (or the pair (value, aux)) and the gradient, as a pair:
/// jax.value_and_grad.
/// Types      as grad
/// Errors     as grad
/// Cost       as grad: the value comes from the forward pass
/// Example    const auto [y, dy] = value_and_grad([](Array x) { return x * x * x; })(2.0f);
///            y   // 8.0
///            dy  // 12.0
template <int... Argnums, typename F>
auto value_and_grad(F f, const GradOptions& options = {},
                    std::source_location location = std::source_location::current()) {
  return grad_detail::differentiate<true, Argnums...>(std::move(f), options, location);
}
template <int... Argnums, typename F, std::convertible_to<ArgnumsInAngles> Numbers = ArgnumsInAngles>
auto value_and_grad(F f, const Numbers& argnums) {
  return hilo::value_and_grad<Argnums...>(std::move(f), GradOptions{.argnums = argnums});
}

/// Computes f(primals) and its derivative along `tangents` by forward mode: jax.jvp. Returns (value, derivative), or
/// (value, derivative, aux) for has_aux(f).
/// Types      primals and tangents: tuples with one tree for each argument of `f`
/// Errors     INVALID_ARGUMENT if a tangent's shape or type isn't that of its primal
/// Cost       about two to three evaluations of `f`; stores no intermediate values
/// Example    const std::tuple<Array> x(3.0f), dx(1.0f);
///            const auto [y, dy] = jvp([](Array x) { return x * x; }, x, dx);
///            y   // 9.0
///            dy  // 6.0
template <typename F, typename... Args>
auto jvp(const F& f, const std::tuple<Args...>& primals, const std::tuple<Args...>& tangents,
         std::source_location location = std::source_location::current()) {
  using Result = std::remove_cvref_t<typename flat_call::CallOf<F, std::tuple<Args...>>::Result>;
  const TransformationLocation here(location);
  std::optional<Result> result;
  const auto out = grad_detail::directional(flat_call::flat_function(f, primals, result), hilo::flatten(primals).leaves,
                                            hilo::flatten(tangents).leaves, flat_call::value_leaves<F>(result));
  const Result outputs = hilo::unflatten(*result, out.outputs);
  const auto& value = flat_call::value_of<F>(outputs);
  return grad_detail::with_aux<F>(value, hilo::unflatten(value, out.tangents), outputs);
}

namespace grad_detail {
template <typename T, size_t> using TypeAt = T;
/// The number of arguments of type T that F accepts: the smallest if there are several, 0 if none up to 8.
template <typename F, typename T = Array, size_t N = 1>
constexpr size_t argument_count() {
  constexpr bool takes = []<size_t... I>(std::index_sequence<I...>) {
    return std::is_invocable_v<const F&, TypeAt<T, I>...>;
  }(std::make_index_sequence<N>());
  if constexpr (takes) return N;
  else if constexpr (N == 8) return 0;
  else return grad_detail::argument_count<F, T, N + 1>();
}
/// Returns N arguments as a tuple.
/// Errors     INVALID_ARGUMENT for another number of arguments
void check_argument_count(size_t got, size_t expected);
template <size_t N, typename T>
auto tuple_of(std::span<const T> list) {
  check_argument_count(list.size(), N);
  return [&]<size_t... I>(std::index_sequence<I...>) { return std::tuple(list[I]...); }(std::make_index_sequence<N>());
}
}  // namespace grad_detail
/// Computes jvp of a function of Arrays: jvp(f, {x, y}, {dx, dy}).
template <typename F>
auto jvp(const F& f, const std::vector<Array>& primals, const std::vector<Array>& tangents,
         std::source_location location = std::source_location::current()) {
  constexpr size_t count = grad_detail::argument_count<F>();
  static_assert(count > 0,
                "jvp(f, {x, y}, {dx, dy}) is for functions of Arrays: trees go in tuples, jvp(f, std::tuple(tree), "
                "std::tuple(tangents))");
  const UserLocation here(location);
  return hilo::jvp(f, grad_detail::tuple_of<count>(std::span<const Array>(primals)),
                   grad_detail::tuple_of<count>(std::span<const Array>(tangents)), location);
}
/// Computes jvp of a function of trees of one type: jvp(f, {params}, {tangents}).
template <typename F, Tree T>
  requires(!std::convertible_to<T, Array>)
auto jvp(const F& f, std::initializer_list<T> primals, std::initializer_list<T> tangents,
         std::source_location location = std::source_location::current()) {
  constexpr size_t count = grad_detail::argument_count<F, T>();
  static_assert(count > 0,
                "the function doesn't take what is in the braces: jvp(f, std::tuple(a, b), std::tuple(da, db))");
  const UserLocation here(location);
  return hilo::jvp(f, grad_detail::tuple_of<count>(std::span<const T>(primals)),
                   grad_detail::tuple_of<count>(std::span<const T>(tangents)), location);
}
/// Doesn't compile: primals and tangents are two lists of one type, as in JAX.
template <typename F, typename Primals, typename Tangents>
  requires(!std::same_as<Primals, Tangents> || std::convertible_to<Primals, Array> ||
           grad_detail::IsPair<Primals>::value)
auto jvp(const F&, const Primals&, const Tangents&) {
  static_assert(kNever<F>,
                "arguments and tangents are two lists of one type: jvp(f, {x, y}, {dx, dy}), or of trees "
                "jvp(f, std::tuple(a, b), std::tuple(da, db))");
  return std::pair<Array, Array>();
}

/// Computes f(args...) and a function that pulls cotangents back to the arguments: jax.vjp. Returns (value, pull), or
/// (value, pull, aux) for has_aux(f). pull(cotangent) returns a tuple with a cotangent for each argument.
/// pull.with_refs(entries...) adds gradients to Refs instead of returning them: one entry for each argument, a Ref,
/// ad::GradValue() or ad::DontWant(). The gradient of an argument that is a Ref requires one.
/// Types      the cotangent has the tree, shapes and types of the value
/// Errors     from pull: INVALID_ARGUMENT if a cotangent's shape or type isn't that of the value, or a Ref's isn't that
///            of its argument
/// Cost       the forward pass runs once; each call of pull runs the backward pass
/// Example    const auto [y, pull] = vjp([](Array x) { return numpy::sin(x); }, Array(0.0f));
///            std::get<0>(pull(Array(2.0f)))  // 2.0
template <typename F, typename... Args>
auto vjp(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  grad_detail::Pullback p = grad_detail::pullback(flat_call::flat_function(f, arguments, result),
                                                  hilo::flatten(arguments).leaves, flat_call::value_leaves<F>(result));
  const Result outputs = hilo::unflatten(*result, p.outputs);
  const auto& value = flat_call::value_of<F>(outputs);
  grad_detail::Pull<std::remove_cvref_t<decltype(value)>, Arguments> pull(arguments, std::move(p.pull_to));
  return grad_detail::with_aux<F>(value, std::move(pull), outputs);
}

/// Doesn't compile: arguments are passed one by one, as in JAX.
template <typename F, typename T>
auto vjp(const F&, std::initializer_list<T>) {
  static_assert(kNever<F>, "arguments are passed one by one: vjp(f, x, y); a struct has a name: vjp(f, Params{a, b})");
  return std::pair<Array, Array>();
}

/// Computes f(args...) and the derivative at that point as a linear function of tangents: jax.linearize. Returns
/// (value, push), or (value, push, aux) for has_aux(f).
/// Errors     from push: INVALID_ARGUMENT if a tangent's shape or type isn't that of its argument
/// Cost       `f` runs once; each call of push runs only the linear part. For a single tangent, jvp needs less memory.
/// Example    const auto [y, push] = linearize([](Array x) { return x * x; }, Array(3.0f));
///            push(Array(1.0f))  // 6.0
///            push(Array(10.0f))  // 60.0
template <typename F, typename... Args>
auto linearize(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  grad_detail::Pushforward p =
      grad_detail::pushforward(flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves,
                               flat_call::value_leaves<F>(result));
  const Result outputs = hilo::unflatten(*result, p.outputs);
  const auto& value = flat_call::value_of<F>(outputs);
  grad_detail::Tangents<std::remove_cvref_t<decltype(value)>, Arguments> push(value, std::move(p.push));
  return grad_detail::with_aux<F>(value, std::move(push), outputs);
}

/// Returns `x` unchanged; derivatives treat it as a constant: jax.lax.stop_gradient.
/// Gradient   zero
/// Example    grad([](Array x) { return x * stop_gradient(x); })(3.0f)  // 3.0
Array stop_gradient(const Operand& x);

}  // namespace hilo
