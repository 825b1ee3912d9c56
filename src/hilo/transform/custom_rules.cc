// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_rules.h"

#include <algorithm>
#include <atomic>

#include "hilo/base/memoize.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/mesh/sharding_constraint.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/callback_rules.h"

namespace hilo {

const CustomRules* custom_rules_of(const Operation& operation) {
  const auto& attributes = attributes_of<hlo::CustomRulesAttributes>(operation);
  if (attributes.rules == kShardingConstraint || attributes.rules == kCallback)
    return nullptr;  // the user data is the sharding or the function
  return static_cast<const CustomRules*>(attributes.user.get());
}

bool has_custom_jvp(const Operation& operation) {
  if (operation.opcode != hlo::kExtCustomRules) return false;
  const CustomRules* rules = custom_rules_of(operation);
  if (rules == nullptr) rules = named_custom_rules(attributes_of<hlo::CustomRulesAttributes>(operation).rules);
  return rules != nullptr && rules->jvp && !rules->linearize;
}

int64_t next_custom_rules_id() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1);
}

int64_t derived_custom_rules_id(int64_t id, std::span<const int64_t> what) {
  size_t mixed = id;
  for (int64_t number : what) mixed = memoize_detail::mix(mixed, static_cast<size_t>(number));
  constexpr size_t kBeyondCounted = size_t{1} << 62;
  return static_cast<int64_t>(mixed % kBeyondCounted + kBeyondCounted);
}

bool runs_at_once(std::span<const Array> arrays) {
  return &current_trace() == &eval_trace() && std::ranges::all_of(arrays, is_concrete);
}

std::vector<Array> bind_custom_rules(const StagedFunction& function, std::span<const Array> arguments,
                                     std::string rules, int64_t id, std::shared_ptr<const void> user,
                                     std::string detail) {
  auto attributes = std::make_shared<hlo::CustomRulesAttributes>();
  attributes->to_apply = function.computation;
  attributes->rules = std::move(rules);
  attributes->detail = std::move(detail);
  attributes->id = id;
  attributes->user = std::move(user);
  std::vector<Array> operands(arguments.begin(), arguments.end());
  operands.insert(operands.end(), function.captures.begin(), function.captures.end());
  std::vector<Array> results = bind({hlo::kExtCustomRules, std::move(operands), std::move(attributes), std::nullopt});
  for (size_t i = 0; i < results.size(); ++i) results[i] = with_weak_type(results[i], function.results[i].weak_type);
  return results;
}

Array bind_identity(const Array& x, std::string_view rules, const std::string& detail) {
  const FlatFunction same = [](std::span<const Array> a) { return std::vector<Array>(a.begin(), a.end()); };
  const std::string name(rules);
  const StagedFunction identity = stage(same, std::vector<Aval>{x.aval()}, name, "identity");
  return bind_custom_rules(identity, std::span(&x, 1), name, 0, nullptr, detail)[0];
}

std::vector<Aval> avals_of(std::span<const Array> arrays) {
  std::vector<Aval> avals;
  for (const Array& a : arrays) avals.push_back(a.aval());
  return avals;
}

std::vector<Array> in_front(const BatchResult& batched, int64_t axis_size) {
  std::vector<Array> moved;
  for (size_t i = 0; i < batched.results.size(); ++i)
    moved.push_back(batch_axis_at(batched.results[i], batched.dims[i], 0, axis_size));
  return moved;
}

std::vector<Aval> with_axis_in_front(std::span<const Aval> avals, int64_t axis_size) {
  std::vector<Aval> out;
  for (const Aval& a : avals) {
    std::vector<int64_t> dims(a.shape.dimensions().begin(), a.shape.dimensions().end());
    dims.insert(dims.begin(), axis_size);
    out.push_back({Shape::array(a.shape.element_type(), dims), a.weak_type});
  }
  return out;
}

BatchedCall batched_call(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const auto& own = attributes_of<hlo::CustomRulesAttributes>(operation);
  BatchedCall call{std::make_shared<hlo::CustomRulesAttributes>(own), {}, {}, context};
  std::vector<bool> batched;
  std::vector<int64_t> what = {context.axis_size};
  for (char c : call.axis.axis_name + "|" + call.axis.spmd_axis_name) what.push_back(c);
  for (size_t i = 0; i < dims.size(); ++i) {
    batched.push_back(dims[i].has_value());
    what.push_back(batched.back() ? -1 : -2);
    call.dims.push_back(dims[i] ? BatchDim(0) : std::nullopt);
    call.operands.push_back(dims[i] ? move_axis(operation.operands[i], *dims[i], 0) : operation.operands[i]);
  }
  const std::vector<bool> force(own.to_apply->result_shape().leaves().size(), true);
  call.attributes->to_apply = batch_computation(own.to_apply, batched, force, context).computation;
  call.attributes->id = derived_custom_rules_id(own.id, what);
  return call;
}

BatchResult BatchedCall::bind(std::shared_ptr<const CustomRules> rules) const {
  attributes->user = std::move(rules);
  std::vector<Array> results = hilo::bind({hlo::kExtCustomRules, operands, attributes, std::nullopt});
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

hlo::ComputationPtr computation_of_zeros(std::span<const Aval> arguments, std::span<const Shape> results) {
  const FlatFunction zeros = [&](std::span<const Array>) {
    std::vector<Array> out;
    for (const Shape& s : results) out.push_back(zeros_like_aval({s, false}));
    return out;
  };
  return stage(zeros, arguments, "transpose", "unknown", CapturePlace::kNone, /*always_tuple=*/true).computation;
}

void refuse_closed_over_tangents(std::string_view kind, std::span<const bool> nonzero, size_t argument_count,
                                 std::string_view hint) {
  for (size_t i = argument_count; i < nonzero.size(); ++i) {
    if (!nonzero[i]) continue;
    const std::string name(kind);
    or_throw(unimplemented(at_user_line(name) + ": Detected differentiation of a " + name +
                           " function with respect to a closed-over value. That's not supported because the custom "
                           "rules only specify how to differentiate the " +
                           name + " function with respect to explicit input parameters. Hint: " + std::string(hint)));
  }
}

}  // namespace hilo
