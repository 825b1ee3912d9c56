// SPDX-License-Identifier: Apache-2.0
// transform/grad.h -- derivatives: grad, value_and_grad, jvp, vjp, linearize. jacobian.h has jacfwd, jacrev, hessian.
#pragma once

#include <functional>
#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

/// What grad and the functions for Jacobians are told beside their function, as in JAX.
struct GradOptions {
  Named named = Named();
  ArgnumsInAngles argnums = {};
  bool has_aux = false;      ///< nothing need be said: a function that returns a pair gives (value, aux)
  bool holomorphic = false;  ///< arguments and results are complex, and the function is holomorphic
  bool allow_int = false;    ///< integers and truth values may be asked for: their gradient is zero, of their type
};

// None of these has the name of a public function: the functions that grad returns live here, so names would be found here
// too where users call jvp(grad(f), ...).
namespace grad_detail {

struct Gradient {
  std::vector<Array> outputs;    ///< the function's result, leaf by leaf
  std::vector<Array> gradients;  ///< one a differentiated leaf, zeros where the result doesn't depend on it
};
/// Differentiates the first output, a scalar. `name` is the function that the user called.
Gradient gradient(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                  const std::vector<bool>& mask, const GradOptions& options);
/// Refuses an argument or a result that reverse mode under these options can't take.
void check_argument(std::string_view name, const Shape& shape, const GradOptions& options);
void check_result(std::string_view name, const Shape& shape, const GradOptions& options);

/// has_aux of a function that has none.
[[noreturn]] void refuse_no_aux(std::string_view name);

/// How many of the outputs are differentiated, the first ones; asked once the function has run.
using ValueCount = std::function<size_t()>;

struct Pullback {
  std::vector<Array> outputs;
  FlatFunction pull;  ///< cotangents, one a differentiated output -> one a leaf
};
Pullback pullback(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count);

struct Pushforward {
  std::vector<Array> outputs;
  FlatFunction push;  ///< tangents, one a leaf -> one a differentiated output
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

template <bool WithValue, int... Argnums, typename F>
auto differentiate(F f, const GradOptions& options, const std::source_location& location) {
  return flat_call::with_braces<F>([f = std::move(f), options, location](const auto&... args) {
    const TransformationLocation here(location);
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    if (options.has_aux && !IsPair<Result>::value) refuse_no_aux(WithValue ? "value_and_grad" : "grad");
    const Arguments arguments(args...);
    std::optional<Result> result;
    const Gradient g =
        grad_detail::gradient(WithValue ? "value_and_grad" : "grad", flat_call::flat_function(f, arguments, result),
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

/// The linear function that linearize returns: tangents, of the trees that the arguments had, to the value's tangent.
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

/// (first, second), and aux behind them for a function that has it.
template <typename F, typename First, typename Second, typename Result>
auto with_aux(First first, Second second, const Result& result) {
  if constexpr (flat_call::kHasAux<F>) return std::tuple(std::move(first), std::move(second), result.second);
  else return std::pair(std::move(first), std::move(second));
}

}  // namespace grad_detail

/// The gradient of a scalar function with respect to its first argument, or to those numbered: grad<0, 2>(f).
/// A function that returns a pair (value, aux) gives (gradient, aux).
/// Of a complex argument z = x + iy it is df/dx - i df/dy, as in JAX.
/// Errors     INVALID_ARGUMENT if the value isn't a real scalar, or an argument to differentiate is neither floating nor
///            complex; what GradOptions say otherwise
/// Example    grad([](Array x) { return x * x; })(Array(3.0f)).item<float>() == 6
template <int... Argnums, typename F>
auto grad(F f, const GradOptions& options = {}, std::source_location location = std::source_location::current()) {
  if constexpr (sizeof...(Argnums) == 0) return grad_detail::differentiate<false, 0>(std::move(f), options, location);
  else return grad_detail::differentiate<false, Argnums...>(std::move(f), options, location);
}
template <int... Argnums, typename F, std::convertible_to<ArgnumsInAngles> Numbers = ArgnumsInAngles>
auto grad(F f, const Numbers& argnums) {
  return hilo::grad<Argnums...>(std::move(f), GradOptions{.argnums = argnums});
}

/// The value (or (value, aux)) and the gradient, as a pair.
template <int... Argnums, typename F>
auto value_and_grad(F f, const GradOptions& options = {},
                    std::source_location location = std::source_location::current()) {
  if constexpr (sizeof...(Argnums) == 0) return grad_detail::differentiate<true, 0>(std::move(f), options, location);
  else return grad_detail::differentiate<true, Argnums...>(std::move(f), options, location);
}
template <int... Argnums, typename F, std::convertible_to<ArgnumsInAngles> Numbers = ArgnumsInAngles>
auto value_and_grad(F f, const Numbers& argnums) {
  return hilo::value_and_grad<Argnums...>(std::move(f), GradOptions{.argnums = argnums});
}

/// f(primals) and its derivative along `tangents`, as a pair; has_aux(f) gives (value, derivative, aux). Trees of
/// arguments travel in tuples.
/// Errors     INVALID_ARGUMENT if a tangent's shape or type isn't that of its primal
/// Example    auto [y, dy] = jvp(f, std::tuple(x), std::tuple(dx));
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
/// How many Ts f takes, the fewest if there are several; 0 if none up to 8.
template <typename F, typename T = Array, size_t N = 1>
constexpr size_t argument_count() {
  constexpr bool takes = []<size_t... I>(std::index_sequence<I...>) {
    return std::is_invocable_v<const F&, TypeAt<T, I>...>;
  }(std::make_index_sequence<N>());
  if constexpr (takes) return N;
  else if constexpr (N == 8) return 0;
  else return grad_detail::argument_count<F, T, N + 1>();
}
/// N arguments as a tuple. Errors    INVALID_ARGUMENT for another number
void check_argument_count(size_t got, size_t wanted);
template <size_t N, typename T>
auto tuple_of(std::span<const T> list) {
  check_argument_count(list.size(), N);
  return [&]<size_t... I>(std::index_sequence<I...>) { return std::tuple(list[I]...); }(std::make_index_sequence<N>());
}
}  // namespace grad_detail
/// The same for a function of Arrays: jvp(f, {x, y}, {dx, dy}).
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
/// And for one of trees of one type: jvp(f, {params}, {tangents}).
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
/// Doesn't compile: arguments and tangents are two lists of one type, as in JAX.
template <typename F, typename Primals, typename Tangents>
  requires(!std::same_as<Primals, Tangents> || std::convertible_to<Primals, Array> ||
           grad_detail::IsPair<Primals>::value)
auto jvp(const F&, const Primals&, const Tangents&) {
  static_assert(kNever<F>,
                "arguments and tangents are two lists of one type: jvp(f, {x, y}, {dx, dy}), or of trees "
                "jvp(f, std::tuple(a, b), std::tuple(da, db))");
  return std::pair<Array, Array>();
}

/// f(args...) and the function that pulls a cotangent (of the value's tree) back to a tuple of argument cotangents;
/// has_aux(f) gives (value, function, aux).
/// Errors     the function's: INVALID_ARGUMENT if a cotangent's shape or type isn't that of the value
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
  auto pull = [arguments, pull = std::move(p.pull)](const std::remove_cvref_t<decltype(value)>& cotangent,
                                                    std::source_location location = std::source_location::current()) {
    const UserLocation here(location);
    return hilo::unflatten(arguments, pull(hilo::flatten(cotangent).leaves));
  };
  return grad_detail::with_aux<F>(value, std::move(pull), outputs);
}

/// Doesn't compile: arguments stand one by one, as in JAX.
template <typename F, typename T>
auto vjp(const F&, std::initializer_list<T>) {
  static_assert(kNever<F>, "arguments stand one by one: vjp(f, x, y); a struct has a name: vjp(f, Params{a, b})");
  return std::pair<Array, Array>();
}

/// f(args...) and the linear function of tangents at that point, which can be called many times; has_aux(f) gives
/// (value, function, aux).
/// Errors     the function's: INVALID_ARGUMENT if a tangent's shape or type isn't that of its argument
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

/// `x`, taken as a constant by every derivative.
Array stop_gradient(const Operand& x);

}  // namespace hilo
