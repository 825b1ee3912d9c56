// SPDX-License-Identifier: Apache-2.0
// transform/custom_jvp.h -- custom_jvp: functions with a user-defined forward-mode derivative.
#pragma once

#include <source_location>

#include "hilo/transform/nondiff.h"
#include "hilo/transform/symbolic_zeros.h"

namespace hilo {

namespace custom_jvp_detail {

/// Results of a user's rule, leaf by leaf.
struct Outputs {
  std::vector<Array> primals, tangents;
};
using FlatRule = std::function<Outputs(std::span<const Array> primals, std::span<const Array> tangents)>;

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatRule rule, int64_t id,
                        const std::source_location& location);
/// Throws an error: `what` of a rule's result has an unexpected tree.
[[noreturn]] void refuse_tree(std::string_view what, const std::string& difference);
int64_t new_id();
Array add(const Array& a, const Array& b);

/// The rule that defjvps builds from one function per argument.
template <typename... Contributions>
struct PerArgument {
  std::tuple<Contributions...> contributions;
};
template <typename T>
inline constexpr bool is_per_argument = false;
template <typename... Contributions>
inline constexpr bool is_per_argument<PerArgument<Contributions...>> = true;

/// Whether each function of defjvps accepts its tangent, the value and all arguments.
template <typename Rule, typename Value, typename Arguments>
inline constexpr bool rules_fit = true;
template <typename... Contributions, typename Value, typename... Args>
  requires(sizeof...(Contributions) == sizeof...(Args))
inline constexpr bool rules_fit<PerArgument<Contributions...>, Value, std::tuple<Args...>> =
    ((std::is_null_pointer_v<Contributions> || std::is_same_v<Contributions, std::nullopt_t> ||
      flat_call::Callable<Contributions, const Args&, const Value&, const Args&...>) &&
     ...);

}  // namespace custom_jvp_detail

struct CustomJvpOptions {
  bool symbolic_zeros = false;  ///< lets the rule call is_symbolic_zero on its tangents
};

/// A function with its rule, as custom_jvp(f).defjvp(rule) returns it. Copies share both.
template <typename F, typename Rule, int... Nondiff>
class CustomJvpFunction {
 public:
  CustomJvpFunction(F f, Rule rule, const CustomJvpOptions& options, const std::source_location& location)
      : parts_(std::make_shared<const Parts>(
            Parts{std::move(f), std::move(rule), options, new_or_shared_id(), location})) {}

  template <typename... Args>
  auto operator()(const Args&... args) const {
    using Arguments = nondiff::Arguments<F, std::tuple<std::remove_cvref_t<Args>...>, Nondiff...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    const TransformationLocation here(parts_->location);
    const Arguments arguments(args...);
    tree_detail::apply([](const auto&... kept) { (nondiff::refuse_tracers_in("custom_jvp", kept), ...); },
                       nondiff::chosen<true, Nondiff...>(arguments));
    const auto differentiated = nondiff::chosen<false, Nondiff...>(arguments);
    // Checked here, where the compiler's message is short.
    constexpr bool takes_tuples = sizeof...(Nondiff) > 0 || custom_jvp_detail::is_per_argument<Rule> ||
                                  flat_call::Callable<Rule, const Arguments&, const Arguments&>;
    static_assert(takes_tuples,
                  "a custom_jvp rule takes two tuples, the arguments and their tangents: "
                  "[](std::tuple<Array> primals, std::tuple<Array> tangents) {...}; defjvps takes tangents one by one");
    constexpr bool rules_fit = custom_jvp_detail::rules_fit<Rule, Result, Arguments>;
    static_assert(
        rules_fit,
        "defjvps takes a function or nullptr for each argument: [](Array tangent, Array value, Array x, ...) {...}");
    std::optional<Result> result;
    const FlatFunction f = [&](std::span<const Array> leaves) {
      result.emplace(flat_call::call(
          parts_->f, nondiff::replaced<Nondiff...>(arguments, hilo::unflatten(differentiated, leaves))));
      return hilo::flatten(*result).leaves;
    };
    const auto rule = [self = *this, bare = nondiff::without_arrays(differentiated),
                       kept = nondiff::replaced<Nondiff...>(arguments, nondiff::without_arrays(differentiated))](
                          std::span<const Array> primals, std::span<const Array> tangents) {
      if (self.parts_->options.symbolic_zeros)
        return self.apply_rule(kept, hilo::unflatten(bare, primals), hilo::unflatten(bare, tangents));
      const ArrayMarks none;
      return self.apply_rule(kept, hilo::unflatten(bare, primals), hilo::unflatten(bare, tangents));
    };
    const int64_t id = sizeof...(Nondiff) == 0 ? parts_->id : custom_jvp_detail::new_id();
    const std::vector<Array> leaves =
        custom_jvp_detail::call(f, hilo::flatten(differentiated).leaves, rule, id, parts_->location);
    return hilo::unflatten(*result, leaves);
  }

 private:
  struct Parts {
    F f;
    Rule rule;
    CustomJvpOptions options;
    int64_t id;
    std::source_location location;
  };

  /// Functions and rules of one type without captures share one number.
  static int64_t new_or_shared_id() {
    if constexpr (std::is_empty_v<F> && std::is_empty_v<Rule>) {
      static const int64_t id = custom_jvp_detail::new_id();
      return id;
    } else {
      return custom_jvp_detail::new_id();
    }
  }

  template <typename Arguments, typename Diff>
  custom_jvp_detail::Outputs apply_rule(const Arguments& kept, const Diff& primals, const Diff& tangents) const {
    if constexpr (custom_jvp_detail::is_per_argument<Rule>) {
      static_assert(sizeof...(Nondiff) == 0, "defjvps takes no nondiff_argnums, as in JAX: use defjvp");
      return sum_of_contributions(primals, tangents, std::make_index_sequence<std::tuple_size_v<Diff>>());
    } else {
      const auto call = [&](const auto&... nondiff) {
        constexpr bool possible = std::is_invocable_v<const Rule&, decltype(nondiff)..., const Diff&, const Diff&>;
        static_assert(
            possible || sizeof...(Nondiff) == 0,
            "a custom_jvp rule takes the nondiff_argnums one by one, then two tuples: of arguments and tangents");
        if constexpr (possible) return parts_->rule(nondiff..., primals, tangents);
        else return std::pair<Array, Array>();
      };
      return leaves_of(tree_detail::apply(call, nondiff::chosen<true, Nondiff...>(kept)));
    }
  }

  template <typename F_i, typename... Args>
  static std::vector<Array> contribution_of(const F_i& f, const Args&... args) {
    constexpr bool possible = std::is_invocable_v<const F_i&, const Args&...>;
    if constexpr (possible) return hilo::flatten(f(args...)).leaves;
    else return {};
  }

  template <typename Out>
  static custom_jvp_detail::Outputs leaves_of(const Out& out) {
    constexpr bool is_pair = requires { out.first, out.second; };
    static_assert(is_pair, "a custom_jvp rule returns a pair: the value, and its tangent");
    if constexpr (is_pair) {
      FlatTree value = hilo::flatten(out.first), tangent = hilo::flatten(out.second);
      if (value.structure != tangent.structure)
        custom_jvp_detail::refuse_tree(
            "Custom JVP rule must produce primal and tangent outputs with equal container "
            "structures",
            hilo::tree_difference("the primal output", out.first, "the tangent", out.second));
      return {std::move(value.leaves), std::move(tangent.leaves)};
    } else {
      return {};
    }
  }

  template <typename Diff, size_t... I>
  custom_jvp_detail::Outputs sum_of_contributions(const Diff& primals, const Diff& tangents,
                                                  std::index_sequence<I...>) const {
    static_assert(std::tuple_size_v<decltype(parts_->rule.contributions)> == sizeof...(I),
                  "defjvps takes one function, or nullptr, for each argument");
    const auto value = std::apply(*this, primals);
    FlatTree flat = hilo::flatten(value);
    std::vector<std::vector<Array>> parts;
    const auto add = [&](const auto& contribution, const auto& tangent) {
      using F_i = std::remove_cvref_t<decltype(contribution)>;
      if constexpr (!std::is_null_pointer_v<F_i> && !std::is_same_v<F_i, std::nullopt_t>)
        parts.push_back(tree_detail::apply(
            [&](const auto&... x) { return contribution_of(contribution, tangent, value, x...); }, primals));
    };
    (add(std::get<I>(parts_->rule.contributions), std::get<I>(tangents)), ...);
    std::vector<Array> sum;
    for (size_t leaf = 0; leaf < flat.leaves.size() && !parts.empty(); ++leaf) {
      sum.push_back(parts[0][leaf]);
      for (size_t k = 1; k < parts.size(); ++k) sum[leaf] = custom_jvp_detail::add(sum[leaf], parts[k][leaf]);
    }
    return {std::move(flat.leaves), std::move(sum)};
  }

  std::shared_ptr<const Parts> parts_;
};

/// A function whose rule has not been defined yet. It can't be called without one.
template <typename F, int... Nondiff>
class CustomJvp {
 public:
  CustomJvp(F f, const std::source_location& location) : f_(std::move(f)), location_(location) {}

  /// Sets the derivative: rule(primals, tangents) -> (value, tangent), where primals and tangents are tuples of the
  /// arguments. Arguments of nondiff_argnums are passed first, one by one. Tangents of integers are zeros of their
  /// type.
  template <typename Rule>
  [[nodiscard("write: auto g = custom_jvp(f).defjvp(rule);")]] auto defjvp(Rule rule,
                                                                           const CustomJvpOptions& options = {}) const {
    return CustomJvpFunction<F, Rule, Nondiff...>(f_, std::move(rule), options, location_);
  }
  /// Sets the derivative by one function per argument: rule_i(tangent_i, value, arguments...) returns the contribution
  /// of argument i to the tangent. nullptr contributes nothing.
  template <typename... Rules>
  [[nodiscard("write: auto g = custom_jvp(f).defjvps(rules...);")]] auto defjvps(Rules... rules) const {
    return CustomJvpFunction<F, custom_jvp_detail::PerArgument<Rules...>, Nondiff...>(f_, {{std::move(rules)...}},
                                                                                      CustomJvpOptions(), location_);
  }

  template <typename... Args>
  Array operator()(const Args&...) const {
    static_assert(sizeof...(Args) > 10000,
                  "No JVP defined for this custom_jvp function: write auto g = custom_jvp(f).defjvp(rule);");
    return {};
  }

 private:
  F f_;
  std::source_location location_;
};

/// Defines a function with its own forward-mode derivative: jax.custom_jvp. Set the derivative with defjvp or defjvps.
/// custom_jvp<0>(f) doesn't differentiate argument 0 (nondiff_argnums), which may have any type: a number, a function.
/// Types      arguments and results: trees
/// Errors     when the rule is used: INVALID_ARGUMENT if value or tangent differ from f's result in tree, shape or
///            type; UNIMPLEMENTED for a derivative with respect to a value that `f` captures
/// Gradient   by the rule in forward mode; reverse mode transposes the rule's use of the tangents, which must be linear
/// Differs    from JAX: defjvp returns the function instead of changing it; nondiff_argnums are template arguments
/// Example    const auto f = custom_jvp([](Array x) { return numpy::log1p(numpy::exp(x)); })
///                               .defjvps([](Array t, Array ans, Array x) { return (1.0f - numpy::exp(-ans)) * t; });
///            grad(f)(100.0f)  // 1.0
template <int... NondiffArgnums, typename F>
auto custom_jvp(F f, std::source_location location = std::source_location::current()) {
  return CustomJvp<F, NondiffArgnums...>(std::move(f), location);
}

}  // namespace hilo
