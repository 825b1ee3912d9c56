// SPDX-License-Identifier: Apache-2.0
// optim/combining.h -- combines transformations: in sequence, for selected parameters, for selected steps.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

namespace detail {

/// The argument type of a function with one argument.
template <typename F> struct ArgumentOf {};
template <typename R, typename A> struct ArgumentOf<R (*)(A)> {
  using type = std::remove_cvref_t<A>;
};
template <typename C, typename R, typename A> struct ArgumentOf<R (C::*)(A) const> {
  using type = std::remove_cvref_t<A>;
};
template <typename F>
  requires requires { &F::operator(); }
struct ArgumentOf<F> : ArgumentOf<decltype(&F::operator())> {};

/// Returns the booleans or labels of a pytree, in flattening order.
template <typename M, typename T>
void append_choices(const M& tree, std::vector<T>& out) {
  if constexpr (std::is_same_v<M, T>) out.push_back(tree);
  else if constexpr (std::is_same_v<M, std::vector<bool>>) out.insert(out.end(), tree.begin(), tree.end());
  else if constexpr (tree_detail::IsMap<M>::value)
    for (const auto& [key, child] : tree) optim::detail::append_choices(child, out);
  else if constexpr (tree_detail::IsVector<M>::value)
    for (const auto& child : tree) optim::detail::append_choices(child, out);
  else
    for (const Array& leaf : hilo::flatten(tree).leaves) out.push_back(static_cast<T>(leaf));
}
void check_whole(const Parameters& params, const std::type_info& type);
void check_choices(size_t got, size_t expected);

}  // namespace detail

/// Applies transformations one after another.
/// Example    const auto tx = chain(clip_by_global_norm(1.0), sgd(0.1));
///            const Array g = numpy::array({3.0, 4.0});
///            tx.update(g, tx.init(g)).first  // [-0.06 -0.08]
GradientTransformation chain(std::vector<GradientTransformation> transformations);
template <typename... Rest>
GradientTransformation chain(const GradientTransformation& first, const Rest&... rest) {
  return chain(std::vector<GradientTransformation>{first, rest...});
}
/// Applies transformations one after another; each state has the given name.
/// Errors    INVALID_ARGUMENT for a repeated name
GradientTransformation named_chain(std::vector<std::pair<std::string, GradientTransformation>> transformations);

/// A choice for each parameter, a boolean or a label:
/// - one value for all parameters;
/// - a pytree of values: a map, a vector, or the parameters' type with boolean arrays;
/// - a function from the parameters to such a pytree;
/// - a function of a parameter's path and value.
/// Example    masked(inner, [](std::string_view path, const Array& p) { return p.ndim() > 1; })
template <typename T>
class Choices {
 public:
  Choices(T all)  // implicit: choices convert
      : each_([all](const Parameters& p) { return std::vector<T>(p.arrays.size(), all); }) {}
  template <typename F>
    requires(std::is_invocable_r_v<T, F, std::string_view, const Array&>)
  Choices(F f)
      : each_([f](const Parameters& p) {
          std::vector<T> out;
          for (size_t i = 0; i < p.arrays.size(); ++i) out.push_back(f(p.paths[i], p.arrays[i]));
          return out;
        }) {}
  template <typename F>
    requires(!std::is_invocable_v<F, std::string_view, const Array&> &&
             requires { typename detail::ArgumentOf<F>::type; })
  Choices(F f)
      : each_([f](const Parameters& p) {
          using P = typename detail::ArgumentOf<F>::type;
          detail::check_whole(p, typeid(P));
          std::vector<T> out;
          detail::append_choices(f(*static_cast<const P*>(p.tree)), out);
          return out;
        }) {}
  template <Tree M>
    requires(!std::convertible_to<M, T> && !requires { typename detail::ArgumentOf<M>::type; })
  Choices(const M& tree) {
    std::vector<T> all;
    detail::append_choices(tree, all);
    each_ = [all](const Parameters&) { return all; };
  }

  /// Errors    INVALID_ARGUMENT if the number of choices is not that of the parameters
  std::vector<T> of(const Parameters& params) const {
    std::vector<T> out = each_(params);
    detail::check_choices(out.size(), params.arrays.size());
    return out;
  }

  /// Returns the negated choices.
  Choices inverted() const
    requires std::same_as<T, bool>
  {
    Choices out(false);
    out.each_ = [each = each_](const Parameters& params) {
      std::vector<bool> all = each(params);
      all.flip();
      return all;
    };
    return out;
  }

 private:
  std::function<std::vector<T>(const Parameters&)> each_;
};
using Mask = Choices<bool>;
using Labels = Choices<std::string>;

struct MaskedOptions {
  bool mask_compatible_extra_args =
      false;  ///< no effect: masked parameters always have their own gradient and the full loss
};
/// Applies `inner` to the parameters that `mask` selects; other updates are unchanged.
GradientTransformation masked(const GradientTransformation& inner, const Mask& mask, const MaskedOptions& options = {});

/// Replaces the updates of the parameters that `mask` selects by zeros; other updates are unchanged.
GradientTransformation freeze(const Mask& mask);
struct FreezeOptions {
  Mask freeze_mask;
};
/// Applies `optimizer` to the parameters that are not frozen; frozen parameters get zeros.
/// Example    selective_transform(adam(1e-3), {.freeze_mask = mask})
GradientTransformation selective_transform(const GradientTransformation& optimizer, const FreezeOptions& options);
/// Returns the transformation unchanged: in hilo, each accepts the named arguments of update and ignores those that it
/// does not need.
GradientTransformation with_extra_args_support(const GradientTransformation& tx);

/// Applies to each parameter the transformation that its label names.
/// Errors    init: INVALID_ARGUMENT for an unknown label
GradientTransformation partition(std::map<std::string, GradientTransformation> transforms, const Labels& param_labels,
                                 const MaskedOptions& options = {});
GradientTransformation multi_transform(std::map<std::string, GradientTransformation> transforms,
                                       const Labels& param_labels, const MaskedOptions& options = {});
/// Applies `inner` to all parameters, flattened to one vector.
GradientTransformation flatten(const GradientTransformation& inner);

/// The condition for applying a transformation in a step: f(step number) -> pred.
using Condition = std::function<Array(const Array& step)>;
/// Applies `inner` in steps where the condition is true; in other steps returns the updates unchanged.
GradientTransformation conditionally_transform(const GradientTransformation& inner, Condition should_transform_fn);
/// Applies `inner` in steps where the condition is true; in other steps returns zeros.
GradientTransformation conditionally_mask(const GradientTransformation& inner, Condition should_transform_fn);
/// Skips a step (zeros, unchanged state) if updates are not finite, but not more than max_consecutive_errors times in a
/// row.
GradientTransformation apply_if_finite(const GradientTransformation& inner, int64_t max_consecutive_errors);

/// Whether an update is skipped, and information about it, which MultiSteps stores in its state.
using Skip = std::pair<Array, std::map<std::string, Array>>;
using SkipFunction =
    std::function<Skip(const Leaves& updates, const Array& gradient_step, const std::optional<Leaves>& params)>;
namespace detail {
Skip skip_not_finite(const Leaves& updates);
Skip skip_large_updates(const Leaves& updates, double max_squared_norm);
}  // namespace detail
template <Tree P>
Skip skip_not_finite(const P& updates, const Array&, const std::optional<std::type_identity_t<P>>&) {
  return detail::skip_not_finite(hilo::flatten(updates).leaves);
}
/// Skips updates whose squared norm is too large.
/// Example    .should_skip_update_fn = [](const auto&... a) { return optim::skip_large_updates(a..., 100.0); }
template <Tree P>
Skip skip_large_updates(const P& updates, const Array&, const std::optional<std::type_identity_t<P>>&,
                        double max_squared_norm) {
  return detail::skip_large_updates(hilo::flatten(updates).leaves, max_squared_norm);
}
struct MultiStepsOptions {
  bool use_grad_mean = true;  ///< whether k gradients are averaged; else summed
  SkipFunction should_skip_update_fn = nullptr;
  numpy::Dtype accumulator_dtype = std::nullopt;
};
/// Accumulates the gradients of k steps, then applies `opt` once; the updates in between are zeros.
GradientTransformation MultiSteps(const GradientTransformation& opt, int64_t every_k_schedule,
                                  const MultiStepsOptions& options = {});
GradientTransformation MultiSteps(const GradientTransformation& opt, Schedule every_k_schedule,
                                  const MultiStepsOptions& options = {});
template <typename Steps, std::same_as<bool> Bool>
GradientTransformation MultiSteps(const GradientTransformation& opt, const Steps& every_k_schedule, Bool use_grad_mean,
                                  SkipFunction should_skip_update_fn = nullptr,
                                  numpy::Dtype accumulator_dtype = std::nullopt) {
  return optim::MultiSteps(opt, every_k_schedule,
                           MultiStepsOptions{use_grad_mean, std::move(should_skip_update_fn), accumulator_dtype});
}

/// The fast and the slow parameters of lookahead.
template <typename P>
struct LookaheadParams {
  P fast, slow;
  static LookaheadParams init_synced(const P& params) { return {params, params}; }
};
struct LookaheadOptions {
  bool reset_state = false;
};
/// Applies `fast_optimizer` to LookaheadParams::fast. Every `sync_period` steps, the slow parameters move a part of the
/// way to the fast ones, and the fast ones are set to them. The update takes gradients of the fast parameters (those of
/// the slow ones are ignored) and returns updates of both.
/// Source    Zhang et al., "Lookahead optimizer: k steps forward, 1 step back" (2019)
GradientTransformation lookahead(const GradientTransformation& fast_optimizer, int64_t sync_period,
                                 double slow_step_size, const LookaheadOptions& options = {});

/// Creates a transformation by `factory` whose hyperparameters are in the state: numbers, which may be changed between
/// steps, or schedules.
/// Example    inject_hyperparams([](const auto& h) { return adam(h.at("learning_rate")); }, {{"learning_rate", 1e-3}})
///            state.fields["learning_rate"] = {Array(1e-4f)};
using HyperparamFactory = std::function<GradientTransformation(const std::map<std::string, Array>&)>;
GradientTransformation inject_hyperparams(HyperparamFactory factory,
                                          std::map<std::string, ScalarOrSchedule> hyperparams);

/// The result of inject_hyperparams for an optimizer: its learning rate is in the state, its other options are fixed.
template <typename Options>
struct RateInjected {
  struct ByName {
    ScalarOrSchedule learning_rate;
  };
  GradientTransformation (*optimizer)(const ScalarOrSchedule&, const Options&);

  GradientTransformation operator()(const ScalarOrSchedule& learning_rate, const Options& options = {}) const {
    const auto make = [f = optimizer, options](const auto& h) { return f(h.at("learning_rate"), options); };
    return optim::inject_hyperparams(make, {{"learning_rate", learning_rate}});
  }
  GradientTransformation operator()(const ByName& named) const { return (*this)(named.learning_rate); }
};
/// Stores the learning rate of an optimizer in the state.
/// Example    inject_hyperparams(optim::adamw)(1e-3, {.weight_decay = 0.1})
template <typename Options>
RateInjected<Options> inject_hyperparams(GradientTransformation (*optimizer)(const ScalarOrSchedule&, const Options&)) {
  return {optimizer};
}

/// Fails to compile with a readable message: C++ has no names of function parameters, so the factory takes a map.
template <typename F>
GradientTransformation inject_hyperparams(const F&) {
  static_assert(kNever<F>,
                "inject_hyperparams also takes the numbers: inject_hyperparams([](const auto& h) { return "
                "adam(h.at(\"learning_rate\")); }, {{\"learning_rate\", 1e-3}})");
  return {};
}

/// optax's old name of inject_hyperparams.
GradientTransformation inject_stateful_hyperparams(HyperparamFactory factory,
                                                   std::map<std::string, ScalarOrSchedule> hyperparams);

}  // namespace hilo::optim
