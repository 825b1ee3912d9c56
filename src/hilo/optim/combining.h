// SPDX-License-Identifier: Apache-2.0
// optim/combining.h -- transformations made of others: in a row, for some parameters, for some steps.
#pragma once

#include "hilo/numpy/dtypes.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

namespace detail {

/// The type of a function's one argument.
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

/// The truth values or labels of a tree, in walking order.
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
void check_choices(size_t got, size_t wanted);

}  // namespace detail

/// One after the other.
GradientTransformation chain(std::vector<GradientTransformation> transformations);
template <typename... Rest>
GradientTransformation chain(const GradientTransformation& first, const Rest&... rest) {
  return chain(std::vector<GradientTransformation>{first, rest...});
}
/// The same with a name each, which the states have.
/// Errors    INVALID_ARGUMENT for a name that comes twice
GradientTransformation named_chain(std::vector<std::pair<std::string, GradientTransformation>> transformations);

/// A choice for each parameter, a truth value or a label: one for all, a tree of them (a map, a vector, or the parameters'
/// own type with arrays of truth values), a function from the parameters to such a tree, or a function of each parameter's
/// path and value.
/// Example    masked(inner, [](std::string_view path, const Array& p) { return p.ndim() > 1; })
template <typename T>
class Choices {
 public:
  Choices(T all)  // choices convert
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

  /// Errors    INVALID_ARGUMENT where their number is not that of the parameters
  std::vector<T> of(const Parameters& params) const {
    std::vector<T> out = each_(params);
    detail::check_choices(out.size(), params.arrays.size());
    return out;
  }

  /// The choice of what isn't chosen.
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
      false;  ///< says nothing: the gradient and the loss of what is masked always are its own
};
/// `inner` for the parameters that `mask` chooses; the others' updates stay as they are.
GradientTransformation masked(const GradientTransformation& inner, const Mask& mask, const MaskedOptions& options = {});

/// Zeros for the parameters that `mask` chooses; the others' updates stay as they are.
GradientTransformation freeze(const Mask& mask);
struct FreezeOptions {
  Mask freeze_mask;
};
/// `optimizer` for the parameters that aren't frozen; zeros for those that are.
/// Example    selective_transform(adam(1e-3), {.freeze_mask = mask})
GradientTransformation selective_transform(const GradientTransformation& optimizer, const FreezeOptions& options);
/// The transformation as it is: each takes what update gets by keyword, and leaves what it doesn't need.
GradientTransformation with_extra_args_support(const GradientTransformation& tx);

/// For each parameter the transformation that its label names.
/// Errors    INVALID_ARGUMENT for a label that names none, by init
GradientTransformation partition(std::map<std::string, GradientTransformation> transforms, const Labels& param_labels,
                                 const MaskedOptions& options = {});
GradientTransformation multi_transform(std::map<std::string, GradientTransformation> transforms,
                                       const Labels& param_labels, const MaskedOptions& options = {});
/// `inner` of all parameters in one vector.
GradientTransformation flatten(const GradientTransformation& inner);

/// Whether a step is one to act in: f(number of the step) -> pred.
using Condition = std::function<Array(const Array& step)>;
/// `inner` in the steps where the condition holds, else the updates as they are, or zeros.
GradientTransformation conditionally_transform(const GradientTransformation& inner, Condition should_transform_fn);
GradientTransformation conditionally_mask(const GradientTransformation& inner, Condition should_transform_fn);
/// Zeros, and the state as it was, where updates aren't finite, but no more than so often in a row.
GradientTransformation apply_if_finite(const GradientTransformation& inner, int64_t max_consecutive_errors);

/// Whether to leave an update out, and what is to be known of that; MultiSteps keeps it in its state.
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
/// Example    .should_skip_update_fn = [](const auto&... a) { return optim::skip_large_updates(a..., 100.0); }
template <Tree P>
Skip skip_large_updates(const P& updates, const Array&, const std::optional<std::type_identity_t<P>>&,
                        double max_squared_norm) {
  return detail::skip_large_updates(hilo::flatten(updates).leaves, max_squared_norm);
}
struct MultiStepsOptions {
  bool use_grad_mean = true;  ///< of k gradients, else their sum
  SkipFunction should_skip_update_fn = nullptr;
  numpy::Dtype accumulator_dtype = std::nullopt;
};
/// `opt` of k gradients together each k steps; zeros between.
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

/// Parameters that run ahead, and those that follow.
template <typename P>
struct LookaheadParams {
  P fast, slow;
  static LookaheadParams init_synced(const P& params) { return {params, params}; }
};
struct LookaheadOptions {
  bool reset_state = false;
};
/// `fast_optimizer` of LookaheadParams::fast, which each `sync_period` steps are set to slow ones that went part of the way.
/// Its update takes gradients for fast (those of slow aren't looked at) and gives updates of both.
/// Source    Zhang et al., "Lookahead optimizer: k steps forward, 1 step back" (2019)
GradientTransformation lookahead(const GradientTransformation& fast_optimizer, int64_t sync_period,
                                 double slow_step_size, const LookaheadOptions& options = {});

/// The transformation that `factory` makes of hyperparameters that are part of the state: each is a number, which a user may
/// change between steps, or a schedule.
/// Example    inject_hyperparams([](const auto& h) { return adam(h.at("learning_rate")); }, {{"learning_rate", 1e-3}})
///            state.fields["learning_rate"] = {Array(1e-4f)};
using HyperparamFactory = std::function<GradientTransformation(const std::map<std::string, Array>&)>;
GradientTransformation inject_hyperparams(HyperparamFactory factory,
                                          std::map<std::string, ScalarOrSchedule> hyperparams);

/// What inject_hyperparams makes of an optimiser: its learning rate is part of the state, its other options stay as given.
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
/// Example    inject_hyperparams(optim::adamw)(1e-3, {.weight_decay = 0.1})
template <typename Options>
RateInjected<Options> inject_hyperparams(GradientTransformation (*optimizer)(const ScalarOrSchedule&, const Options&)) {
  return {optimizer};
}

/// Doesn't compile: C++ has no names of a function's parameters, so the factory takes them as a map.
template <typename F>
GradientTransformation inject_hyperparams(const F&) {
  static_assert(sizeof(F) == 0,
                "inject_hyperparams takes the numbers too: inject_hyperparams([](const auto& h) { return "
                "adam(h.at(\"learning_rate\")); }, {{\"learning_rate\", 1e-3}})");
  return {};
}

/// optax's old name of inject_hyperparams.
GradientTransformation inject_stateful_hyperparams(HyperparamFactory factory,
                                                   std::map<std::string, ScalarOrSchedule> hyperparams);

}  // namespace hilo::optim
