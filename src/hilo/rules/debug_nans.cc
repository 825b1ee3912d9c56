// SPDX-License-Identifier: Apache-2.0
// rules/debug_nans.cc -- finds the op that produced a NaN or an infinity, by running a program op by op.
#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/lax/plain_control_flow.h"
#include "hilo/mesh/sharding_constraint.h"
#include "hilo/mesh/shards.h"
#include "hilo/rules/given.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/primitive_name.h"
#include "hilo/transform/custom_rules.h"

namespace hilo {
namespace {

using hlo::Opcode;
using Arrays = std::vector<Array>;

std::string shortened(const Array& x) {
  constexpr size_t kMaxSize = 200;
  std::string text = x.to_string();
  return text.size() <= kMaxSize ? text : text.substr(0, kMaxSize).append(" ...");
}

/// Steps into called computations, runs all other operations, and checks each result.
class StepTrace final : public Trace {
 public:
  explicit StepTrace(BadValues kinds) : Trace(&eval_trace(), "debug_nans"), kinds_(kinds) {}

  Arrays bind(const Operation& operation) override {
    if (operation.opcode == Opcode::kCall)
      return run_computation(*attributes_of<hlo::CallAttributes>(operation).to_apply, operation.operands);
    if (operation.opcode == hlo::kExtCustomRules)
      return run_computation(*attributes_of<hlo::CustomRulesAttributes>(operation).to_apply, operation.operands);
    if (operation.opcode == Opcode::kConditional) return step_conditional(operation);
    if (operation.opcode == Opcode::kWhile) return step_while(operation);
    if (operation.opcode == hlo::kExtScan) return step_scan(operation);
    Arrays results = [&] {
      const TraceScope scope(*parent());
      return parent()->bind(operation);
    }();
    look_at(operation, results);
    return results;
  }

 private:
  void look_at(const Operation& operation, std::span<const Array> results) const {
    for (const Array& result : results) {
      const std::string_view bad = bad_value_in(result, kinds_);
      if (bad.empty()) continue;
      std::string operands;
      for (const Array& a : operation.operands) operands += (operands.empty() ? "" : "; ") + shortened(a);
      throw FloatingPointError(failed_precondition("invalid value (" + std::string(bad) + ") encountered in " +
                                                   at_user_line(primitive_name(operation.opcode)) + places() +
                                                   ": operands " + operands + "; result " + shortened(result)));
    }
  }

  std::string places() const {
    std::string text;
    for (const std::string& place : places_) text += ", " + place;
    return text;
  }

  /// Runs `f` with a name for its location.
  template <typename F>
  auto within(std::string place, F&& f) {
    places_.push_back(std::move(place));
    auto results = f();
    places_.pop_back();
    return results;
  }

  Arrays step_conditional(const Operation& operation) {
    const auto& conditional = attributes_of<hlo::ConditionalAttributes>(operation);
    const size_t branch = hlo::chosen_branch(conditional, operation.operands[0].to_literal());
    const auto operands = std::span(operation.operands).subspan(1);
    return within(
        "in branch " + std::to_string(branch) + " of " + at_user_line(conditional.predicated ? "cond" : "switch"),
        [&] { return run_computation(*conditional.branches[branch], operands); });
  }

  Arrays step_while(const Operation& operation) {
    const auto& loop = attributes_of<hlo::WhileAttributes>(operation);
    const std::string name = at_user_line("while_loop");
    Arrays carry = operation.operands;
    for (int64_t i = 0;; ++i) {
      const std::string number = std::to_string(i) + " of " + name;
      const Arrays test = within("in the condition before iteration " + number,
                                 [&] { return run_computation(*loop.condition, carry); });
      if (!test[0].item<bool>()) return carry;
      carry = within("in iteration " + number, [&] { return run_computation(*loop.body, carry); });
    }
  }

  Arrays step_scan(const Operation& operation) {
    const auto& scan = attributes_of<hlo::ScanAttributes>(operation);
    if (scan.length == 0) return run_whole(operation);
    const auto operands = std::span(operation.operands);
    const auto constants = operands.first(scan.constant_count);
    const auto carries = operands.subspan(constants.size(), static_cast<size_t>(scan.carry_count));
    int64_t i = 0;
    const std::string name = at_user_line("scan");
    const FlatFunction step = [&](std::span<const Array> x) {
      Arrays arguments(constants.begin(), constants.end());
      arguments.insert(arguments.end(), x.begin(), x.end());
      return within("in iteration " + std::to_string(i++) + " of " + name, [&] {
        const TraceScope scope(*this);
        return run_computation(*scan.step, arguments);
      });
    };
    const TraceScope outside(*parent());  // slices and stacks don't belong to the user's program
    const lax::detail::ScanResult done = lax::detail::plain_scan(
        step, carries, operands.subspan(constants.size() + carries.size()), scan.length, scan.reverse, {});
    Arrays results = done.carry;
    results.insert(results.end(), done.ys.begin(), done.ys.end());
    return results;
  }

  Arrays run_whole(const Operation& operation) {
    const TraceScope scope(*parent());
    return parent()->bind(operation);
  }

  const BadValues kinds_;
  std::vector<std::string> places_;
};

/// Whether other processes run the operation too. They may have found no bad value, and then wouldn't take part in
/// another run.
bool is_shared_by_processes(const Operation& operation) {
  hlo::Instruction as_instruction;
  as_instruction.opcode = operation.opcode;
  as_instruction.attributes = operation.attributes;
  for (const hlo::ComputationPtr& called : hlo::called_computations(as_instruction)) {
    if (const std::optional<Mesh> mesh = mesh_of_constraints(called); mesh && !mesh->is_local()) return true;
  }
  return std::ranges::any_of(operation.operands, [](const Array& operand) {
    const NamedSharding* const sharding = sharding_of(operand);
    return sharding != nullptr && !sharding->is_fully_addressable();
  });
}

}  // namespace

void rules::find_bad_values(const Operation& operation) {
  if (is_shared_by_processes(operation)) {
    throw FloatingPointError(failed_precondition("invalid value encountered in a result of " +
                                                 at_user_line(primitive_name(operation.opcode)) +
                                                 ". Hint: in one process alone the op would be named"));
  }
  const BadValues kinds = BadValues::enabled();
  const SettingScope no_nans = debug_nans(false), no_infs = debug_infs(false);
  StepTrace trace(kinds);
  {
    const TraceScope scope(trace);
    trace.bind(operation);
  }
  throw FloatingPointError(failed_precondition("invalid value encountered in a result of " +
                                               at_user_line(primitive_name(operation.opcode)) +
                                               ", although op by op no op makes one"));
}

}  // namespace hilo
