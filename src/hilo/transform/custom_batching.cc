// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_batching.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/jvp.h"

namespace hilo::custom_batching::detail {
namespace {

constexpr char kKind[] = "custom_vmap";

void check(const Batched& out, std::span<const Aval> expected, int64_t axis_size) {
  if (out.leaves.size() != expected.size() || out.is_batched.size() != expected.size()) {
    or_throw(
        invalid_argument(at_user_line(kKind) + ": the vmap rule gave " + std::to_string(out.leaves.size()) +
                         " arrays and " + std::to_string(out.is_batched.size()) +
                         " flags; wanted as many as the function has results: " + std::to_string(expected.size())));
  }
  const std::vector<Aval> over_batch = with_axis_in_front(expected, axis_size);
  for (size_t i = 0; i < expected.size(); ++i) {
    const Shape& shape = out.is_batched[i] ? over_batch[i].shape : expected[i].shape;
    if (out.leaves[i].aval_shape() == shape) continue;
    or_throw(invalid_argument(at_user_line(kKind) + ": result " + std::to_string(i) + " of the vmap rule is " +
                              out.leaves[i].aval_shape().to_string() + ", wanted " + shape.to_string()));
  }
}

BatchResult apply(const FlatRule& rule, const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size,
                  size_t count, std::span<const Aval> results) {
  std::vector<bool> in_batched;
  std::vector<Array> arguments;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i >= count && dims[i]) {
      or_throw(unimplemented(at_user_line(kKind) +
                             ": the function closes over a value that is batched. Hint: pass it as an argument"));
    }
    if (i >= count) continue;
    in_batched.push_back(dims[i].has_value());
    arguments.push_back(dims[i] ? move_axis(operation.operands[i], *dims[i], 0) : operation.operands[i]);
  }
  Batched out = rule(axis_size, in_batched, arguments);
  check(out, results, axis_size);
  BatchResult result{std::move(out.leaves), {}};
  for (bool batched : out.is_batched) result.dims.push_back(batched ? BatchDim(0) : std::nullopt);
  return result;
}

/// The results of a rule and their derivatives along tangents, which have the batch axis exactly where their primals
/// do.
struct Pushed {
  Batched primals;
  std::vector<Tangent> tangents;
};
Pushed push(const FlatRule& rule, int64_t axis_size, const std::vector<bool>& in_batched,
            std::span<const Array> primals, std::span<const Tangent> tangents) {
  Pushed out;
  const JvpResult both = jvp_flat(
      [&](std::span<const Array> x) {
        out.primals = rule(axis_size, in_batched, x);
        return out.primals.leaves;
      },
      primals, tangents);
  out.primals.leaves = both.primals;
  out.tangents = both.tangents;
  return out;
}

/// The rule of a function of primals and the tangents in `moving`: the derivative of the rule. It requires that a
/// primal and its tangent are batched together; if only one of the two is, the rule runs for each example.
FlatRule pushed_rule(const FlatRule& rule, std::vector<size_t> moving, size_t count) {
  return [rule, moving = std::move(moving), count](int64_t axis_size, const std::vector<bool>& in_batched,
                                                   std::span<const Array> leaves) {
    std::vector<bool> together(in_batched.begin(), in_batched.begin() + count);
    std::vector<BatchDim> alone(leaves.size());
    for (size_t k = 0; k < moving.size(); ++k) {
      const size_t i = moving[k];
      if (in_batched[i] == in_batched[count + k]) continue;
      together[i] = false;
      alone[in_batched[i] ? i : count + k] = 0;
    }
    Batched out;
    const FlatFunction flat = [&](std::span<const Array> x) {
      std::vector<Tangent> tangents(count);
      for (size_t k = 0; k < moving.size(); ++k) tangents[moving[k]] = x[count + k];
      Pushed pushed = push(rule, axis_size, together, x.first(count), tangents);
      out.is_batched = pushed.primals.is_batched;
      std::vector<Array> all = pushed.primals.leaves;
      for (size_t r = 0; r < pushed.tangents.size(); ++r) {
        if (!has_tangent(all[r].dtype())) continue;
        out.is_batched.push_back(pushed.primals.is_batched[r]);
        all.push_back(materialize(pushed.tangents[r], {all[r].aval_shape(), false}));
      }
      return all;
    };
    const BatchResult results = run_batched(flat, leaves, alone, {axis_size, {}});
    for (size_t r = 0; r < results.results.size(); ++r) {
      if (out.is_batched[r] && results.dims[r]) {
        or_throw(unimplemented(at_user_line(kKind) +
                               ": the derivative of the vmap rule is asked for arguments of which some have the batch "
                               "axis together with their tangents and others without. Hint: batch all tangents"));
      }
      out.is_batched[r] = out.is_batched[r] || results.dims[r].has_value();
      out.leaves.push_back(results.dims[r] ? move_axis(results.results[r], *results.dims[r], 0) : results.results[r]);
    }
    return out;
  };
}

/// The derivative in forward mode is a function with its own rule: the derivative of the rule.
JvpResult apply_jvp(const FlatRule& rule, const Operation& operation, std::span<const Tangent> tangents, size_t count,
                    const std::source_location& location) {
  const auto& own = attributes_of<hlo::CustomRulesAttributes>(operation);
  std::vector<size_t> moving;
  std::vector<bool> nonzero;
  for (const Tangent& t : tangents) nonzero.push_back(!t.is_zero());
  if (std::find(nonzero.begin() + count, nonzero.end(), true) != nonzero.end()) {
    // The rule doesn't cover values that the function captures.
    return jvp_flat([&](std::span<const Array> x) { return run_computation(*own.to_apply, x); }, operation.operands,
                    tangents);
  }
  std::vector<Array> leaves(operation.operands.begin(), operation.operands.begin() + count);
  for (size_t i = 0; i < count; ++i) {
    if (!nonzero[i]) continue;
    moving.push_back(i);
    leaves.push_back(tangents[i].value());
  }
  std::vector<bool> floating;  // results whose tangents the rule computes, and so must the function
  for (const Shape& s : own.to_apply->result_shape().leaves()) floating.push_back(has_tangent(s.element_type()));
  const JvpComputation jvp = jvp_computation(own.to_apply, nonzero, floating);
  const FlatFunction both = [&](std::span<const Array> x) {
    std::vector<Array> arguments(x.begin(), x.begin() + count);
    arguments.insert(arguments.end(), operation.operands.begin() + count, operation.operands.end());
    arguments.insert(arguments.end(), x.begin() + count, x.end());
    return run_computation(*jvp.computation, arguments);
  };
  std::vector<int64_t> what(moving.begin(), moving.end());
  what.push_back(-3);  // a value that no batch uses, since derived_custom_rules_id serves batches too
  std::vector<Array> results =
      call(both, leaves, pushed_rule(rule, moving, count), derived_custom_rules_id(own.id, what), location);
  JvpResult out;
  const auto middle = results.begin() + floating.size();
  out.primals.assign(results.begin(), middle);
  auto next = middle;
  for (bool has : floating) out.tangents.push_back(has ? Tangent(*next++) : Tangent());
  return out;
}

/// The derivative in reverse mode is that of the function itself.
LinearizeResult linearize_as_call(const Operation& operation, std::span<const bool> nonzero) {
  auto attributes = std::make_shared<hlo::CallAttributes>();
  attributes->to_apply = attributes_of<hlo::CustomRulesAttributes>(operation).to_apply;
  return rules_of(hlo::Opcode::kCall)
      .linearize({hlo::Opcode::kCall, operation.operands, std::move(attributes), std::nullopt}, nonzero);
}

}  // namespace

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatRule rule, int64_t id,
                        const std::source_location& location) {
  if (runs_at_once(leaves)) return f(leaves);
  const StagedFunction staged = stage(f, avals_of(leaves), kKind, kKind, CapturePlace::kLast, /*always_tuple=*/true);
  auto rules = std::make_shared<CustomRules>();
  rules->batch = [rule, count = leaves.size(), results = staged.results, location](
                     const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
    const TransformationLocation here(location);
    return apply(rule, operation, dims, context.axis_size, count, results);
  };
  rules->jvp = [rule = std::move(rule), count = leaves.size(), location](const Operation& operation,
                                                                         std::span<const Tangent> tangents) {
    const TransformationLocation here(location);
    return apply_jvp(rule, operation, tangents, count, location);
  };
  rules->linearize = linearize_as_call;
  return bind_custom_rules(staged, leaves, kKind, id, std::move(rules));
}

int64_t new_id() { return next_custom_rules_id(); }

}  // namespace hilo::custom_batching::detail
