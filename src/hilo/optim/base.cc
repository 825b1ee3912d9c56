// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/base.h"

#include <fmt/format.h>

#include "hilo/lax/control_flow.h"
#include "hilo/optim/leaves.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::optim {

namespace detail {

void check_same_leaves(const char* what, size_t got, size_t expected, const std::source_location& location) {
  if (got == expected) return;
  const UserLocation here(location);
  or_throw(
      invalid_argument(fmt::format("{}: the trees differ; got {} and {} arrays", at_user_line(what), expected, got)));
}

Leaves apply_updates(const Leaves& params, const Leaves& updates) {
  return leaves::map([](const Array& p, const Array& u) { return numpy::astype(p + u, p.dtype()); }, params, updates);
}

Leaves incremental_update(const Leaves& new_tensors, const Leaves& old_tensors, const Array& step_size) {
  const Array rest = 1.0 - step_size;
  return leaves::map([&](const Array& n, const Array& o) { return step_size * n + rest * o; }, new_tensors,
                     old_tensors);
}

Leaves periodic_update(const Leaves& new_tensors, const Leaves& old_tensors, const Array& steps, int64_t period) {
  const auto first = [](const Leaves& a, const Leaves&) { return a; };
  const auto second = [](const Leaves&, const Leaves& b) { return b; };
  return lax::cond(steps % period == 0, first, second, new_tensors, old_tensors);
}

Array scale_gradient(const Array& x, double scale) {
  using One = std::tuple<Array>;
  return custom_jvp([](const Array& a) { return a; }).defjvp([scale](const One& primals, const One& tangents) {
    return std::pair(std::get<0>(primals), scale * std::get<0>(tangents));
  })(x);
}

Leaves update_moment(const Leaves& updates, const Leaves& moments, double decay, int64_t order) {
  return leaves::map([&](const Array& g, const Array& t) { return (1 - decay) * numpy::power(g, order) + decay * t; },
                     updates, moments);
}
Leaves update_infinity_moment(const Leaves& updates, const Leaves& moments, double decay, double eps) {
  return leaves::map([&](const Array& g, const Array& t) { return numpy::maximum(numpy::abs(g) + eps, decay * t); },
                     updates, moments);
}
Leaves update_moment_per_elem_norm(const Leaves& updates, const Leaves& moments, double decay, int64_t order) {
  const auto power = [&](const Array& g) {
    return is_complex(g.dtype()) ? numpy::power(numpy::abs(g), order) : numpy::power(g, order);
  };
  return leaves::map([&](const Array& g, const Array& t) { return (1 - decay) * power(g) + decay * t; }, updates,
                     moments);
}
Leaves bias_correction(const Leaves& moment, double decay, const Array& count) {
  return leaves::bias_correction(moment, decay, count);
}

Array global_norm(const Leaves& leaves) { return numpy::sqrt(leaves::squared_norm(leaves)); }

}  // namespace detail

namespace leaves {

Leaves zeros_like(const Leaves& x, numpy::Dtype dtype) {
  return map([&](const Array& a) { return numpy::zeros_like(a, dtype); }, x);
}
Leaves full_like(const Leaves& x, const Array& value) {
  return map([&](const Array& a) { return numpy::full_like(a, value); }, x);
}
Leaves cast(const Leaves& x, numpy::Dtype dtype) {
  return dtype ? map([&](const Array& a) { return numpy::astype(a, *dtype); }, x) : x;
}

Array abs_squared(const Array& x) { return is_complex(x.dtype()) ? numpy::real(numpy::conj(x) * x) : numpy::square(x); }

Array squared_norm(const Leaves& x) {
  Array sum = 0.0;
  for (size_t i = 0; i < x.size(); ++i)
    sum = i == 0 ? numpy::sum(abs_squared(x[i])) : sum + numpy::sum(abs_squared(x[i]));
  return sum;
}

Array real_vdot(const Leaves& x, const Leaves& y) {
  Array sum = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    const Array part = numpy::real(numpy::vdot(x[i], y[i]));
    sum = i == 0 ? part : sum + part;
  }
  return sum;
}

namespace {
/// Returns measure(x) if it is above `least`, else `least`. The derivative of `measure` at 0 is never computed.
template <typename Measure>
Array at_least(const Array& x, double least, const Measure& measure) {
  const Array small = measure(x) <= least;
  return numpy::where(small, least, measure(numpy::where(small, numpy::ones_like(x), x)));
}
}  // namespace

Array safe_norm(const Array& x, double least) {
  return at_least(x, least, [](const Array& a) { return numpy::sqrt(numpy::sum(abs_squared(a))); });
}
Array safe_root_mean_squares(const Array& x, double least) {
  return at_least(x, least, [](const Array& a) { return numpy::sqrt(numpy::mean(abs_squared(a))); });
}

Leaves update_moment(const Leaves& gradients, const Leaves& moments, double decay, int order) {
  return map(
      [&](const Array& g, const Array& t) { return (1 - decay) * (order == 1 ? g : numpy::square(g)) + decay * t; },
      gradients, moments);
}
Leaves update_squares(const Leaves& gradients, const Leaves& moments, double decay) {
  return map([&](const Array& g, const Array& t) { return (1 - decay) * abs_squared(g) + decay * t; }, gradients,
             moments);
}
Leaves bias_correction(const Leaves& moment, double decay, const Array& count) {
  const Array correction = 1.0 - numpy::power(decay, count);
  return map([&](const Array& t) { return t / numpy::astype(correction, t.dtype()); }, moment);
}

Array no_steps() { return numpy::zeros({}, ElementType::kS32); }
Array safe_increment(const Array& count) {
  const Array greatest = is_integer(count.dtype()) ? numpy::astype(numpy::iinfo(count.dtype()).max, count.dtype())
                                                   : numpy::astype(numpy::finfo(count.dtype()).max, count.dtype());
  return numpy::where(count < greatest, count + numpy::astype(1, count.dtype()), greatest);
}

GradientTransformation of_all(const char* name, std::function<Leaves(const Leaves&, const Given&)> f) {
  return {[name](const Parameters&) { return OptState{name, {}}; },
          [f = std::move(f)](const Leaves& updates, const OptState& state, const Given& inputs) {
            return Updated{f(updates, inputs), state};
          }};
}
GradientTransformation of_each(const char* name, std::function<Array(const Array&)> f) {
  return of_all(name, [f = std::move(f)](const Leaves& updates, const Given&) { return map(f, updates); });
}

const Leaves& params_of(const char* name, const Given& inputs) {
  if (inputs.params) return *inputs.params;
  or_throw(invalid_argument(
      at_user_line(name) +
      ": it needs the current parameters, but update received none. Hint: update(updates, state, params)"));
  __builtin_unreachable();
}

const Leaves& field(const OptState& state, const char* transformation, const char* name) {
  const auto found = state.fields.find(name);
  if (found != state.fields.end() && state.name == transformation) return found->second;
  or_throw(
      invalid_argument(fmt::format("{}: got the state of {}. Hint: use the state from init of the same "
                                   "transformation",
                                   at_user_line(transformation), state.name.empty() ? "nothing" : state.name)));
  __builtin_unreachable();
}

void check_state(const OptState& state, const char* name, size_t inner) {
  if (state.name == name && state.inner.size() == inner) return;
  or_throw(invalid_argument(
      fmt::format("{}: got the state of {} with {} states within, wanted {} of {}. Hint: use the state "
                  "from init of the same transformation",
                  at_user_line(name), state.name.empty() ? "nothing" : state.name, state.inner.size(), inner, name)));
}

}  // namespace leaves

Array safe_increment(const Operand& count) {
  const UserLocation here(count.location());
  return leaves::safe_increment(count);
}
Array safe_int32_increment(const Operand& count) { return safe_increment(count); }
Array safe_norm(const Operand& x, double min_norm) {
  const UserLocation here(x.location());
  return leaves::safe_norm(x, min_norm);
}
Array safe_root_mean_squares(const Operand& x, double min_rms) {
  const UserLocation here(x.location());
  return leaves::safe_root_mean_squares(x, min_rms);
}

GradientTransformation identity() {
  return leaves::of_all("identity", [](const Leaves& updates, const Given&) { return updates; });
}
GradientTransformation set_to_zero() {
  return leaves::of_each("set_to_zero", [](const Array& u) { return numpy::zeros_like(u); });
}
GradientTransformation stateless(std::function<Leaves(const Leaves&, const std::optional<Leaves>&)> f) {
  return leaves::of_all("stateless", [f = std::move(f)](const Leaves& updates, const Given& inputs) {
    Leaves out = f(updates, inputs.params);
    if (out.size() != updates.size())
      or_throw(invalid_argument(
          fmt::format("{}: f returned {} arrays for {}", at_user_line("stateless"), out.size(), updates.size())));
    return out;
  });
}
namespace detail {

GradientTransformation of_each_pair(std::function<Array(const Array&, const std::optional<Array>&)> f) {
  return leaves::of_all("stateless_with_tree_map", [f = std::move(f)](const Leaves& updates, const Given& inputs) {
    Leaves out;
    for (size_t i = 0; i < updates.size(); ++i)
      out.push_back(f(updates[i], inputs.params ? std::optional((*inputs.params)[i]) : std::nullopt));
    return out;
  });
}

const Array& value_of_param(const std::optional<Array>& param) {
  if (!param)
    or_throw(
        invalid_argument(at_user_line("stateless_with_tree_map") +
                         ": f takes the parameters, but update received none. Hint: update(updates, state, params)"));
  return *param;
}

}  // namespace detail

}  // namespace hilo::optim
