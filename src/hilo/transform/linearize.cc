// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/linearize.h"

#include "hilo/transform/memo.h"
#include "hilo/transform/transpose.h"

namespace hilo {

SplitTrace::SplitTrace(Trace* parent) : Trace(parent, "linearize"), staging_(parent, "linearize", "tangent") {}

std::vector<Array> SplitTrace::bind(const Operation& operation) {
  std::vector<bool> unknown;
  bool any = false;
  for (const Array& a : operation.operands) {
    unknown.push_back(staging_.owns(a));
    any |= unknown.back();
  }
  if (any) return bind_unknown(operation, unknown);
  TraceScope scope(*parent());
  return parent()->bind(operation);
}

/// Binds an operation with unknown operands: runs its known part, if it has one, and stages the rest.
std::vector<Array> SplitTrace::bind_unknown(const Operation& operation, const std::vector<bool>& unknown) {
  const SplitFunction rule = rules_of(operation.opcode).split;
  std::optional<SplitResult> split;
  if (rule != nullptr) split = call_under(*parent(), rule, operation, unknown);
  if (!split) return staging_.bind(operation);
  std::vector<Array> rest = call_under(staging_, split->unknown);
  std::vector<Array> results;
  for (size_t i = 0, next = 0; i < split->known.size(); ++i)
    results.push_back(split->known[i] ? *std::move(split->known[i]) : std::move(rest[next++]));
  return results;
}

namespace {

std::string& policy_of_thread() {
  thread_local std::string policy;
  return policy;
}

}  // namespace

const std::string& enclosing_policy() { return policy_of_thread(); }

PolicyScope::PolicyScope(std::string policy) : outer_(std::exchange(policy_of_thread(), std::move(policy))) {}
PolicyScope::~PolicyScope() { policy_of_thread() = std::move(outer_); }

Linearized linearize_flat(const FlatFunction& f, std::span<const Array> primals, const std::vector<bool>& nonzero) {
  SplitTrace split(&current_trace());
  JvpTrace jvp(&split);
  std::vector<Array> inputs;
  for (size_t i = 0; i < primals.size(); ++i) {
    inputs.push_back(nonzero[i] ? jvp.wrap(primals[i], split.staging().add_argument({primals[i].aval_shape(), false}))
                                : primals[i]);
  }
  const std::vector<Array> outputs = call_under(jvp, f, inputs);
  Linearized result;
  result.nonzero_inputs = nonzero;
  std::vector<Array> tangents;
  for (const Array& out : outputs) {
    result.primals.push_back(jvp.primal_of(out));
    result.result_avals.push_back(out.aval());
    const Tangent tangent = jvp.tangent_of(out);
    result.nonzero_results.push_back(!tangent.is_zero());
    if (!tangent.is_zero()) tangents.push_back(tangent.value());
  }
  StagedFunction staged = std::move(split.staging()).finish(tangents, /*always_tuple=*/true);
  result.computation = std::move(staged.computation);
  result.residuals = std::move(staged.captures);
  return result;
}

std::vector<Tangent> Linearized::push(std::span<const Tangent> tangents) const {
  std::vector<Array> arguments;
  for (size_t i = 0; i < nonzero_inputs.size(); ++i) {
    // The parameters follow the linear inputs; a zero among them has the shape of its parameter.
    if (!nonzero_inputs[i]) continue;
    const Shape& shape = computation->parameter(std::ssize(arguments)).shape;
    arguments.push_back(materialize(tangents[i], {shape, false}));
  }
  arguments.insert(arguments.end(), residuals.begin(), residuals.end());
  std::vector<Array> values = run_computation(*computation, arguments);
  std::vector<Tangent> out(nonzero_results.size());
  for (size_t i = 0, next = 0; i < out.size(); ++i) {
    if (nonzero_results[i]) out[i] = std::move(values[next++]);
  }
  return out;
}

std::vector<Tangent> Linearized::pull(std::span<const Tangent> cotangents, std::span<const Tangent> initial) const {
  std::vector<Tangent> expected, sums;
  for (size_t i = 0; i < nonzero_results.size(); ++i) {
    if (nonzero_results[i]) expected.push_back(cotangents[i]);
  }
  const size_t linear_count = static_cast<size_t>(computation->parameter_count()) - residuals.size();
  std::vector<std::optional<Array>> arguments(linear_count);
  arguments.insert(arguments.end(), residuals.begin(), residuals.end());
  for (size_t i = 0; i < initial.size(); ++i) {
    if (nonzero_inputs[i]) sums.push_back(initial[i]);
  }
  std::vector<Tangent> pulled = backward_pass(*computation, arguments, expected, sums);
  std::vector<Tangent> out(nonzero_inputs.size());
  for (size_t i = 0, next = 0; i < out.size(); ++i) {
    if (nonzero_inputs[i]) out[i] = std::move(pulled[next++]);
  }
  return out;
}

namespace {

/// Adds zeros for result tangents that `instantiate` requires and the function doesn't have.
SplitComputation with_instantiated_results(SplitComputation split, const std::vector<bool>& instantiate) {
  const std::vector<Aval> avals = parameter_avals(*split.unknown);
  const std::vector<Shape> results = split.known->result_shape().leaves();
  std::vector<bool> nonzero = split.unknown_results;
  for (size_t i = 0; i < instantiate.size(); ++i) nonzero[i] = nonzero[i] || instantiate[i];
  const FlatFunction padded = [&](std::span<const Array> arguments) {
    std::vector<Array> some = run_computation(*split.unknown, arguments);
    std::vector<Array> all;
    for (size_t i = 0, next = 0; i < nonzero.size(); ++i) {
      if (split.unknown_results[i]) all.push_back(some[next++]);
      else if (nonzero[i]) all.push_back(zeros_like_aval({results[i], false}));
    }
    return all;
  };
  split.unknown =
      stage(padded, avals, "linearize", split.unknown->name(), CapturePlace::kNone, /*always_tuple=*/true).computation;
  split.unknown_results = nonzero;
  return split;
}

/// Stages `known`, which fills in the rest of `split` and returns known results and residuals.
void stage_known(SplitComputation& split, const FlatFunction& known, std::span<const Aval> avals, std::string name) {
  split.known =
      stage(known, avals, "linearize", std::move(name), CapturePlace::kNone, /*always_tuple=*/true).computation;
}

SplitComputation trace_linearized(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                                  const std::vector<bool>& instantiate) {
  SplitComputation result;
  const FlatFunction known = [&](std::span<const Array> arguments) {
    const FlatFunction f = [&](std::span<const Array> x) { return run_computation(*computation, x); };
    Linearized linear = linearize_flat(f, arguments, nonzero);
    result.residual_count = linear.residuals.size();
    result.unknown_results = linear.nonzero_results;
    result.unknown = linear.computation;
    std::vector<Array> out = std::move(linear.primals);
    out.insert(out.end(), linear.residuals.begin(), linear.residuals.end());
    return out;
  };
  stage_known(result, known, parameter_avals(*computation), computation->name() + ".primal");
  bool forced = false;
  for (size_t i = 0; i < instantiate.size(); ++i) forced |= instantiate[i] && !result.unknown_results[i];
  return forced ? with_instantiated_results(result, instantiate) : result;
}

SplitComputation trace_split(const hlo::ComputationPtr& computation, const std::vector<bool>& unknown,
                             const std::vector<bool>& instantiate) {
  const std::vector<Aval> avals = parameter_avals(*computation);
  std::vector<Aval> known_avals;
  for (size_t i = 0; i < avals.size(); ++i) {
    if (!unknown[i]) known_avals.push_back(avals[i]);
  }
  SplitComputation result;
  const FlatFunction known = [&](std::span<const Array> arguments) {
    SplitTrace split(&current_trace());
    std::vector<Array> inputs, out, rest;
    for (size_t i = 0, next = 0; i < avals.size(); ++i)
      inputs.push_back(unknown[i] ? split.staging().add_argument(avals[i]) : arguments[next++]);
    const std::vector<Array> outputs = call_under(split, run_computation, *computation, inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool forced = i < instantiate.size() && instantiate[i];
      result.unknown_results.push_back(forced || split.staging().owns(outputs[i]));
      (result.unknown_results[i] ? rest : out).push_back(outputs[i]);
    }
    StagedFunction staged = std::move(split.staging()).finish(rest, /*always_tuple=*/true);
    result.unknown = std::move(staged.computation);
    result.residual_count = staged.captures.size();
    out.insert(out.end(), staged.captures.begin(), staged.captures.end());
    return out;
  };
  stage_known(result, known, known_avals, computation->name() + ".known");
  return result;
}

}  // namespace

SplitComputation linearize_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                                       const std::vector<bool>& instantiate) {
  static ComputationMemo<SplitComputation, Mask, Mask, std::string> memo;
  return memo.get(computation, nonzero, instantiate, enclosing_policy(),
                  [&] { return trace_linearized(computation, nonzero, instantiate); });
}

SplitComputation split_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& unknown,
                                   const std::vector<bool>& instantiate) {
  static ComputationMemo<SplitComputation, Mask, Mask, std::string> memo;
  return memo.get(computation, unknown, instantiate, enclosing_policy(),
                  [&] { return trace_split(computation, unknown, instantiate); });
}

}  // namespace hilo
