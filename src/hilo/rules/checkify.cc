// SPDX-License-Identifier: Apache-2.0
// rules/checkify.cc -- checkify for ops that call computations, and the rules of checks themselves.
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/given.h"
#include "hilo/rules/named_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/check_state.h"

namespace hilo::checkify {
namespace {

using hlo::ComputationPtr;
using hlo::Opcode;
using lax::over_packed;
using Arrays = std::vector<Array>;

void append(Arrays& to, std::span<const Array> from) { to.insert(to.end(), from.begin(), from.end()); }

std::vector<Aval> avals_of_shapes(std::span<const Shape> shapes) {
  std::vector<Aval> avals;
  for (const Shape& shape : shapes) avals.push_back({shape, false});
  return avals;
}

/// The results and the state of a checked computation, which returns them in one list.
struct Outcome {
  Arrays results;
  CheckState state;
};
Outcome apart(const CheckPlaces& places, size_t result_count, std::span<const Array> all) {
  const auto results = all.first(result_count);
  return {{results.begin(), results.end()}, CheckState::from_leaves(places, all.subspan(result_count))};
}
Outcome run_checked(const CheckedComputation& checked, std::span<const Array> arguments) {
  return apart(checked.places, checked.result_count, run_computation(*checked.computation, arguments));
}

Arrays checked_call(const ComputationPtr& callee, const Arrays& operands, ErrorSet errors, CheckState& state) {
  const CheckedComputation checked = checked_computation(callee, errors);
  Outcome outcome = apart(checked.places, checked.result_count, ops::call(checked.computation, operands));
  state.append(outcome.state);
  return std::move(outcome.results);
}

/// The state of a loop is part of its carry, in front; the first failure is retained. The condition is checked before
/// the first step and after each.
Arrays checked_while(const Operation& operation, ErrorSet errors, CheckState& state) {
  const auto& loop = attributes_of<hlo::WhileAttributes>(operation);
  const CheckedComputation body = checked_computation(loop.body, errors);
  const CheckedComputation condition = checked_computation(loop.condition, errors);
  CheckPlaces places = body.places;
  places.append(condition.places);
  CheckState start = CheckState::nothing_at(body.places);
  if (!condition.places.none())
    start.append(apart(condition.places, 1, ops::call(condition.computation, operation.operands)).state);
  Arrays carry = start.leaves();
  const size_t count = carry.size();
  append(carry, operation.operands);
  std::vector<Shape> shapes = places.leaf_shapes();
  for (const Array& a : operation.operands) shapes.push_back(a.aval_shape());
  const FlatFunction step = [&](std::span<const Array> x) {
    Outcome next = run_checked(body, x.subspan(count));
    if (!condition.places.none()) next.state.append(run_checked(condition, next.results).state);
    Arrays out = CheckState::first_of(CheckState::from_leaves(places, x.first(count)), next.state).leaves();
    append(out, next.results);
    return out;
  };
  const FlatFunction goes_on = [&](std::span<const Array> x) {
    return Arrays{run_checked(condition, x.subspan(count)).results[0]};
  };
  const std::vector<Aval> avals = avals_of_shapes(shapes);
  auto attributes = std::make_shared<hlo::WhileAttributes>();
  attributes->body = over_packed(stage(step, avals, "checkify", "body", CapturePlace::kNone).computation);
  attributes->condition = over_packed(stage(goes_on, avals, "checkify", "condition", CapturePlace::kNone).computation);
  Arrays all = bind({Opcode::kWhile, std::move(carry), std::move(attributes), std::nullopt});
  state.append(CheckState::from_leaves(places, std::span(all).first(count)));
  return {all.begin() + count, all.end()};
}

/// Each branch returns the places of all branches; those of the others have not failed.
Arrays checked_conditional(const Operation& operation, ErrorSet errors, CheckState& state) {
  auto attributes = std::make_shared<hlo::ConditionalAttributes>(attributes_of<hlo::ConditionalAttributes>(operation));
  std::vector<CheckedComputation> branches;
  CheckPlaces places;
  for (const ComputationPtr& branch : attributes->branches) {
    branches.push_back(checked_computation(branch, errors));
    places.append(branches.back().places);
  }
  std::vector<Shape> shapes;
  for (size_t i = 1; i < operation.operands.size(); ++i) shapes.push_back(operation.operands[i].aval_shape());
  for (size_t b = 0; b < branches.size(); ++b) {
    const FlatFunction with_all_places = [&](std::span<const Array> x) {
      Outcome own = run_checked(branches[b], x);
      CheckState all;
      for (size_t other = 0; other < branches.size(); ++other)
        all.append(other == b ? own.state : CheckState::nothing_at(branches[other].places));
      append(own.results, all.leaves());
      return own.results;
    };
    attributes->branches[b] = over_packed(
        stage(with_all_places, avals_of_shapes(shapes), "checkify", "branch", CapturePlace::kNone).computation);
  }
  Outcome outcome = apart(places, branches[0].result_count,
                          bind({Opcode::kConditional, operation.operands, std::move(attributes), std::nullopt}));
  state.append(outcome.state);
  return std::move(outcome.results);
}

/// As for a while loop, the state is a carry.
Arrays checked_scan(const Operation& operation, ErrorSet errors, CheckState& state) {
  auto attributes = std::make_shared<hlo::ScanAttributes>(attributes_of<hlo::ScanAttributes>(operation));
  const CheckedComputation step = checked_computation(attributes->step, errors);
  const size_t constants = attributes->constant_count;
  const Arrays start = CheckState::nothing_at(step.places).leaves();
  const size_t count = start.size();
  Arrays operands = operation.operands;
  operands.insert(operands.begin() + attributes->constant_count, start.begin(), start.end());
  std::vector<Shape> shapes = parameter_leaves(*attributes->step);
  const std::vector<Shape> of_state = step.places.leaf_shapes();
  shapes.insert(shapes.begin() + attributes->constant_count, of_state.begin(), of_state.end());
  const FlatFunction checked_step = [&](std::span<const Array> x) {
    Arrays own(x.begin(), x.begin() + attributes->constant_count);
    append(own, x.subspan(constants + count));
    const Outcome next = run_checked(step, own);
    const CheckState before = CheckState::from_leaves(step.places, x.subspan(constants, count));
    Arrays out = CheckState::first_of(before, next.state).leaves();
    append(out, next.results);
    return out;
  };
  attributes->step = stage(checked_step, avals_of_shapes(shapes), "checkify", attributes->step->name(),
                           CapturePlace::kNone, /*always_tuple=*/true)
                         .computation;
  attributes->carry_count += count;
  Arrays all = bind({hlo::kExtScan, std::move(operands), std::move(attributes), std::nullopt});
  state.append(CheckState::from_leaves(step.places, std::span(all).first(count)));
  return {all.begin() + count, all.end()};
}

/// Returns example `at` of x, whose first `batch_dims` dimensions are batch dimensions.
Array example(const Array& x, int64_t batch_dims, const Array& at, int64_t count) {
  std::vector<int64_t> dims(x.shape().begin() + batch_dims, x.shape().end()), sizes;
  dims.insert(dims.begin(), count);
  Arrays starts(dims.size(), ops::scalar(0, ElementType::kS32));
  starts[0] = at;
  sizes = dims;
  sizes[0] = 1;
  return ops::reshape(ops::dynamic_slice(ops::reshape(x, dims), starts, sizes), std::span(dims).subspan(1));
}

/// Converts a check to a value. Of a batch, the first failing example is reported.
Arrays functionalised_check(const Operation& operation, ErrorSet errors, CheckState& state) {
  const Arrays result = {ops::scalar(0, ElementType::kU8)};
  if (!errors.has(user_checks)) return result;
  const std::string& message = attributes_of<hlo::CustomRulesAttributes>(operation).detail;
  const Array bad = ops::bitwise_not(operation.operands[0]);
  const auto payload = std::span(operation.operands).subspan(1);
  if (bad.ndim() == 0) {
    state.add(bad, {payload.begin(), payload.end()}, message);
    return result;
  }
  const int64_t count = bad.size();
  const Array flat = ops::reshape(bad, std::vector<int64_t>{count});
  const Array last = ops::scalar(static_cast<double>(count - 1), ElementType::kS32);
  const Array number = ops::iota(Shape::array(ElementType::kS32, {count}), 0);
  const Array first = ops::reduce(
      Opcode::kMinimum, ops::select(flat, number, ops::full_like(number, static_cast<double>(count - 1))), last, {0});
  Arrays shown;
  for (const Array& a : payload) shown.push_back(example(a, bad.ndim(), first, count));
  state.add(ops::reduce(Opcode::kOr, flat, ops::scalar(0, ElementType::kPred), {0}), std::move(shown), message);
  return result;
}

/// Keeps the op's rules for its computation without checks; a separate call yields the errors.
Arrays checked_custom_rules(const Operation& operation, ErrorSet errors, CheckState& state) {
  if (is_check(operation)) return functionalised_check(operation, errors, state);
  auto attributes = std::make_shared<hlo::CustomRulesAttributes>(attributes_of<hlo::CustomRulesAttributes>(operation));
  if (attributes->transpose_only) return bind(operation);
  const CheckedComputation checked = checked_computation(attributes->to_apply, errors);
  if (!checked.places.none()) checked_call(attributes->to_apply, operation.operands, errors, state);
  attributes->to_apply = checked_computation(attributes->to_apply, ErrorSet{0}).computation;
  return bind({hlo::kExtCustomRules, operation.operands, std::move(attributes), std::nullopt});
}

}  // namespace

std::optional<Arrays> check_calls(const Operation& operation, ErrorSet errors, CheckState& state) {
  if (operation.opcode == Opcode::kCall)
    return checked_call(attributes_of<hlo::CallAttributes>(operation).to_apply, operation.operands, errors, state);
  if (operation.opcode == Opcode::kWhile) return checked_while(operation, errors, state);
  if (operation.opcode == Opcode::kConditional) return checked_conditional(operation, errors, state);
  if (operation.opcode == hlo::kExtScan) return checked_scan(operation, errors, state);
  if (operation.opcode == hlo::kExtCustomRules) return checked_custom_rules(operation, errors, state);
  return std::nullopt;
}

}  // namespace hilo::checkify

namespace hilo::rules {
namespace {

JvpResult check_jvp(const Operation& operation, std::span<const Tangent>) {
  JvpResult result{bind(operation), {}};
  result.tangents.resize(result.primals.size());
  return result;
}

/// Binds one check for the whole batch.
BatchResult check_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const auto& attributes = attributes_of<hlo::CustomRulesAttributes>(operation);
  std::vector<Array> operands;
  for (size_t i = 0; i < dims.size(); ++i)
    operands.push_back(batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size));
  BatchResult out{checkify::bind_check(attributes.rules, attributes.detail, operands), {}};
  out.dims.assign(out.results.size(), std::nullopt);
  return out;
}

}  // namespace

const CustomRules* check_rules(std::string_view rules) {
  static const CustomRules kRules{check_jvp, {}, {}, check_batch};
  return rules == checkify::kCheck || rules == checkify::kDebugCheck ? &kRules : nullptr;
}

}  // namespace hilo::rules
