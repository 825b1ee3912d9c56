// SPDX-License-Identifier: Apache-2.0
// optim/base.h -- optimizers as in optax: a pair of functions over pytrees of parameters, and a state.
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

/// The arrays of a pytree of parameters, gradients or updates, in flattening order.
using Leaves = std::vector<Array>;

/// The state of a transformation between steps. It is a pytree, so that a whole training step can be jitted, donated
/// and saved. `fields` has optax's names ("count", "mu", "nu", ...), each a list of arrays: one, or one for each
/// parameter.
struct OptState {
  std::string name;  ///< name of the transformation
  std::map<std::string, Leaves> fields;
  std::vector<int64_t> chosen = {};  ///< indices of the parameters that a mask selected
  std::vector<OptState> inner = {};  ///< states of inner transformations
  HILO_TREE(name, fields, chosen, inner)
};

/// The parameters that init receives: the arrays, and their paths in the pytree ("layers[0].w").
struct Parameters {
  Leaves arrays;
  std::vector<std::string> paths;
  const void* tree = nullptr;  ///< the pytree itself, of type *type, if available
  const std::type_info* type = nullptr;
};

/// The arguments of update besides gradients and state.
struct Given {
  std::optional<Leaves> params = std::nullopt;
  std::optional<Array> value = std::nullopt;  ///< loss at `params`
  std::optional<Leaves> grad = std::nullopt;
  std::function<Array(const Leaves&)> value_fn = nullptr;  ///< loss as a function of the parameters
};
struct Updated {
  Leaves updates;
  OptState state;
};

/// The arguments that update takes by name, for parameters of type P.
template <typename P>
struct ExtraArgs {
  std::optional<Array> value = std::nullopt;  ///< loss at the parameters
  std::optional<P> grad = std::nullopt;       ///< gradient at the parameters
  std::function<Array(const P&)> value_fn = nullptr;
};

namespace detail {
void check_same_leaves(const char* what, size_t got, size_t expected, const std::source_location& location);
}  // namespace detail

/// A transformation of gradients. `init` creates a state for the parameters; `update` converts gradients to updates,
/// which apply_updates adds to the parameters. Copies share their immutable content.
/// Example    const auto loss = [](const Array& w) { return numpy::sum(w * w); };
///            Array params = numpy::array({1.0, -2.0});
///            const auto tx = chain(clip_by_global_norm(1.0), sgd(0.5));
///            OptState state = tx.init(params);
///            auto [updates, next] = tx.update(grad(loss)(params), state, params);
///            params = apply_updates(params, updates);
///            params  // [ 0.7763932 -1.5527864]
struct GradientTransformation {
  std::function<OptState(const Parameters&)> init_leaves;
  std::function<Updated(const Leaves& updates, const OptState& state, const Given& inputs)> update_leaves;

  template <typename P>
  OptState init(const P& params) const {
    Parameters flat{hilo::flatten(params).leaves, {}, &params, &typeid(P)};
    P walked = params;
    for (size_t i = 0; i < flat.arrays.size(); ++i)
      flat.paths.push_back(hilo::leaf_path(i, [&](TreeVisitor& visitor) { hilo::walk(walked, visitor); }));
    return init_leaves(flat);
  }

  /// Returns updates and the new state.
  /// Errors    INVALID_ARGUMENT for a state of another transformation, or if the transformation needs parameters and
  ///           none are passed
  template <Tree P>
  std::pair<P, OptState> update(const P& updates, const OptState& state,
                                const std::optional<std::type_identity_t<P>>& params = std::nullopt,
                                const ExtraArgs<std::type_identity_t<P>>& extra = {},
                                std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    const Leaves leaves = hilo::flatten(updates).leaves;
    Given inputs{.value = extra.value};
    if (params) inputs.params = hilo::flatten(*params).leaves;
    if (extra.grad) inputs.grad = hilo::flatten(*extra.grad).leaves;
    if (extra.value_fn)
      inputs.value_fn = [&](const Leaves& at) {
        return extra.value_fn(hilo::unflatten(params ? *params : updates, at));
      };
    if (inputs.params) detail::check_same_leaves("update", inputs.params->size(), leaves.size(), location);
    Updated out = update_leaves(leaves, state, inputs);
    return {hilo::unflatten(updates, out.updates), std::move(out.state)};
  }
};

/// optax's name of a transformation whose update accepts more arguments; in hilo, each does.
using GradientTransformationExtraArgs = GradientTransformation;

/// The state of a transformation without state.
struct EmptyState {};
template <Tree P>
EmptyState init_empty_state(const P&) {
  return {};
}

/// A number for each step: schedule(count), for an integer scalar `count`.
using Schedule = std::function<Array(const Array& count)>;

/// A learning rate or similar value: a number, a scalar array, or a schedule.
class ScalarOrSchedule {
 public:
  template <Number T>
  ScalarOrSchedule(T value) : value_(value), number_(static_cast<double>(value)) {}  // implicit: numbers convert
  ScalarOrSchedule(const Array& value) : value_(value) {}
  template <typename F>
    requires(std::convertible_to<F, Schedule> && !std::convertible_to<F, Array>)
  ScalarOrSchedule(F schedule) : schedule_(std::move(schedule)) {}

  bool is_schedule() const { return schedule_ != nullptr; }
  const Schedule& schedule() const { return schedule_; }
  const Array& value() const { return value_; }
  const std::optional<double>& number() const { return number_; }  ///< the value of a C++ number, else nullopt
  Array at(const Array& count) const { return schedule_ ? schedule_(count) : value_; }

 private:
  Array value_;
  std::optional<double> number_;
  Schedule schedule_;
};

/// Returns the updates unchanged.
GradientTransformation identity();
/// Replaces the updates by zeros.
GradientTransformation set_to_zero();
/// Applies f(updates, params) to lists of leaves. params are nullopt if update receives none.
GradientTransformation stateless(std::function<Leaves(const Leaves&, const std::optional<Leaves>&)> f);
namespace detail {
GradientTransformation of_each_pair(std::function<Array(const Array&, const std::optional<Array>&)> f);
const Array& value_of_param(const std::optional<Array>& param);
}  // namespace detail
/// Applies f(update, param) to each leaf. `f` takes an Array, or a std::optional if update may receive no parameters.
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
/// Flattens both pytrees, whose structures must be equal.
template <Tree P>
std::pair<Leaves, Leaves> both(const P& a, const P& b, const std::source_location& location) {
  std::pair<Leaves, Leaves> out{hilo::flatten(a).leaves, hilo::flatten(b).leaves};
  check_same_leaves("apply_updates", out.second.size(), out.first.size(), location);
  return out;
}
}  // namespace detail

/// Adds updates to parameters, with the types of the parameters.
/// Errors     INVALID_ARGUMENT if the structures differ
/// Example    apply_updates(numpy::array({1.0, 2.0}), numpy::array({0.5, -0.5}))  // [1.5 1.5]
template <Tree P>
P apply_updates(const P& params, const std::type_identity_t<P>& updates,
                std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [p, u] = detail::both<P>(params, updates, location);
  return hilo::unflatten(params, detail::apply_updates(p, u));
}
/// Computes step_size * new + (1 - step_size) * old: an exponential moving average, as for target networks.
template <Tree P>
P incremental_update(const P& new_tensors, const std::type_identity_t<P>& old_tensors, const Operand& step_size) {
  const UserLocation here(step_size.location());
  const auto [n, o] = detail::both<P>(new_tensors, old_tensors, step_size.location());
  return hilo::unflatten(new_tensors, detail::incremental_update(n, o, step_size));
}
/// Returns the new values every `update_period` steps, else the old ones.
template <Tree P>
P periodic_update(const P& new_tensors, const std::type_identity_t<P>& old_tensors, const Operand& steps,
                  int64_t update_period) {
  const UserLocation here(steps.location());
  const auto [n, o] = detail::both<P>(new_tensors, old_tensors, steps.location());
  return hilo::unflatten(new_tensors, detail::periodic_update(n, o, steps, update_period));
}
/// Computes (1 - decay) * updates^order + decay * moments.
template <Tree P>
P update_moment(const P& updates, const std::type_identity_t<P>& moments, double decay, int64_t order,
                std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [u, m] = detail::both<P>(updates, moments, location);
  return hilo::unflatten(updates, detail::update_moment(u, m, decay, order));
}
/// Computes max(|updates| + eps, decay * moments).
template <Tree P>
P update_infinity_moment(const P& updates, const std::type_identity_t<P>& moments, double decay, double eps,
                         std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [u, m] = detail::both<P>(updates, moments, location);
  return hilo::unflatten(updates, detail::update_infinity_moment(u, m, decay, eps));
}
/// Computes (1 - decay) * |updates|^order + decay * moments; powers of real updates keep their sign.
template <Tree P>
P update_moment_per_elem_norm(const P& updates, const std::type_identity_t<P>& moments, double decay, int64_t order,
                              std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  const auto [u, m] = detail::both<P>(updates, moments, location);
  return hilo::unflatten(updates, detail::update_moment_per_elem_norm(u, m, decay, order));
}
/// Computes moment / (1 - decay^count), which removes the bias of a moving average that started from 0.
template <Tree P>
P bias_correction(const P& moment, double decay, const Operand& count) {
  const UserLocation here(count.location());
  return hilo::unflatten(moment, detail::bias_correction(hilo::flatten(moment).leaves, decay, count));
}
/// Returns count + 1, saturated at the maximum of the type.
Array safe_increment(const Operand& count);
Array safe_int32_increment(const Operand& count);
/// Returns the norm of x (or its root mean square), but at least the minimum. Below the minimum the derivative is 0,
/// not NaN.
Array safe_norm(const Operand& x, double min_norm);
Array safe_root_mean_squares(const Operand& x, double min_rms);
/// Returns the arrays unchanged, but multiplies their gradients by `scale`.
template <Tree P>
P scale_gradient(const P& inputs, double scale) {
  return hilo::tree_map([&](const Array& x) { return detail::scale_gradient(x, scale); }, inputs);
}
/// Returns the Euclidean norm of all leaves together.
/// Example    global_norm(std::vector<Array>{numpy::array({3.0}), numpy::array({4.0})})  // 5.0
template <Tree P>
Array global_norm(const P& updates, std::source_location location = std::source_location::current()) {
  const UserLocation here(location);
  return detail::global_norm(hilo::flatten(updates).leaves);
}

}  // namespace hilo::optim
