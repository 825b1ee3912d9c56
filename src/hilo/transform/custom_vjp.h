// SPDX-License-Identifier: Apache-2.0
// transform/custom_vjp.h -- custom_vjp and custom_gradient: functions with a user-defined reverse-mode derivative.
#pragma once

#include <source_location>

#include "hilo/transform/grad.h"
#include "hilo/transform/nondiff.h"
#include "hilo/transform/symbolic_zeros.h"

namespace hilo {

namespace custom_vjp_detail {

/// Maps residuals and cotangents of the results to cotangents of the arguments; nullopt means zero.
using FlatBwd = std::function<std::vector<std::optional<Array>>(std::span<const Array> residuals,
                                                                std::span<const Array> cotangents)>;
struct Forward {
  std::vector<Array> results, residuals;
  FlatBwd bwd;
};
using FlatFwd = std::function<Forward(std::span<const Array> leaves)>;
/// Returns the path of a differentiated leaf: "args[0].w".
using PathOfLeaf = std::function<std::string(size_t leaf)>;

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatFwd fwd, int64_t id,
                        const PathOfLeaf& path, const std::source_location& location, bool optimize_remat = false);
[[noreturn]] void refuse_tree(std::string_view what, const std::string& difference);
void append(std::vector<std::optional<Array>>& all, const std::vector<Array>& cotangents);
void append_none(std::vector<std::optional<Array>>& all, size_t count);
int64_t new_id();

/// Appends the cotangent that a bwd returned for one argument: a tree like the argument's, std::nullopt, or an
/// optional.
template <typename Argument, typename Cotangent>
void append_cotangent(std::vector<std::optional<Array>>& all, const Argument& argument, const Cotangent& cotangent) {
  if constexpr (std::is_same_v<Cotangent, std::nullopt_t>) {
    custom_vjp_detail::append_none(all, hilo::flatten(argument).leaves.size());
  } else if constexpr (std::is_same_v<Cotangent, std::optional<Argument>>) {
    if (cotangent) custom_vjp_detail::append_cotangent(all, argument, *cotangent);
    else custom_vjp_detail::append_cotangent(all, argument, std::nullopt);
  } else {
    const FlatTree flat = hilo::flatten(cotangent);
    if (flat.structure != hilo::flatten(argument).structure)
      custom_vjp_detail::refuse_tree(
          "Custom VJP bwd rule must produce an output with the same tree structure as the args tuple of the "
          "primal inputs",
          hilo::tree_difference("the cotangent", cotangent, "the argument", argument));
    custom_vjp_detail::append(all, flat.leaves);
  }
}

/// Returns the result of bwd as one list. The result is a tuple with an entry per argument, or the cotangent of the
/// only argument.
template <typename Arguments, typename Result>
std::vector<std::optional<Array>> cotangents_of(const Arguments& arguments, const Result& result) {
  std::vector<std::optional<Array>> all;
  constexpr size_t count = std::tuple_size_v<Arguments>;
  if constexpr (tree_detail::IsTuple<Result>::value) {
    if constexpr (std::tuple_size_v<Result> == count) {
      [&]<size_t... I>(std::index_sequence<I...>) {
        (custom_vjp_detail::append_cotangent(all, std::get<I>(arguments), std::get<I>(result)), ...);
      }(std::make_index_sequence<count>());
      return all;
    } else {
      static_assert(count == 1, "a custom_vjp bwd returns a tuple with a cotangent for each differentiated argument");
    }
  }
  if constexpr (count == 1) custom_vjp_detail::append_cotangent(all, std::get<0>(arguments), result);
  else
    static_assert(count == 1 || tree_detail::IsTuple<Result>::value,
                  "a custom_vjp bwd returns a tuple with a cotangent for each differentiated argument");
  return all;
}

}  // namespace custom_vjp_detail

struct CustomVjpOptions {
  /// lets fwd call is_perturbed on its arguments, and bwd is_symbolic_zero on its cotangents
  bool symbolic_zeros = false;
  /// If a compiled program needs only the value, as in the forward pass of a checkpoint, it runs the function instead
  /// of fwd.
  bool optimize_remat = false;
};

/// A function with its rules, as custom_vjp(f).defvjp(fwd, bwd) returns it. Copies share them.
template <typename F, typename Fwd, typename Bwd, int... Nondiff>
class CustomVjpFunction {
 public:
  CustomVjpFunction(F f, Fwd fwd, Bwd bwd, const CustomVjpOptions& options, const std::source_location& location)
      : parts_(std::make_shared<const Parts>(
            Parts{std::move(f), std::move(fwd), std::move(bwd), options, new_or_shared_id(), location})) {}

  template <typename... Args>
  auto operator()(const Args&... args) const {
    using Arguments = nondiff::Arguments<F, std::tuple<std::remove_cvref_t<Args>...>, Nondiff...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    // Checked here, where the compiler's message is short.
    using Out = std::remove_cvref_t<typename flat_call::CallOf<Fwd, Arguments>::Result>;
    static_assert(flat_call::PairLike<Out> || std::is_same_v<Out, flat_call::Refused>,
                  "a custom_vjp fwd returns a pair: the value of f, and the residuals for bwd, or none");
    if constexpr (flat_call::PairLike<Out>) {
      using Residuals = typename decltype(flat_call::pair_of(std::declval<const Out&>()))::second_type;
      using Kept = decltype(nondiff::chosen<true, Nondiff...>(std::declval<const Arguments&>()));
      using Taken = decltype(std::tuple_cat(std::declval<Kept>(), std::declval<std::tuple<Residuals, Result>>()));
      static_assert(Tree<typename flat_call::CallOf<Bwd, Taken>::Result> || true);
    }
    const TransformationLocation here(parts_->location);
    const Arguments arguments(args...);
    tree_detail::apply([](const auto&... kept) { (nondiff::refuse_tracers_in("custom_vjp", kept), ...); },
                       nondiff::chosen<true, Nondiff...>(arguments));
    const auto differentiated = nondiff::chosen<false, Nondiff...>(arguments);
    std::optional<Result> result;
    const FlatFunction f = [&](std::span<const Array> leaves) {
      result.emplace(flat_call::call(
          parts_->f, nondiff::replaced<Nondiff...>(arguments, hilo::unflatten(differentiated, leaves))));
      return hilo::flatten(*result).leaves;
    };
    const auto bare = nondiff::without_arrays(differentiated);
    const auto kept = nondiff::replaced<Nondiff...>(arguments, bare);
    const auto fwd = [self = *this, bare, kept](std::span<const Array> leaves) {
      if (self.parts_->options.symbolic_zeros) return self.template forward<Result>(kept, bare, leaves);
      const ArrayMarks none;
      return self.template forward<Result>(kept, bare, leaves);
    };
    const int64_t id = sizeof...(Nondiff) == 0 ? parts_->id : custom_vjp_detail::new_id();
    const std::vector<Array> leaves = custom_vjp_detail::call(
        f, hilo::flatten(differentiated).leaves, fwd, id, [bare](size_t leaf) { return nondiff::path_of(bare, leaf); },
        parts_->location, parts_->options.optimize_remat);
    return hilo::unflatten(*result, leaves);
  }

 private:
  struct Parts {
    F f;
    Fwd fwd;
    Bwd bwd;
    CustomVjpOptions options;
    int64_t id;
    std::source_location location;
  };

  /// Functions and rules of one type without captures share one number.
  static int64_t new_or_shared_id() {
    if constexpr (std::is_empty_v<F> && std::is_empty_v<Fwd> && std::is_empty_v<Bwd>) {
      static const int64_t id = custom_vjp_detail::new_id();
      return id;
    } else {
      return custom_vjp_detail::new_id();
    }
  }

  template <typename Result, typename Arguments, typename Diff>
  custom_vjp_detail::Forward forward(const Arguments& kept, const Diff& bare, std::span<const Array> leaves) const {
    const auto out = flat_call::call(parts_->fwd, nondiff::replaced<Nondiff...>(kept, hilo::unflatten(bare, leaves)));
    using Out = std::remove_cvref_t<decltype(out)>;
    constexpr bool is_pair = flat_call::PairLike<Out>;
    if constexpr (is_pair) return forward_of<Result>(kept, bare, flat_call::pair_of(out));
    else return {};
  }

  template <typename Result, typename Arguments, typename Diff, typename Out>
  custom_vjp_detail::Forward forward_of(const Arguments& kept, const Diff& bare, const Out& out) const {
    static_assert(flat_call::gives<decltype(out.first), Result>,
                  "the first result of a custom_vjp fwd is the value of f, of the same type");
    const auto value = flat_call::as<Result>(out.first);
    custom_vjp_detail::Forward forward{hilo::flatten(value).leaves, hilo::flatten(out.second).leaves, {}};
    forward.bwd = [self = *this, kept, bare, value = nondiff::without_arrays(value),
                   residuals = nondiff::without_arrays(out.second)](std::span<const Array> known,
                                                                    std::span<const Array> cotangents) {
      const auto pulled = [&] {
        return custom_vjp_detail::cotangents_of(
            bare, tree_detail::apply(
                      [&](const auto&... nondiff) {
                        return flat_call::call(self.parts_->bwd,
                                               std::tuple(nondiff..., hilo::unflatten(residuals, known),
                                                          hilo::unflatten(value, cotangents)));
                      },
                      nondiff::chosen<true, Nondiff...>(kept)));
      };
      if (self.parts_->options.symbolic_zeros) return pulled();
      const ArrayMarks none;
      return pulled();
    };
    return forward;
  }

  std::shared_ptr<const Parts> parts_;
};

/// A function whose rules have not been defined yet. It can't be called without them.
template <typename F, int... Nondiff>
class CustomVjp {
 public:
  CustomVjp(F f, const std::source_location& location) : f_(std::move(f)), location_(location) {}

  /// Sets the derivative. fwd(arguments...) returns (value, residuals). bwd(nondiff..., residuals, cotangent) returns a
  /// tuple with a cotangent for each differentiated argument, or std::nullopt for zero. Cotangents of integer arguments
  /// are ignored.
  template <typename Fwd, typename Bwd>
  [[nodiscard("write: auto g = custom_vjp(f).defvjp(fwd, bwd);")]] auto defvjp(
      Fwd fwd, Bwd bwd, const CustomVjpOptions& options = {}) const {
    return CustomVjpFunction<F, Fwd, Bwd, Nondiff...>(f_, std::move(fwd), std::move(bwd), options, location_);
  }

  template <typename... Args>
  Array operator()(const Args&...) const {
    static_assert(sizeof...(Args) > 10000,
                  "No VJP defined for this custom_vjp function: write auto g = custom_vjp(f).defvjp(fwd, bwd);");
    return {};
  }

 private:
  F f_;
  std::source_location location_;
};

/// Defines a function with its own reverse-mode derivative: jax.custom_vjp. Set the derivative with defvjp.
/// custom_vjp<0>(f) doesn't differentiate argument 0 (nondiff_argnums), which may have any type: a number, a function.
/// Types      arguments, results and residuals: trees
/// Errors     when the rules are used: INVALID_ARGUMENT if their results differ from f's result or arguments in tree,
///            shape or type; UNIMPLEMENTED for forward mode, or for a derivative with respect to a value that `f`
///            captures
/// Gradient   by the rules; reverse mode only
/// Differs    from JAX: defvjp returns the function instead of changing it; nondiff_argnums are template arguments
/// Example    const auto clip = custom_vjp([](Array x) { return x; }).defvjp(
///                [](Array x) { return std::pair(x, std::tuple<>()); },
///                [](std::tuple<>, Array g) { return std::tuple(numpy::clip(g, -1.0f, 1.0f)); });
///            grad([clip](Array x) { return 5.0f * clip(x); })(2.0f)  // 1.0
template <int... NondiffArgnums, typename F>
auto custom_vjp(F f, std::source_location location = std::source_location::current()) {
  return CustomVjp<F, NondiffArgnums...>(std::move(f), location);
}

namespace custom_vjp_detail {
/// Converts `pull` to a function of its captured values and the cotangents. Results that it captures count as
/// cotangents.
Forward forward_of_closure(std::vector<Array> results, const FlatFunction& pull);
Array zeros_like(const Array& x);
}  // namespace custom_vjp_detail

/// Defines a function by its value and its pullback: jax.custom_gradient. `f` returns a pair: the value, and a function
/// that maps the value's cotangent to a tuple of argument cotangents (or to that of the only argument).
/// Errors     as custom_vjp
/// Example    const auto f = custom_gradient([](Array x) { return std::pair(x * x, [x](Array g) { return x * g; }); });
///            f(3.0f)  // 9.0
///            grad(f)(3.0f)  // 3.0
template <typename F>
auto custom_gradient(F f, std::source_location location = std::source_location::current()) {
  return [f = std::move(f), location, id = custom_vjp_detail::new_id()](const auto&... args) {
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result =
        std::remove_cvref_t<typename std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>::first_type>;
    const TransformationLocation here(location);
    const Arguments arguments(args...);
    const auto bare = nondiff::without_arrays(arguments);
    std::optional<Result> result;
    const FlatFunction value = [&](std::span<const Array> leaves) {
      result.emplace(tree_detail::apply(f, hilo::unflatten(arguments, leaves)).first);
      return hilo::flatten(*result).leaves;
    };
    const auto fwd = [f, bare](std::span<const Array> leaves) {
      const auto [out, pull] = tree_detail::apply(f, hilo::unflatten(bare, leaves));
      const FlatFunction flat_pull = [&, &out = out, &pull = pull](std::span<const Array> cotangents) {
        std::vector<Array> given;
        const auto all = custom_vjp_detail::cotangents_of(bare, pull(hilo::unflatten(Result(out), cotangents)));
        for (size_t i = 0; i < all.size(); ++i)
          given.push_back(all[i] ? *all[i] : custom_vjp_detail::zeros_like(leaves[i]));
        return given;
      };
      return custom_vjp_detail::forward_of_closure(hilo::flatten(Result(out)).leaves, flat_pull);
    };
    const std::vector<Array> leaves = custom_vjp_detail::call(
        value, hilo::flatten(arguments).leaves, fwd, id, [bare](size_t leaf) { return nondiff::path_of(bare, leaf); },
        location);
    return hilo::unflatten(*result, leaves);
  };
}

}  // namespace hilo
