// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/module.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace hilo::hlo {

std::vector<ComputationPtr> computations_of(const Module& module) { return computations_of(module.entry); }

std::vector<ComputationPtr> computations_of(const ComputationPtr& entry) {
  // An entry of the explicit stack of a post-order walk: with recursion deep nesting would overflow the stack.
  struct Frame {
    ComputationPtr computation;
    std::vector<ComputationPtr> called;
    size_t next = 0;
  };
  std::vector<ComputationPtr> order;
  std::unordered_set<const Computation*> seen;
  std::vector<Frame> stack;
  const auto push = [&](const ComputationPtr& c) {
    if (!seen.insert(c.get()).second) return;
    Frame frame{c, {}, 0};
    for (const Instruction& i : c->instructions()) {
      std::vector<ComputationPtr> called = called_computations(i);
      if (i.opcode == Opcode::kWhile) std::reverse(called.begin(), called.end());  // XLA visits a loop's body first
      std::move(called.begin(), called.end(), std::back_inserter(frame.called));
    }
    stack.push_back(std::move(frame));
  };
  if (entry != nullptr) push(entry);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < frame.called.size()) {
      const ComputationPtr next = frame.called[frame.next++];
      push(next);
    } else {
      order.push_back(std::move(frame.computation));
      stack.pop_back();
    }
  }
  return order;
}

namespace {

/// Returns `computation` with its called computations replaced by their entries in `rewritten`.
StatusOr<ComputationPtr> with_rewritten_calls(const ComputationPtr& computation,
                                              const std::unordered_map<const Computation*, ComputationPtr>& rewritten) {
  const auto map = [&](const ComputationPtr& c) { return rewritten.at(c.get()); };
  bool changed = false;
  for (const Instruction& i : computation->instructions()) changed |= map_called_computations(i, map) != i.attributes;
  if (!changed) return computation;
  ComputationDraft draft(computation->name());
  for (const Instruction& i : computation->instructions()) {
    const InstructionId id = draft.append_copy(i, i.operands);
    draft.mutable_instruction(id).attributes = map_called_computations(i, map);
  }
  return std::move(draft).finish(computation->root_id());
}

}  // namespace

StatusOr<bool> rewrite_computations(Module& module,
                                    const std::function<StatusOr<ComputationPtr>(const ComputationPtr&)>& rewrite) {
  std::unordered_map<const Computation*, ComputationPtr> rewritten;
  std::unordered_map<Fingerprint, ComputationPtr> by_meaning;  // equal bodies are rewritten once
  const std::vector<ComputationPtr> order = computations_of(module);
  for (const ComputationPtr& computation : order) {
    HILO_ASSIGN_OR_RETURN(ComputationPtr current, with_rewritten_calls(computation, rewritten));
    if (const auto it = by_meaning.find(current->fingerprint());
        it != by_meaning.end() && computation != module.entry) {
      rewritten.emplace(computation.get(), it->second);
      continue;
    }
    const Fingerprint before = current->fingerprint();
    HILO_ASSIGN_OR_RETURN(current, rewrite(current));
    by_meaning.emplace(before, current);
    rewritten.emplace(computation.get(), current);
  }
  const ComputationPtr entry = rewritten.at(module.entry.get());
  const bool changed = entry != module.entry;
  module.entry = entry;
  return changed;
}

namespace {

/// Returns whether `path` leads to an array inside `shape`.
bool leads_to_leaf(Shape shape, std::span<const int64_t> path) {
  for (int64_t index : path) {
    if (!shape.is_tuple() || index < 0 || index >= shape.tuple_size()) return false;
    shape = shape.tuple_element(index);
  }
  return true;
}

Status check_alias(const Alias& alias, const Computation& entry) {
  const bool parameter = alias.parameter_number >= 0 && alias.parameter_number < entry.parameter_count();
  if (!parameter || !leads_to_leaf(entry.parameter(alias.parameter_number).shape, alias.parameter_index)) {
    return invalid_argument(
        "input_output_alias: '" + entry.name() + "' has no parameter " + std::to_string(alias.parameter_number) +
        (alias.parameter_index.empty() ? "" : " with index " + dimensions_to_string(alias.parameter_index)));
  }
  if (leads_to_leaf(entry.result_shape(), alias.result_index)) return ok_status();
  return invalid_argument("input_output_alias: the result " + entry.result_shape().to_string() + " has no element " +
                          dimensions_to_string(alias.result_index));
}

}  // namespace

Status check_entry_facts(const Module& module) {
  const Computation& entry = *module.entry;
  bool fits = true;
  if (module.entry_parameter_layouts) {
    const std::vector<Shape>& layouts = *module.entry_parameter_layouts;
    fits = std::ssize(layouts) == entry.parameter_count();
    for (size_t i = 0; fits && i < layouts.size(); ++i) {
      fits = layouts[i].compatible(entry.parameter(i).shape);
    }
  }
  if (module.entry_result_layout) fits = fits && module.entry_result_layout->compatible(entry.result_shape());
  if (!fits)
    return invalid_argument("entry_computation_layout doesn't fit the parameters and result of '" + entry.name() + "'");
  for (const Alias& alias : module.aliases) HILO_RETURN_IF_ERROR(check_alias(alias, entry));
  return ok_status();
}

bool is_scheduled(const Module& module) {
  return std::ranges::find(module.other_attributes, std::pair<std::string, std::string>("is_scheduled", "true")) !=
         module.other_attributes.end();
}

int64_t instruction_count(const Module& module) {
  int64_t count = 0;
  for (const ComputationPtr& c : computations_of(module)) count += c->size();
  return count;
}

}  // namespace hilo::hlo
