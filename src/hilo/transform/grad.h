// SPDX-License-Identifier: Apache-2.0
// transform/grad.h -- derivatives: grad, value_and_grad, jvp, vjp, linearize. jacobian.h has jacfwd, jacrev, hessian.
#pragma once

#include "hilo/transform/flat_call.h"

namespace hilo {

namespace grad_detail {

struct Gradient {
  std::vector<Array> outputs;    ///< the function's result, leaf by leaf
  std::vector<Array> gradients;  ///< one a differentiated leaf, zeros where the result doesn't depend on it
};
/// Differentiates the first output, a scalar.
Gradient gradient(const FlatFunction& f, std::span<const Array> leaves, const std::vector<bool>& mask);

struct Pullback {
  std::vector<Array> outputs;
  FlatFunction pull;  ///< cotangents, one an output -> one a leaf
};
Pullback vjp(const FlatFunction& f, std::span<const Array> leaves);

struct Pushforward {
  std::vector<Array> outputs;
  FlatFunction push;  ///< tangents, one a leaf -> one an output
};
Pushforward linearize(const FlatFunction& f, std::span<const Array> leaves);

struct Directional {
  std::vector<Array> outputs;
  std::vector<Array> tangents;
};
Directional jvp(const FlatFunction& f, std::span<const Array> primals, std::span<const Array> tangents);

template <typename T> struct IsPair : std::false_type {};
template <typename A, typename B> struct IsPair<std::pair<A, B>> : std::true_type {};

template <bool WithValue, int... Argnums, typename F>
auto differentiate(F f) {
  return [f = std::move(f)](const auto&... args) {
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
    const Arguments arguments(args...);
    std::optional<Result> result;
    const Gradient g = gradient(flat_call::flat_function(f, arguments, result), flatten(arguments).leaves,
                                flat_call::leaf_mask(arguments, {Argnums...}));
    auto gradients = unflatten(flat_call::chosen<Argnums...>(arguments),
                               flat_call::in_order_of({Argnums...}, flat_call::leaf_counts(arguments), g.gradients));
    if constexpr (WithValue) {
      return std::pair(unflatten(*result, g.outputs), std::move(gradients));
    } else if constexpr (IsPair<Result>::value) {
      return std::pair(std::move(gradients), unflatten(*result, g.outputs).second);
    } else {
      return gradients;
    }
  };
}

}  // namespace grad_detail

/// The gradient of a scalar function with respect to its first argument, or to those numbered: grad<0, 2>(f).
/// A function that returns a pair (value, aux) gives (gradient, aux).
/// Errors     INVALID_ARGUMENT if the value isn't a real scalar, or an argument to differentiate isn't floating
/// Example    grad([](Array x) { return x * x; })(Array(3.0f)).item<float>() == 6
template <int... Argnums, typename F>
auto grad(F f) {
  if constexpr (sizeof...(Argnums) == 0) return grad_detail::differentiate<false, 0>(std::move(f));
  else return grad_detail::differentiate<false, Argnums...>(std::move(f));
}

/// The value (or (value, aux)) and the gradient, as a pair.
template <int... Argnums, typename F>
auto value_and_grad(F f) {
  if constexpr (sizeof...(Argnums) == 0) return grad_detail::differentiate<true, 0>(std::move(f));
  else return grad_detail::differentiate<true, Argnums...>(std::move(f));
}

/// f(primals) and its derivative along `tangents`, as a pair. Trees of arguments travel in tuples.
/// Example    auto [y, dy] = jvp(f, std::tuple(x), std::tuple(dx));
template <typename F, typename... Args>
auto jvp(const F& f, const std::tuple<Args...>& primals, const std::tuple<Args...>& tangents) {
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, std::tuple<Args...>>>;
  std::optional<Result> result;
  const auto out =
      grad_detail::jvp(flat_call::flat_function(f, primals, result), flatten(primals).leaves, flatten(tangents).leaves);
  return std::pair(unflatten(*result, out.outputs), unflatten(*result, out.tangents));
}

/// f(args...) and the function that pulls a cotangent (of the result's tree) back to a tuple of argument cotangents.
template <typename F, typename... Args>
auto vjp(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  grad_detail::Pullback p = grad_detail::vjp(flat_call::flat_function(f, arguments, result), flatten(arguments).leaves);
  auto pull = [arguments, pull = std::move(p.pull)](const Result& cotangent) {
    return unflatten(arguments, pull(flatten(cotangent).leaves));
  };
  return std::pair(unflatten(*result, p.outputs), std::move(pull));
}

/// f(args...) and the linear function of tangents at that point, which can be called many times.
template <typename F, typename... Args>
auto linearize(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
  const Arguments arguments(args...);
  std::optional<Result> result;
  grad_detail::Pushforward p =
      grad_detail::linearize(flat_call::flat_function(f, arguments, result), flatten(arguments).leaves);
  const Result value = unflatten(*result, p.outputs);
  auto push = [value, push = std::move(p.push)](const auto&... tangents) {
    return unflatten(value, push(flatten(Arguments(tangents...)).leaves));
  };
  return std::pair(value, std::move(push));
}

/// `x`, taken as a constant by every derivative.
Array stop_gradient(const Array& x);

}  // namespace hilo
