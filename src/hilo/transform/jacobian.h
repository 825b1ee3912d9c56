// SPDX-License-Identifier: Apache-2.0
// transform/jacobian.h -- jacfwd, jacrev, hessian, hvp.
#pragma once

#include <functional>
#include <source_location>

#include "hilo/transform/grad.h"

namespace hilo {

namespace jacobian_detail {

/// Blocks of a Jacobian: d output leaf o / d differentiated leaf i, of shape [output..., leaf...], is at [o][i]. Leaves
/// are in the arguments' order.
using Blocks = std::vector<std::vector<Array>>;
struct Jacobians {
  std::vector<Array> outputs;  ///< results of the function
  Blocks blocks;               ///< Jacobians of the first value_count() outputs
};

/// Direction of differentiation.
enum class Mode : uint8_t { kForward, kReverse, kCheapest };
/// Time of one cotangent relative to one tangent: a cotangent reads stored values, a tangent computes along.
inline constexpr int64_t kReverseCost = 2;
using ValueCount = std::function<size_t()>;
/// Returns whether `tangents` cost less than `cotangents`; the default is one for each element of the values. A
/// function with a custom_vjp has no tangents, and one with a while_loop no cotangents.
bool forward_is_cheaper(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count,
                        int64_t tangents, std::optional<int64_t> cotangents = std::nullopt);

Jacobians jacobian(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                   const std::vector<bool>& mask, Mode mode, const ValueCount& value_count, const GradOptions& options);

/// The type of a result in which an `In` replaces every Array. A struct's members keep their types: if `In` isn't
/// Array, the struct is replaced by a std::vector with one `In` per leaf.
template <typename Out, typename In>
struct JacobianOf {
  using Type = std::conditional_t<std::is_same_v<In, Array>, Out, std::vector<In>>;
};
template <typename Out, typename In>
using Jacobian = typename JacobianOf<std::remove_cvref_t<Out>, In>::Type;
template <typename In> struct JacobianOf<Array, In> {
  using Type = In;
};
template <typename T, typename A, typename In> struct JacobianOf<std::vector<T, A>, In> {
  using Type = std::vector<Jacobian<T, In>>;
};
template <typename T, size_t N, typename In> struct JacobianOf<std::array<T, N>, In> {
  using Type = std::array<Jacobian<T, In>, N>;
};
template <typename... Ts, typename In> struct JacobianOf<std::tuple<Ts...>, In> {
  using Type = std::tuple<Jacobian<Ts, In>...>;
};
template <typename A, typename B, typename In> struct JacobianOf<std::pair<A, B>, In> {
  using Type = std::pair<Jacobian<A, In>, Jacobian<B, In>>;
};
template <typename K, typename V, typename C, typename A, typename In> struct JacobianOf<std::map<K, V, C, A>, In> {
  using Type = std::map<K, Jacobian<V, In>, C>;
};

/// Assembles the blocks of `out`, from `next` on, as a tree of trees.
template <typename Out, typename In>
Jacobian<Out, In> assemble(const Out& out, const In& in, const Blocks& blocks, size_t& next) {
  if constexpr (std::is_same_v<Out, Array>) {
    return hilo::unflatten(in, blocks[next++]);
  } else if constexpr (tree_detail::IsVector<Out>::value) {
    Jacobian<Out, In> all;
    for (const auto& element : out) all.push_back(jacobian_detail::assemble(element, in, blocks, next));
    return all;
  } else if constexpr (tree_detail::IsMap<Out>::value) {
    Jacobian<Out, In> all;
    for (const auto& [key, element] : out) all.emplace(key, jacobian_detail::assemble(element, in, blocks, next));
    return all;
  } else if constexpr (tree_detail::IsTuple<Out>::value) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      // braces evaluate in order
      return Jacobian<Out, In>{jacobian_detail::assemble(std::get<I>(out), in, blocks, next)...};
    }(std::make_index_sequence<std::tuple_size_v<Out>>());
  } else {
    std::vector<In> leaves;
    for (size_t count = hilo::flatten(out).leaves.size(); count > 0; --count)
      leaves.push_back(hilo::unflatten(in, blocks[next++]));
    if constexpr (std::is_same_v<In, Array>) return hilo::unflatten(out, leaves);
    else return leaves;
  }
}

/// Without numbers, differentiates with respect to the first argument.
template <Mode mode, int... Argnums, typename F>
auto jacobian_of(std::string_view name, F f, const GradOptions& options, const std::source_location& location) {
  if constexpr (sizeof...(Argnums) == 0)
    return jacobian_detail::jacobian_of<mode, 0>(name, std::move(f), options, location);
  else
    return [name, f = std::move(f), options, location](const auto&... args) {
      const TransformationLocation here(location);
      using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
      using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
      const Arguments arguments(args...);
      std::optional<Result> result;
      Jacobians all = jacobian_detail::jacobian(
          name, flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves,
          flat_call::leaf_mask(arguments, {Argnums...}), mode, flat_call::value_leaves<F>(result), options);
      for (std::vector<Array>& row : all.blocks)
        row = flat_call::in_order_of({Argnums...}, flat_call::leaf_counts(arguments), std::move(row));
      size_t next = 0;
      auto assembled = jacobian_detail::assemble(flat_call::value_of<F>(*result),
                                                 flat_call::chosen<Argnums...>(arguments), all.blocks, next);
      if constexpr (flat_call::kHasAux<F>)
        return std::pair(std::move(assembled), hilo::unflatten(*result, all.outputs).second);
      else return assembled;
    };
}

}  // namespace jacobian_detail

/// Returns a function that computes the Jacobian by forward mode: jax.jacfwd. Differentiates with respect to the first
/// argument, or to those numbered: jacfwd<0, 2>(f).
/// Shapes     Array to Array: [result..., argument...]
/// Types      Trees: the result's tree in which the argument's tree (or a tuple of several) replaces each Array. If the
///            result is a struct and the argument isn't one Array, a std::vector with one entry per leaf replaces the
///            struct. has_aux(f) returns (Jacobian, aux).
/// Errors     INVALID_ARGUMENT if a differentiated argument isn't floating; GradOptions relax this
/// Cost       one run of `f` that carries one tangent for each element of the arguments, all in one batch: vmap of jvp.
///            Nothing is stored. Best for functions of few inputs.
/// Example    jacfwd([](Array x) { return x * x; })(numpy::array({1.0f, 2.0f}))  // [[2. 0.] [0. 4.]]
template <int... Argnums, typename F>
auto jacfwd(F f, const GradOptions& options, std::source_location location = std::source_location::current()) {
  return jacobian_detail::jacobian_of<jacobian_detail::Mode::kForward, Argnums...>("jacfwd", std::move(f), options,
                                                                                   location);
}
template <int... Argnums, typename F>
auto jacfwd(F f, std::source_location location = std::source_location::current()) {
  return hilo::jacfwd<Argnums...>(std::move(f), GradOptions{}, location);
}

/// Returns a function that computes the Jacobian by reverse mode: jax.jacrev. Arguments and result are those of jacfwd.
/// Errors     as jacfwd, and INVALID_ARGUMENT if a result isn't floating; arguments may be complex, as for grad
/// Cost       one derivative for each element of the result, all in one batch, after one run of `f` that stores what
///            they read. Best for functions of few results.
/// Example    jacrev([](Array x) { return numpy::cumsum(x * x); })(numpy::array({1.0f, 2.0f}))  // [[2. 0.] [2. 4.]]
template <int... Argnums, typename F>
auto jacrev(F f, const GradOptions& options, std::source_location location = std::source_location::current()) {
  return jacobian_detail::jacobian_of<jacobian_detail::Mode::kReverse, Argnums...>("jacrev", std::move(f), options,
                                                                                   location);
}
template <int... Argnums, typename F>
auto jacrev(F f, std::source_location location = std::source_location::current()) {
  return hilo::jacrev<Argnums...>(std::move(f), GradOptions{}, location);
}

/// Returns a function that computes the Jacobian by jacfwd or jacrev, whichever costs less.
/// Types      as jacfwd
/// Errors     as jacrev
/// Cost       one derivative for each element of the arguments, or for each element of the result. A derivative by
///            jacrev counts twice. Functions with a custom_vjp use jacrev, those with a while_loop jacfwd. For a
///            Jacobian that is mostly zero, pass its SparsityPattern.
/// Example    jacobian([](Array x) { return x * x; })(numpy::array({1.0f, 2.0f}))  // [[2. 0.] [0. 4.]]
template <int... Argnums, typename F>
auto jacobian(F f, const GradOptions& options, std::source_location location = std::source_location::current()) {
  return jacobian_detail::jacobian_of<jacobian_detail::Mode::kCheapest, Argnums...>("jacobian", std::move(f), options,
                                                                                    location);
}
template <int... Argnums, typename F>
auto jacobian(F f, std::source_location location = std::source_location::current()) {
  return hilo::jacobian<Argnums...>(std::move(f), GradOptions{}, location);
}

/// Returns a function that computes second derivatives, forward over reverse: jax.hessian. hessian<0, 1>(f)(x, y)
/// returns a tuple of rows, each a tuple.
/// Shapes     Array to scalar: [argument..., argument...]
/// Errors     as jacfwd and jacrev
/// Cost       one derivative of the gradient for each element of the argument. For products with vectors, hvp is
///            cheaper.
/// Example    const auto f = [](Array x) { return numpy::sum(x * x * x); };
///            hessian(f)(numpy::array({1.0f, 2.0f}))  // [[ 6. 0.] [ 0. 12.]]
template <int... Argnums, typename F>
auto hessian(F f, const GradOptions& options, std::source_location location = std::source_location::current()) {
  if constexpr (flat_call::kHasAux<F>)
    return hilo::jacfwd<Argnums...>(hilo::has_aux(hilo::jacrev<Argnums...>(std::move(f), options, location)), options,
                                    location);
  else return hilo::jacfwd<Argnums...>(hilo::jacrev<Argnums...>(std::move(f), options, location), options, location);
}
template <int... Argnums, typename F>
auto hessian(F f, std::source_location location = std::source_location::current()) {
  return hilo::hessian<Argnums...>(std::move(f), GradOptions{}, location);
}

/// Multiplies the Hessian of a scalar function by a vector, forward over reverse, without computing the Hessian.
/// Types      primals and tangents: tuples of all arguments of `f`; the result has the tree of the first argument
/// Errors     as grad and jvp
/// Cost       about two gradients
/// Example    const auto f = [](Array x) { return numpy::sum(x * x * x); };
///            hvp(f, std::tuple(numpy::array({1.0f, 2.0f})), std::tuple(numpy::array({1.0f, 1.0f})))  // [ 6. 12.]
template <typename F, typename... Args>
auto hvp(const F& f, const std::tuple<Args...>& primals, const std::tuple<Args...>& tangents,
         std::source_location location = std::source_location::current()) {
  return hilo::jvp(hilo::grad(f, GradOptions{}, location), primals, tangents, location).second;
}

}  // namespace hilo
