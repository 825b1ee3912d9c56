// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/combining.h"

#include <fmt/format.h>

#include <set>

#include "hilo/lax/control_flow.h"
#include "hilo/optim/leaves.h"

namespace hilo::optim {

using namespace leaves;  // arithmetic of leaves

namespace {

/// Wraps a state in one with the user's name, if there is a name.
OptState under_name(const std::string& name, OptState state) {
  return name.empty() ? state : OptState{name, {}, {}, {std::move(state)}};
}

GradientTransformation in_a_row(const char* name, std::vector<std::pair<std::string, GradientTransformation>> parts) {
  return {[=](const Parameters& p) {
            OptState state{name, {}};
            for (const auto& [own, part] : parts) state.inner.push_back(under_name(own, part.init_leaves(p)));
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            check_state(state, name, parts.size());
            Updated out{updates, OptState{name, {}}};
            for (size_t i = 0; i < parts.size(); ++i) {
              const auto& [own, part] = parts[i];
              if (!own.empty()) check_state(state.inner[i], own.c_str(), 1);
              Updated step =
                  part.update_leaves(out.updates, own.empty() ? state.inner[i] : state.inner[i].inner[0], inputs);
              out.updates = std::move(step.updates);
              out.state.inner.push_back(under_name(own, std::move(step.state)));
            }
            return out;
          }};
}

}  // namespace

GradientTransformation chain(std::vector<GradientTransformation> transformations) {
  std::vector<std::pair<std::string, GradientTransformation>> parts;
  for (GradientTransformation& t : transformations) parts.emplace_back("", std::move(t));
  return in_a_row("chain", std::move(parts));
}

GradientTransformation named_chain(std::vector<std::pair<std::string, GradientTransformation>> transformations) {
  std::set<std::string> names;
  for (const auto& [name, part] : transformations) {
    if (!names.insert(name).second)
      or_throw(invalid_argument(fmt::format("{}: the name '{}' is repeated", at_user_line("named_chain"), name)));
  }
  return in_a_row("named_chain", std::move(transformations));
}

namespace {

Leaves picked(const Leaves& all, const std::vector<int64_t>& chosen) {
  Leaves out;
  for (int64_t i : chosen) out.push_back(all.at(i));
  return out;
}
Given picked(const Given& inputs, const std::vector<int64_t>& chosen) {
  Given out = inputs;
  if (inputs.params) out.params = picked(*inputs.params, chosen);
  if (inputs.grad) out.grad = picked(*inputs.grad, chosen);
  if (inputs.value_fn)
    out.value_fn = [inputs, chosen](const Leaves& some) {
      Leaves all = *inputs.params;
      for (size_t i = 0; i < chosen.size(); ++i) all[chosen[i]] = some[i];
      return inputs.value_fn(all);
    };
  return out;
}

OptState init_chosen(const GradientTransformation& inner, const Parameters& p, const std::vector<int64_t>& chosen) {
  Parameters some;
  for (int64_t i : chosen) {
    some.arrays.push_back(p.arrays[i]);
    some.paths.push_back(p.paths[i]);
  }
  return {"masked", {}, chosen, {inner.init_leaves(some)}};
}

Updated update_chosen(const GradientTransformation& inner, const Leaves& updates, const OptState& state,
                      const Given& inputs) {
  check_state(state, "masked", 1);
  Updated step = inner.update_leaves(picked(updates, state.chosen), state.inner[0], picked(inputs, state.chosen));
  Updated out{updates, {"masked", {}, state.chosen, {std::move(step.state)}}};
  for (size_t i = 0; i < state.chosen.size(); ++i) out.updates[state.chosen[i]] = step.updates[i];
  return out;
}

}  // namespace

namespace detail {

void check_whole(const Parameters& params, const std::type_info& type) {
  if (params.tree != nullptr && *params.type == type) return;
  or_throw(
      invalid_argument(at_user_line("masked") +
                       ": a mask or label function takes another type than that of the parameters, or is inside of "
                       "a transformation of a part of them. Hint: write it as a function of (path, parameter)"));
}
void check_choices(size_t got, size_t expected) {
  if (got == expected) return;
  or_throw(invalid_argument(
      fmt::format("{}: got a mask or labels for {} parameters of {}", at_user_line("masked"), got, expected)));
}

}  // namespace detail

namespace {
std::vector<int64_t> where_true(const std::vector<bool>& each) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < each.size(); ++i)
    if (each[i]) out.push_back(i);
  return out;
}
}  // namespace

GradientTransformation masked(const GradientTransformation& inner, const Mask& mask, const MaskedOptions&) {
  return {[=](const Parameters& p) { return init_chosen(inner, p, where_true(mask.of(p))); },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            return update_chosen(inner, updates, state, inputs);
          }};
}

GradientTransformation freeze(const Mask& mask) { return masked(set_to_zero(), mask); }
GradientTransformation selective_transform(const GradientTransformation& optimizer, const FreezeOptions& options) {
  const Mask& frozen = options.freeze_mask;
  return chain(masked(optimizer, frozen.inverted()), freeze(frozen));
}
GradientTransformation with_extra_args_support(const GradientTransformation& tx) { return tx; }

GradientTransformation partition(std::map<std::string, GradientTransformation> transforms, const Labels& labels,
                                 const MaskedOptions&) {
  constexpr const char* kName = "partition";
  return {[=](const Parameters& p) {
            const std::vector<std::string> each = labels.of(p);
            for (const std::string& label : each) {
              if (transforms.contains(label)) continue;
              or_throw(invalid_argument(
                  fmt::format("{}: no transformation has the label '{}'", at_user_line(kName), label)));
            }
            OptState state{kName, {}};
            for (const auto& [label, transformation] : transforms) {
              std::vector<int64_t> chosen;
              for (size_t i = 0; i < each.size(); ++i)
                if (each[i] == label) chosen.push_back(i);
              state.inner.push_back(init_chosen(transformation, p, chosen));
            }
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            check_state(state, kName, transforms.size());
            Updated out{updates, OptState{kName, {}}};
            size_t i = 0;
            for (const auto& [label, transformation] : transforms) {
              Updated step = update_chosen(transformation, out.updates, state.inner[i++], inputs);
              out.updates = std::move(step.updates);
              out.state.inner.push_back(std::move(step.state));
            }
            return out;
          }};
}
GradientTransformation multi_transform(std::map<std::string, GradientTransformation> transforms, const Labels& labels,
                                       const MaskedOptions& options) {
  return partition(std::move(transforms), labels, options);
}

namespace {

Leaves joined(const Leaves& x) {
  return {numpy::concatenate(map([](const Array& a) { return numpy::ravel(a); }, x), 0)};
}
Leaves apart(const Array& flat, const Leaves& like) {
  Leaves out;
  int64_t at = 0;
  for (const Array& a : like) {
    out.push_back(numpy::reshape(numpy::slice(flat, at, at + a.size()), a.shape()));
    at += a.size();
  }
  return out;
}

}  // namespace

GradientTransformation flatten(const GradientTransformation& inner) {
  return {[=](const Parameters& p) { return inner.init_leaves(Parameters{joined(p.arrays), {""}}); },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            Given flat{.value = inputs.value};
            if (inputs.params) flat.params = joined(*inputs.params);
            if (inputs.grad) flat.grad = joined(*inputs.grad);
            if (inputs.value_fn)
              flat.value_fn = [&](const Leaves& at) { return inputs.value_fn(apart(at[0], updates)); };
            Updated out = inner.update_leaves(joined(updates), state, flat);
            return Updated{apart(out.updates[0], updates), std::move(out.state)};
          }};
}

namespace {

using Result = std::pair<Leaves, OptState>;

/// Returns inner's update if `predicate` is true, else `otherwise` and the old state.
Result update_if(const Array& predicate, const GradientTransformation& inner, const Leaves& updates,
                 const OptState& state, const Given& inputs, const Leaves& otherwise) {
  const auto act = [&](const Leaves& u, const OptState& s) {
    Updated out = inner.update_leaves(u, s, inputs);
    return Result(std::move(out.updates), std::move(out.state));
  };
  const auto rest = [&](const Leaves&, const OptState& s) { return Result(otherwise, s); };
  return lax::cond(predicate, act, rest, updates, state);
}

GradientTransformation conditional(const char* name, const GradientTransformation& inner, const Condition& condition,
                                   bool zeros) {
  return {[=](const Parameters& p) { return OptState{name, {{"step", {no_steps()}}}, {}, {inner.init_leaves(p)}}; },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array step = field(state, name, "step")[0];
            check_state(state, name, 1);
            const auto [out, next] = update_if(condition(step), inner, updates, state.inner[0], inputs,
                                               zeros ? zeros_like(updates) : updates);
            return Updated{out, OptState{name, {{"step", {leaves::safe_increment(step)}}}, {}, {next}}};
          }};
}

Array all_finite(const Leaves& updates) {
  Array out = numpy::ones({}, ElementType::kPred);
  for (const Array& u : updates) out = out & numpy::all(numpy::isfinite(u));
  return out;
}

}  // namespace

GradientTransformation conditionally_transform(const GradientTransformation& inner, Condition should_transform_fn) {
  return conditional("conditionally_transform", inner, should_transform_fn, false);
}
GradientTransformation conditionally_mask(const GradientTransformation& inner, Condition should_transform_fn) {
  return conditional("conditionally_mask", inner, should_transform_fn, true);
}

GradientTransformation apply_if_finite(const GradientTransformation& inner, int64_t max_consecutive_errors) {
  constexpr const char* kName = "apply_if_finite";
  return {[=](const Parameters& p) {
            return OptState{kName,
                            {{"notfinite_count", {no_steps()}},
                             {"last_finite", {numpy::ones({}, ElementType::kPred)}},
                             {"total_notfinite", {no_steps()}}},
                            {},
                            {inner.init_leaves(p)}};
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array finite = all_finite(updates), total = field(state, kName, "total_notfinite")[0];
            check_state(state, kName, 1);
            const Array count =
                numpy::where(finite, no_steps(), leaves::safe_increment(field(state, kName, "notfinite_count")[0]));
            const auto [out, next] = update_if(finite | (count > max_consecutive_errors), inner, updates,
                                               state.inner[0], inputs, zeros_like(updates));
            return Updated{out,
                           OptState{kName,
                                    {{"notfinite_count", {count}},
                                     {"last_finite", {finite}},
                                     {"total_notfinite", {numpy::where(finite, total, leaves::safe_increment(total))}}},
                                    {},
                                    {next}}};
          }};
}

namespace detail {

Skip skip_not_finite(const Leaves& updates) {
  Array count = no_steps();
  for (const Array& u : updates) count = count + numpy::sum(~numpy::isfinite(u));
  return {count > 0, {{"should_skip", count > 0}, {"num_not_finite", count}}};
}
Skip skip_large_updates(const Leaves& updates, double max_squared_norm) {
  const Array norm = squared_norm(updates), skip = ~(norm < max_squared_norm);
  return {skip, {{"should_skip", skip}, {"norm_squared", norm}}};
}

}  // namespace detail

GradientTransformation MultiSteps(const GradientTransformation& opt, int64_t every_k_schedule,
                                  const MultiStepsOptions& options) {
  return MultiSteps(opt, [=](const Array&) { return Array(every_k_schedule); }, options);
}

GradientTransformation MultiSteps(const GradientTransformation& opt, Schedule every_k, const MultiStepsOptions& o) {
  constexpr const char* kName = "MultiSteps";
  const auto skipped = [o](const Leaves& updates, const Array& step, const std::optional<Leaves>& params) {
    return o.should_skip_update_fn ? o.should_skip_update_fn(updates, step, params)
                                   : Skip(numpy::zeros({}, ElementType::kPred), {});
  };
  return {[=](const Parameters& p) {
            OptState state{kName,
                           {{"mini_step", {no_steps()}},
                            {"gradient_step", {no_steps()}},
                            {"acc_grads", zeros_like(p.arrays, o.accumulator_dtype)}},
                           {},
                           {opt.init_leaves(p)}};
            for (const auto& [name, value] : skipped(zeros_like(p.arrays), no_steps(), p.arrays).second)
              state.fields[name] = {value};
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array mini = field(state, kName, "mini_step")[0], step = field(state, kName, "gradient_step")[0];
            const Leaves& so_far = field(state, kName, "acc_grads");
            check_state(state, kName, 1);
            const auto [skip, known] = skipped(updates, step, inputs.params);
            const Array left_out = skip;  // a lambda cannot capture a structured binding
            const Leaves sum = map(
                [&](const Array& g, const Array& acc) {
                  const Array next = o.use_grad_mean ? acc + (g - acc) / (mini + 1) : g + acc;
                  return numpy::where(left_out, acc, numpy::astype(next, acc.dtype()));
                },
                updates, so_far);
            const Array emit = (mini == every_k(step) - 1) & ~skip;
            const Leaves typed =
                map([](const Array& s, const Array& g) { return numpy::astype(s, g.dtype()); }, sum, updates);
            const auto [out, next] = update_if(emit, opt, typed, state.inner[0], inputs, zeros_like(updates));
            const Array moved = numpy::where(emit, no_steps(), leaves::safe_increment(mini));
            const auto cleared = [&](const Array& s) { return numpy::where(emit, numpy::zeros_like(s), s); };
            OptState after{kName,
                           {{"mini_step", {numpy::where(skip, mini, moved)}},
                            {"gradient_step", {numpy::where(emit, leaves::safe_increment(step), step)}},
                            {"acc_grads", map(cleared, sum)}},
                           {},
                           {next}};
            for (const auto& [name, value] : known) after.fields[name] = {value};
            return Updated{out, after};
          }};
}

namespace {

/// Splits leaves {fast, slow} into both halves.
std::pair<Leaves, Leaves> halves(const Leaves& both) {
  if (both.size() % 2 != 0)
    or_throw(invalid_argument(at_user_line("lookahead") +
                              ": its parameters are LookaheadParams. Hint: LookaheadParams<P>::init_synced(params)"));
  const auto middle = both.begin() + both.size() / 2;
  return {Leaves(both.begin(), middle), Leaves(middle, both.end())};
}

}  // namespace

GradientTransformation lookahead(const GradientTransformation& fast, int64_t sync_period, double slow_step_size,
                                 const LookaheadOptions& options) {
  constexpr const char* kName = "lookahead";
  if (sync_period < 1)
    or_throw(invalid_argument(
        fmt::format("{}: the synchronization period must be 1 or more; got {}", at_user_line(kName), sync_period)));
  const auto init_fast = [=](const Parameters& p) {
    const size_t half = halves(p.arrays).first.size();
    return fast.init_leaves(
        Parameters{halves(p.arrays).first, {p.paths.begin(), p.paths.begin() + static_cast<std::ptrdiff_t>(half)}});
  };
  return {
      [=](const Parameters& p) { return OptState{kName, {{"steps_since_sync", {no_steps()}}}, {}, {init_fast(p)}}; },
      [=](const Leaves& updates, const OptState& state, const Given& inputs) {
        const auto [fast_params, slow_params] = halves(params_of(kName, inputs));
        const Array steps = field(state, kName, "steps_since_sync")[0], sync = steps == sync_period - 1;
        check_state(state, kName, 1);
        Given inner = inputs;
        inner.params = fast_params;
        Updated step = fast.update_leaves(halves(updates).first, state.inner[0], inner);
        Leaves out, slow;
        for (size_t i = 0; i < fast_params.size(); ++i) {
          const Array ahead = fast_params[i] + step.updates[i] - slow_params[i];
          out.push_back(step.updates[i] - sync * (1 - slow_step_size) * ahead);
          slow.push_back(slow_step_size * sync * ahead);
        }
        out.insert(out.end(), slow.begin(), slow.end());
        if (options.reset_state) {
          const OptState fresh =
              fast.init_leaves(Parameters{fast_params, std::vector<std::string>(fast_params.size())});
          step.state = tree_map([&](const Array& now, const Array& first) { return numpy::where(sync, first, now); },
                                step.state, fresh);
        }
        return Updated{out, OptState{kName, {{"steps_since_sync", {(steps + 1) % sync_period}}}, {}, {step.state}}};
      }};
}

GradientTransformation inject_hyperparams(HyperparamFactory factory,
                                          std::map<std::string, ScalarOrSchedule> hyperparams) {
  constexpr const char* kName = "inject_hyperparams";
  const auto values_at = [=](const Array& count) {
    std::map<std::string, Array> out;
    for (const auto& [name, value] : hyperparams) out[name] = numpy::astype(value.at(count), default_float());
    return out;
  };
  const auto state_of = [=](const Array& count, const std::map<std::string, Array>& values, OptState inner) {
    OptState state{kName, {{"count", {count}}}, {}, {std::move(inner)}};
    for (const auto& [name, value] : values) state.fields[name] = {value};
    return state;
  };
  return {[=](const Parameters& p) {
            const std::map<std::string, Array> values = values_at(no_steps());
            return state_of(no_steps(), values, factory(values).init_leaves(p));
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array count = field(state, kName, "count")[0];
            check_state(state, kName, 1);
            std::map<std::string, Array> values = values_at(count);
            for (const auto& [name, value] : hyperparams)
              if (!value.is_schedule()) values[name] = field(state, kName, name.c_str())[0];
            Updated step = factory(values).update_leaves(updates, state.inner[0], inputs);
            return Updated{step.updates, state_of(leaves::safe_increment(count), values, std::move(step.state))};
          }};
}

GradientTransformation inject_stateful_hyperparams(HyperparamFactory factory,
                                                   std::map<std::string, ScalarOrSchedule> hyperparams) {
  return inject_hyperparams(std::move(factory), std::move(hyperparams));
}

}  // namespace hilo::optim
