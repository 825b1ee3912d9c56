// SPDX-License-Identifier: Apache-2.0
// optim/base.h -- what an optimiser is, in optax's shape: a pair of functions over trees of parameters, and its state.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo::optim {

/// The arrays of a tree of parameters, gradients or updates, in walking order.
using Leaves = std::vector<Array>;

/// What a transformation keeps from step to step: a tree, so that a whole training step can be jitted, donated and saved.
/// `fields` has optax's names ("count", "mu", "nu", ...), each a list of arrays: one, or one a parameter.
struct OptState {
  std::string name;  ///< of the transformation
  std::map<std::string, Leaves> fields;
  std::vector<int64_t> chosen = {};  ///< which parameters a mask chose, by their numbers
  std::vector<OptState> inner = {};  ///< of the transformations within
  HILO_TREE(name, fields, chosen, inner)
};

/// Parameters as init sees them: the arrays, and the path of each in its tree ("layers[0].w").
struct Parameters {
  Leaves arrays;
  std::vector<std::string> paths;
  const void* tree = nullptr;  ///< the tree itself, of type *type, where it is still whole
  const std::type_info* type = nullptr;
};

/// What update knows beside gradients and state.
struct Given {
  std::optional<Leaves> params = std::nullopt;
  std::optional<Array> value = std::nullopt;  ///< the loss at `params`
  std::optional<Leaves> grad = std::nullopt;
  std::function<Array(const Leaves&)> value_fn = nullptr;  ///< the loss of other parameters
};
struct Updated {
  Leaves updates;
  OptState state;
};

/// What update takes by keyword, for parameters of type P.
template <typename P>
struct ExtraArgs {
  std::optional<Array> value = std::nullopt;  ///< the loss at the parameters
  std::optional<P> grad = std::nullopt;       ///< the gradient there
  std::function<Array(const P&)> value_fn = nullptr;
};

namespace detail {
void check_same_leaves(const char* what, size_t got, size_t wanted, const std::source_location& location);
}  // namespace detail

/// A transformation of gradients: `init` makes a state of the parameters, `update` turns gradients into what apply_updates
/// adds to the parameters. Copies share what they hold, which never changes.
/// Example    const auto tx = optim::chain(optim::clip_by_global_norm(1.0), optim::adam(1e-3));
///            optim::OptState state = tx.init(params);
///            auto [updates, next] = tx.update(grad(loss)(params), state, params);
///            params = optim::apply_updates(params, updates);
struct GradientTransformation {
  std::function<OptState(const Parameters&)> init_leaves;
  std::function<Updated(const Leaves& updates, const OptState& state, const Given& given)> update_leaves;

  template <typename P>
  OptState init(const P& params) const {
    Parameters flat{hilo::flatten(params).leaves, {}, &params, &typeid(P)};
    P walked = params;
    for (size_t i = 0; i < flat.arrays.size(); ++i)
      flat.paths.push_back(hilo::leaf_path(i, [&](TreeVisitor& visitor) { hilo::walk(walked, visitor); }));
    return init_leaves(flat);
  }

  /// Errors    INVALID_ARGUMENT where the state is another transformation's, or the parameters are needed and not given
  template <Tree P>
  std::pair<P, OptState> update(const P& updates, const OptState& state,
                                const std::optional<std::type_identity_t<P>>& params = std::nullopt,
                                const ExtraArgs<std::type_identity_t<P>>& extra = {},
                                std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    const Leaves leaves = hilo::flatten(updates).leaves;
    Given given{.value = extra.value};
    if (params) given.params = hilo::flatten(*params).leaves;
    if (extra.grad) given.grad = hilo::flatten(*extra.grad).leaves;
    if (extra.value_fn)
      given.value_fn = [&](const Leaves& at) {
        return extra.value_fn(hilo::unflatten(params ? *params : updates, at));
      };
    if (given.params) detail::check_same_leaves("update", given.params->size(), leaves.size(), location);
    Updated out = update_leaves(leaves, state, given);
    return {hilo::unflatten(updates, out.updates), std::move(out.state)};
  }
};

/// optax's name of a transformation whose update takes a value, a gradient or a function too: here each does.
using GradientTransformationExtraArgs = GradientTransformation;

/// The state of what keeps none.
struct EmptyState {};
template <Tree P>
EmptyState init_empty_state(const P&) {
  return {};
}

/// A number for each step: schedule(count). `count` is an integer scalar.
using Schedule = std::function<Array(const Array& count)>;

/// A learning rate and its like: a number, a scalar array, or a schedule.
class ScalarOrSchedule {
 public:
  template <Number T>
  ScalarOrSchedule(T value) : value_(value), number_(static_cast<double>(value)) {}  // numbers convert
  ScalarOrSchedule(const Array& value) : value_(value) {}
  template <typename F>
    requires(std::convertible_to<F, Schedule> && !std::convertible_to<F, Array>)
  ScalarOrSchedule(F schedule) : schedule_(std::move(schedule)) {}

  bool is_schedule() const { return schedule_ != nullptr; }
  const Schedule& schedule() const { return schedule_; }
  const Array& value() const { return value_; }
  const std::optional<double>& number() const { return number_; }  ///< if it is a C++ number
  Array at(const Array& count) const { return schedule_ ? schedule_(count) : value_; }

 private:
  Array value_;
  std::optional<double> number_;
  Schedule schedule_;
};

/// The updates as they are.
GradientTransformation identity();
/// Zeros.
GradientTransformation set_to_zero();
/// f(updates, params) on lists of leaves; params are absent where update gets none.
GradientTransformation stateless(std::function<Leaves(const Leaves&, const std::optional<Leaves>&)> f);
namespace detail {
GradientTransformation of_each_pair(std::function<Array(const Array&, const std::optional<Array>&)> f);
const Array& value_of_param(const std::optional<Array>& param);
}  // namespace detail
/// f(update, param) of each leaf; f takes an Array, or a std::optional where update may get no parameters.
template <typename F>
GradientTransformation stateless_with_tree_map(F f) {
  if constexpr (std::is_invocable_v<F, Array, Array>) {
    return detail::of_each_pair([f](const Array& update, const std::optional<Array>& param) {
      return f(update, detail::value_of_param(param));
    });
  } else {
    return detail::of_each_pair(f);
  }
}

namespace detail {
Leaves apply_updates(const Leaves& params, const Leaves& updates);
Leaves incremental_update(const Leaves& new_tensors, const Leaves& old_tensors, const Array& step_size);
Leaves periodic_update(const Leaves& new_tensors, const Leaves& old_tensors, const Array& steps, int64_t period);
Array global_norm(const Leaves& leaves);
Array scale_gradient(const Array& x, double scale);
Leaves update_moment(const Leaves& updates, const Leaves& moments, double decay, int64_t order);
Leaves update_infinity_moment(const Leaves& updates, const Leaves& moments, double decay, double eps);
Leaves update_moment_per_elem_norm(const Leaves& updates, const Leaves& moments, double decay, int64_t order);
Leaves bias_correction(const Leaves& moment, double decay, const Array& count);
/// The leaves of b, whose structure must be that of a.
template <Tree P>
std::pair<Leaves, Leaves> both(const P& a, const P& b, const std::source_location& location) {
  std::pair<Leaves, Leaves> out{hilo::flatten(a).leaves, hilo::flatten(b).leaves};
  check_same_leaves("apply_updates", out.second.size(), out.first.size(), location);
  return out;
}
}  // namespace detail

/// params + updates, each in the parameter's type.
template <Tree P>
P apply_updates(const P& params, const std::type_identity_t<P>& updates,
                std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [p, u] = detail::both<P>(params, updates, location);
  return hilo::unflatten(params, detail::apply_updates(p, u));
}
/// step_size * new + (1 - step_size) * old: an exponential average, as target networks have.
template <Tree P>
P incremental_update(const P& new_tensors, const std::type_identity_t<P>& old_tensors, const Operand& step_size) {
  const UserLocation here(step_size.location());
  const auto [n, o] = detail::both<P>(new_tensors, old_tensors, step_size.location());
  return hilo::unflatten(new_tensors, detail::incremental_update(n, o, step_size));
}
/// The new ones each `update_period` steps, else the old ones.
template <Tree P>
P periodic_update(const P& new_tensors, const std::type_identity_t<P>& old_tensors, const Operand& steps,
                  int64_t update_period) {
  const UserLocation here(steps.location());
  const auto [n, o] = detail::both<P>(new_tensors, old_tensors, steps.location());
  return hilo::unflatten(new_tensors, detail::periodic_update(n, o, steps, update_period));
}
/// (1 - decay) updates^order + decay moments.
template <Tree P>
P update_moment(const P& updates, const std::type_identity_t<P>& moments, double decay, int64_t order,
                std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [u, m] = detail::both<P>(updates, moments, location);
  return hilo::unflatten(updates, detail::update_moment(u, m, decay, order));
}
/// max(|updates| + eps, decay moments).
template <Tree P>
P update_infinity_moment(const P& updates, const std::type_identity_t<P>& moments, double decay, double eps,
                         std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [u, m] = detail::both<P>(updates, moments, location);
  return hilo::unflatten(updates, detail::update_infinity_moment(u, m, decay, eps));
}
/// (1 - decay) |updates|^order + decay moments; of real updates the powers keep their sign.
template <Tree P>
P update_moment_per_elem_norm(const P& updates, const std::type_identity_t<P>& moments, double decay, int64_t order,
                              std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [u, m] = detail::both<P>(updates, moments, location);
  return hilo::unflatten(updates, detail::update_moment_per_elem_norm(u, m, decay, order));
}
/// moment / (1 - decay^count): the mean of what a running mean has seen.
template <Tree P>
P bias_correction(const P& moment, double decay, const Operand& count) {
  const UserLocation here(count.location());
  return hilo::unflatten(moment, detail::bias_correction(hilo::flatten(moment).leaves, decay, count));
}
/// count + 1, which stays at the type's greatest value.
Array safe_increment(const Operand& count);
Array safe_int32_increment(const Operand& count);
/// The norm of x or its root mean square, at least the given number; there the derivative is 0, not NaN.
Array safe_norm(const Operand& x, double min_norm);
Array safe_root_mean_squares(const Operand& x, double min_rms);
/// The arrays as they are; their gradients times `scale`.
template <Tree P>
P scale_gradient(const P& inputs, double scale) {
  return hilo::tree_map([&](const Array& x) { return detail::scale_gradient(x, scale); }, inputs);
}
/// The Euclidean norm of all leaves together.
template <Tree P>
Array global_norm(const P& updates, std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  return detail::global_norm(hilo::flatten(updates).leaves);
}

}  // namespace hilo::optim
