// SPDX-License-Identifier: Apache-2.0
// rules/control_flow.cc -- rules of call, conditional and while: transform the called computations, then call the
// results.
#include <algorithm>
#include <functional>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/transpose.h"

namespace hilo::rules {

using namespace lax;
namespace {

using hlo::ComputationPtr;
using hlo::Opcode;

// ---- call -----------------------------------------------------------------------------------------------------------

const ComputationPtr& callee(const Operation& operation) {
  return attributes_of<hlo::CallAttributes>(operation).to_apply;
}

JvpResult call_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const JvpComputation jvp = jvp_computation(callee(operation), nonzero_mask(tangents), {});
  std::vector<Array> operands = operation.operands;
  append_nonzero(operands, tangents);
  return split_primals(ops::call(jvp.computation, std::move(operands)), jvp.nonzero_results);
}

/// Removes the elements from `begin` on from a list and returns them.
std::vector<Array> take_from(std::vector<Array>& list, size_t begin) {
  std::vector<Array> tail(list.begin() + begin, list.end());
  list.resize(begin);
  return tail;
}

LinearizeResult call_linearize(const Operation& operation, std::span<const bool> nonzero) {
  const SplitComputation split = linearize_computation(callee(operation), {nonzero.begin(), nonzero.end()}, {});
  std::vector<Array> primals = ops::call(split.known, operation.operands);
  const std::vector<Array> residuals = take_from(primals, split.known_result_count());
  return {std::move(primals), [split, residuals](std::span<const Tangent> tangents) {
            std::vector<Array> operands;
            append_nonzero(operands, tangents);
            operands.insert(operands.end(), residuals.begin(), residuals.end());
            return spread_tangents(ops::call(split.unknown, std::move(operands)), split.unknown_results);
          }};
}

/// Returns the results of a known part; results that it passes through are the operands themselves.
std::vector<Array> call_known(const ComputationPtr& known, const std::vector<Array>& operands) {
  std::vector<std::optional<size_t>> origins;
  for (size_t k = 0; k < known->root().operands.size(); ++k) origins.push_back(passed_through(*known, k));
  const bool computes =
      known->has_effect() || !std::ranges::all_of(origins, [](const auto& o) { return o.has_value(); });
  std::vector<Array> results = computes ? ops::call(known, operands) : operands;
  std::vector<Array> out;
  for (size_t k = 0; k < origins.size(); ++k) out.push_back(origins[k] ? operands[*origins[k]] : results[k]);
  return out;
}

std::optional<SplitResult> call_split(const Operation& operation, const Mask& unknown) {
  const SplitComputation split = split_computation(callee(operation), unknown, {});
  auto [known, rest] = known_and_unknown(operation.operands, unknown);
  std::vector<Array> results = call_known(split.known, known);
  for (Array& residual : take_from(results, split.known_result_count())) rest.push_back(std::move(residual));
  return SplitResult{spread_known(std::move(results), split.unknown_results),
                     [=, computation = split.unknown] { return ops::call(computation, rest); }};
}

void call_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  std::vector<bool> linear;
  std::vector<Array> operands;
  for (const Array& a : operation.operands) {
    linear.push_back(is_linear_operand(a));
    if (!linear.back()) operands.push_back(a);
  }
  append_nonzero(operands, cts);
  const std::vector<Array> pulled =
      ops::call(transpose_computation(callee(operation), linear, nonzero_mask(cts)), std::move(operands));
  for (size_t i = 0, next = 0; i < linear.size(); ++i) {
    if (linear[i]) out.add(i, pulled[next++]);
  }
}

BatchResult call_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const BatchedComputation batched = batch_computation(callee(operation), batched_mask(dims), {}, context);
  return batched_results(ops::call(batched.computation, batch_in_front(operation.operands, dims)),
                         batched.batched_results);
}

// ---- conditional ----------------------------------------------------------------------------------------------------

using Branches = std::vector<ComputationPtr>;

const Branches& branches_of(const Operation& operation) {
  return attributes_of<hlo::ConditionalAttributes>(operation).branches;
}

/// Binds a conditional whose branches have flat parameters.
std::vector<Array> bind_conditional(const Operation& like, const Branches& flat_branches, std::vector<Array> operands) {
  auto with_branches = std::make_shared<hlo::ConditionalAttributes>(attributes_of<hlo::ConditionalAttributes>(like));
  with_branches->branches.clear();
  for (const ComputationPtr& branch : flat_branches) with_branches->branches.push_back(over_packed(branch));
  return bind({Opcode::kConditional, std::move(operands), std::move(with_branches), std::nullopt});
}

const Mask& marked_results(const JvpComputation& jvp) { return jvp.nonzero_results; }
const Mask& marked_results(const SplitComputation& split) { return split.unknown_results; }

/// Transforms every branch so that all have the same results with tangents, or the same unknown ones.
template <typename Transformed, typename Transform>
std::vector<Transformed> transform_branches(const Operation& operation, const Transform& transform) {
  std::vector<bool> expected;
  for (const ComputationPtr& branch : branches_of(operation))
    expected = mask_or(expected, marked_results(transform(branch, expected)));
  std::vector<Transformed> all;
  for (const ComputationPtr& branch : branches_of(operation)) all.push_back(transform(branch, expected));
  return all;
}

JvpResult conditional_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<bool> nonzero = nonzero_mask(tangents.subspan(1));
  const auto jvps =
      transform_branches<JvpComputation>(operation, [&](const ComputationPtr& c, const std::vector<bool>& expected) {
        return jvp_computation(c, nonzero, expected);
      });
  Branches branches;
  for (const JvpComputation& j : jvps) branches.push_back(j.computation);
  std::vector<Array> operands = operation.operands;
  append_nonzero(operands, tangents.subspan(1));
  return split_primals(bind_conditional(operation, branches, std::move(operands)), jvps[0].nonzero_results);
}

/// A place for each residual of each branch. Only one branch runs, so branches share places of one type.
struct ResidualPlaces {
  std::vector<Aval> avals;
  std::vector<std::vector<size_t>> of_branch;  ///< place of each of its residuals
};

ResidualPlaces residual_places(std::span<const SplitComputation> splits) {
  ResidualPlaces places;
  for (const SplitComputation& s : splits) {
    const std::vector<Shape> leaves = s.known->result_shape().leaves();
    std::vector<bool> taken(places.avals.size());
    std::vector<size_t> own;
    for (size_t i = s.known_result_count(); i < leaves.size(); ++i) {
      size_t place = 0;
      while (place < taken.size() && (taken[place] || places.avals[place].shape != leaves[i])) ++place;
      if (place == taken.size()) {
        places.avals.push_back({leaves[i], false});
        taken.push_back(false);
      }
      taken[place] = true;
      own.push_back(place);
    }
    places.of_branch.push_back(std::move(own));
  }
  return places;
}

/// Branches split into compatible parts: a known branch returns a value for every place, its own residuals and zeros
/// elsewhere; an unknown branch takes all places and reads its own.
struct SplitBranches {
  Branches known, unknown;
};

SplitBranches split_branches(std::span<const SplitComputation> splits) {
  const ResidualPlaces places = residual_places(splits);
  SplitBranches out;
  for (size_t b = 0; b < splits.size(); ++b) {
    const SplitComputation& s = splits[b];
    const size_t result_count = s.known_result_count();
    out.known.push_back(restage(s.known, [&](std::span<const Array> x) {
      const std::vector<Array> own = run_computation(*s.known, x);
      std::vector<Array> all(own.begin(), own.begin() + result_count);
      for (const Aval& a : places.avals) all.push_back(zeros_like_aval(a));
      for (size_t i = 0; i < s.residual_count; ++i) all[result_count + places.of_branch[b][i]] = own[result_count + i];
      return all;
    }));
    std::vector<Aval> avals = parameter_avals(*s.unknown);
    const size_t unknown_count = avals.size() - s.residual_count;
    avals.resize(unknown_count);
    avals.insert(avals.end(), places.avals.begin(), places.avals.end());
    const FlatFunction unknown = [&](std::span<const Array> x) {
      std::vector<Array> arguments(x.begin(), x.begin() + unknown_count);
      for (size_t place : places.of_branch[b]) arguments.push_back(x[unknown_count + place]);
      return run_computation(*s.unknown, arguments);
    };
    out.unknown.push_back(stage(unknown, avals, "linearize", s.unknown->name(), CapturePlace::kNone, true).computation);
  }
  return out;
}

LinearizeResult conditional_linearize(const Operation& operation, std::span<const bool> nonzero_operands) {
  const Mask nonzero(nonzero_operands.begin() + 1, nonzero_operands.end());
  const auto splits = transform_branches<SplitComputation>(
      operation,
      [&](const ComputationPtr& c, const Mask& expected) { return linearize_computation(c, nonzero, expected); });
  const SplitBranches branches = split_branches(splits);
  std::vector<Array> primals = bind_conditional(operation, branches.known, operation.operands);
  const std::vector<Array> residuals = take_from(primals, splits[0].known_result_count());
  return {std::move(primals), [=, index = operation.operands[0],
                               nonzero_results = splits[0].unknown_results](std::span<const Tangent> tangents) {
            std::vector<Array> operands = {index};
            append_nonzero(operands, tangents.subspan(1));
            operands.insert(operands.end(), residuals.begin(), residuals.end());
            return spread_tangents(bind_conditional(operation, branches.unknown, std::move(operands)), nonzero_results);
          }};
}

/// If the index is unknown, all results are.
std::optional<SplitResult> conditional_split(const Operation& operation, const Mask& unknown_operands) {
  if (unknown_operands[0]) return std::nullopt;
  const Mask unknown(unknown_operands.begin() + 1, unknown_operands.end());
  const auto splits = transform_branches<SplitComputation>(
      operation,
      [&](const ComputationPtr& c, const Mask& expected) { return split_computation(c, unknown, expected); });
  const SplitBranches branches = split_branches(splits);
  auto [known, rest] = known_and_unknown(operation.operands, unknown_operands);
  rest.insert(rest.begin(), operation.operands[0]);
  std::vector<Array> results;
  const auto is_needed = [](const ComputationPtr& c) { return c->has_effect() || !c->result_shape().leaves().empty(); };
  if (std::ranges::any_of(branches.known, is_needed)) results = bind_conditional(operation, branches.known, known);
  for (Array& residual : take_from(results, splits[0].known_result_count())) rest.push_back(std::move(residual));
  return SplitResult{spread_known(std::move(results), splits[0].unknown_results),
                     [=] { return bind_conditional(operation, branches.unknown, rest); }};
}

void conditional_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  std::vector<bool> linear;
  std::vector<Array> operands = {operation.operands[0]};
  for (size_t i = 1; i < operation.operands.size(); ++i) {
    linear.push_back(is_linear_operand(operation.operands[i]));
    if (!linear.back()) operands.push_back(operation.operands[i]);
  }
  append_nonzero(operands, cts);
  Branches branches;
  for (const ComputationPtr& c : branches_of(operation))
    branches.push_back(transpose_computation(c, linear, nonzero_mask(cts)));
  const std::vector<Array> pulled = bind_conditional(operation, branches, std::move(operands));
  for (size_t i = 0, next = 0; i < linear.size(); ++i) {
    if (linear[i]) out.add(i + 1, pulled[next++]);
  }
}

/// Broadcasts `mask`, one bit per example, over an array with the examples in front.
Array spread(const Array& mask, const Array& over) {
  return ops::broadcast_in_dim(mask, over.aval_shape().with_element_type(ElementType::kPred), {0});
}

/// Returns the examples that take branch `b`; the last branch takes every index out of range.
Array examples_that_take(size_t b, const Array& index, const Operation& operation) {
  if (attributes_of<hlo::ConditionalAttributes>(operation).predicated) return b == 0 ? index : ops::bitwise_not(index);
  const auto at = ops::full_like(index, static_cast<double>(b));
  if (b + 1 < branches_of(operation).size()) return ops::eq(index, at);
  return ops::bitwise_or(ops::ge(index, at), ops::lt(index, ops::full_like(index, 0)));
}

/// Returns operands that are constant for examples that don't take the branch. Otherwise an infinite slope times a zero
/// cotangent would give NaN.
std::vector<Array> constant_where_unused(const Array& used, std::vector<Array> operands) {
  for (Array& x : operands) {
    if (has_tangent(x.dtype())) x = ops::select(spread(used, x), x, bind_one(hlo::kExtStopGradient, {x}));
  }
  return operands;
}

/// Returns the operand that all branches pass through as result `k`, if it isn't batched.
std::optional<size_t> shared_operand(const Operation& operation, std::span<const BatchDim> dims, size_t k) {
  std::optional<size_t> shared;
  for (const ComputationPtr& branch : branches_of(operation)) {
    const std::optional<size_t> own = passed_through(*branch, k);
    if (!own || (shared && *own != *shared)) return std::nullopt;
    shared = own;
  }
  return dims[*shared + 1] ? std::nullopt : std::optional(*shared + 1);
}

/// With a batched index, examples take different branches: all branches run, and a select picks the results.
BatchResult conditional_batch_by_select(const Operation& operation, std::span<const BatchDim> dims,
                                        const BatchContext& context) {
  std::vector<Array> operands;
  for (size_t i = 1; i < dims.size(); ++i)
    operands.push_back(batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size));
  const std::vector<bool> batched(operands.size(), true);
  const Array index = move_axis(operation.operands[0], *dims[0], 0);
  const Branches& branches = branches_of(operation);
  std::vector<Array> chosen;
  for (size_t b = branches.size(); b-- > 0;) {
    const Array here = examples_that_take(b, index, operation);
    const std::vector<bool> force(branches[b]->result_shape().leaves().size(), true);
    const std::vector<Array> results = ops::call(batch_computation(branches[b], batched, force, context).computation,
                                                 constant_where_unused(here, operands));
    if (chosen.empty()) {
      chosen = results;
      continue;
    }
    for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = ops::select(spread(here, chosen[i]), results[i], chosen[i]);
  }
  BatchResult out{std::move(chosen), {}};
  for (size_t k = 0; k < out.results.size(); ++k) {
    const std::optional<size_t> shared = shared_operand(operation, dims, k);
    if (shared) out.results[k] = operation.operands[*shared];
    out.dims.push_back(shared ? std::nullopt : BatchDim(0));
  }
  return out;
}

BatchResult conditional_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  if (dims[0]) return conditional_batch_by_select(operation, dims, context);
  const std::vector<bool> batched = batched_mask(dims.subspan(1));
  std::vector<bool> force;
  for (const ComputationPtr& c : branches_of(operation)) {
    force = mask_or(force, batch_computation(c, batched, {}, context).batched_results);
  }
  Branches branches;
  for (const ComputationPtr& c : branches_of(operation))
    branches.push_back(batch_computation(c, batched, force, context).computation);
  std::vector<Array> operands = batch_in_front(std::span(operation.operands).subspan(1), dims.subspan(1));
  operands.insert(operands.begin(), operation.operands[0]);
  return batched_results(bind_conditional(operation, branches, std::move(operands)), force);
}

// ---- while ----------------------------------------------------------------------------------------------------------

const hlo::WhileAttributes& loop_of(const Operation& operation) {
  return attributes_of<hlo::WhileAttributes>(operation);
}

std::vector<Array> bind_while(const ComputationPtr& flat_condition, const ComputationPtr& flat_body,
                              std::vector<Array> carry) {
  auto loop = std::make_shared<hlo::WhileAttributes>();
  loop->condition = over_packed(flat_condition);
  loop->body = over_packed(flat_body);
  return bind({Opcode::kWhile, std::move(carry), std::move(loop), std::nullopt});
}

/// Returns the condition on a carry with additional leaves at its end.
ComputationPtr condition_over(const ComputationPtr& condition, const ComputationPtr& body) {
  const size_t count = parameter_leaves(*condition).size();
  const FlatFunction f = [&](std::span<const Array> carry) { return run_computation(*condition, carry.first(count)); };
  return stage(f, parameter_avals(*body), "jvp", condition->name() + ".jvp").computation;
}

JvpResult while_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const ComputationPtr& body = loop_of(operation).body;
  const std::vector<bool> nonzero = fix_carry(nonzero_mask(tangents), [&](const std::vector<bool>& carry) {
    return jvp_computation(body, carry, carry).nonzero_results;
  });
  const JvpComputation jvp = jvp_computation(body, nonzero, nonzero);
  std::vector<Array> carry = operation.operands;
  for (size_t i = 0; i < nonzero.size(); ++i) {
    if (nonzero[i]) carry.push_back(materialize(tangents[i], {operation.operands[i].aval_shape(), false}));
  }
  return split_primals(
      bind_while(condition_over(loop_of(operation).condition, jvp.computation), jvp.computation, std::move(carry)),
      nonzero);
}

/// The primal loop runs alone; the tangent loop runs both again from the known initial carry. It supports forward mode
/// but no transposition, because its trip count is unknown.
LinearizeResult while_linearize(const Operation& operation, std::span<const bool>) {
  return {bind(operation),
          [operation](std::span<const Tangent> tangents) { return while_jvp(operation, tangents).tangents; }};
}

/// Returns the results of `split`'s known part without residuals.
ComputationPtr known_results(const SplitComputation& split) {
  return restage(split.known, [&](std::span<const Array> x) {
    std::vector<Array> all = run_computation(*split.known, x);
    all.resize(split.known_result_count());
    return all;
  });
}

/// Runs the loop of the known carries alone; the unknown loop repeats all of it, because storing residuals requires the
/// trip count. If the condition is unknown, all results are.
std::optional<SplitResult> while_split(const Operation& operation, const Mask& unknown_operands) {
  const ComputationPtr& body = loop_of(operation).body;
  const Mask unknown = fix_carry(
      unknown_operands, [&](const Mask& carry) { return split_computation(body, carry, carry).unknown_results; });
  const SplitComputation condition = split_computation(loop_of(operation).condition, unknown, {});
  if (condition.unknown_results[0] || std::ranges::all_of(unknown, std::identity())) return std::nullopt;
  const std::vector<Array> known = known_and_unknown(operation.operands, unknown).known;
  std::vector<Array> results =
      bind_while(known_results(condition), known_results(split_computation(body, unknown, unknown)), known);
  return SplitResult{spread_known(std::move(results), unknown),
                     [operation, unknown] { return known_and_unknown(bind(operation), unknown).unknown; }};
}

constexpr Nonlinear kNoReverse{
    "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop values. "
    "Try using lax.scan, or using fori_loop with static start/stop."};

BatchResult while_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const ComputationPtr& condition = loop_of(operation).condition;
  const ComputationPtr& body = loop_of(operation).body;
  const auto grown = [&](std::vector<bool> batched) {
    return fix_carry(std::move(batched), [&](const std::vector<bool>& carry) {
      return batch_computation(body, carry, carry, context).batched_results;
    });
  };
  std::vector<bool> batched = grown(batched_mask(dims));
  const bool batched_predicate = batch_computation(condition, batched, {}, context).batched_results[0];
  if (batched_predicate) {
    // Examples end at different times; a carry that the body passes through stays unbatched.
    for (size_t i = 0; i < batched.size(); ++i) batched[i] = batched[i] || passed_through(*body, i) != i;
    batched = grown(batched);
  }
  const ComputationPtr condition_of_all = batch_computation(condition, batched, {}, context).computation;
  const ComputationPtr body_of_all = batch_computation(body, batched, batched, context).computation;
  std::vector<Array> carry;
  for (size_t i = 0; i < dims.size(); ++i) {
    carry.push_back(batched[i] ? batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size)
                               : operation.operands[i]);
  }
  if (!batched_predicate) return batched_results(bind_while(condition_of_all, body_of_all, std::move(carry)), batched);
  // The loop runs as long as any example does; finished examples keep their carry.
  const auto any = restage(condition_of_all, [&](std::span<const Array> x) {
    const Array going = run_computation(*condition_of_all, x)[0];
    return std::vector<Array>{ops::reduce(Opcode::kOr, going, ops::scalar(0, ElementType::kPred), {0})};
  });
  const auto masked = restage(body_of_all, [&](std::span<const Array> x) {
    const Array going = run_computation(*condition_of_all, x)[0];
    std::vector<Array> next = run_computation(*body_of_all, x);
    for (size_t i = 0; i < next.size(); ++i) {
      if (batched[i]) next[i] = ops::select(spread(going, next[i]), next[i], x[i]);
    }
    return next;
  });
  return batched_results(bind_while(any, masked, std::move(carry)), batched);
}

// ---- barrier and stop_gradient --------------------------------------------------------------------------------------

JvpResult barrier_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Operation on_tangents = operation;
  on_tangents.operands.clear();
  on_tangents.declared = std::nullopt;
  append_nonzero(on_tangents.operands, tangents);
  return {bind(operation), spread_tangents(bind(on_tangents), nonzero_mask(tangents))};
}

void barrier_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) {
  for (size_t i = 0; i < cts.size(); ++i) {
    if (!cts[i].is_zero()) out.add(i, cts[i].value());
  }
}

std::optional<SplitResult> barrier_split(const Operation& operation, const Mask& unknown) {
  const auto barrier = [](std::vector<Array> operands) {
    if (operands.empty()) return operands;
    return bind({Opcode::kOptimizationBarrier, std::move(operands), nullptr, std::nullopt});
  };
  const auto [known, rest] = known_and_unknown(operation.operands, unknown);
  return SplitResult{spread_known(barrier(known), unknown), [=] { return barrier(rest); }};
}

BatchResult barrier_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  Operation batched = operation;
  batched.declared = std::nullopt;
  return {bind(batched), {dims.begin(), dims.end()}};
}

/// Passes no cotangents back, as its derivative is zero.
void stopped_transpose(const Operation&, std::span<const Tangent>, Cotangents&) {}

/// For a tangent the op is the identity: it stops the derivative of the derivative.
std::optional<SplitResult> identity_split(const Operation& operation, const Mask&) {
  return SplitResult{{std::nullopt}, [x = operation.operands[0]] { return std::vector<Array>{x}; }};
}

BatchResult identity_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  Operation batched = operation;
  batched.declared = std::nullopt;
  return {bind(batched), {dims[0]}};
}

}  // namespace

const Rules call_rules = {call_jvp, call_transpose, call_batch, call_linearize, call_split};
const Rules conditional_rules = {conditional_jvp, conditional_transpose, conditional_batch, conditional_linearize,
                                 conditional_split};
const Rules while_rules = {while_jvp, kNoReverse, while_batch, while_linearize, while_split};
const Rules optimization_barrier_rules = {barrier_jvp, barrier_transpose, barrier_batch, nullptr, barrier_split};
const Rules stop_gradient_rules = {Nonlinear{}, stopped_transpose, identity_batch, nullptr, identity_split};

}  // namespace hilo::rules
