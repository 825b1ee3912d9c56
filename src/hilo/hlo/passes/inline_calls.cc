// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

// In instructions. Smaller bodies are always inlined, because a call costs more than it saves.
constexpr int64_t kSmallBody = 32;
constexpr int64_t kMaxCopies = 64;    // per instruction, one for each level of calls that it is inlined through
constexpr int64_t kMaxGrowth = 2048;  // instructions that one body may add to the program in total

using CallSites = std::unordered_map<const Computation*, int64_t>;
using Done = std::unordered_map<const Computation*, ComputationPtr>;

const CallAttributes* plain_call(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kCall) return nullptr;
  const auto& call = attributes_of<CallAttributes>(instruction);
  return call.is_composite ? nullptr : &call;
}

/// A body with one call site can always be inlined. With many sites a large body would make the program large and be
/// compiled many times.
bool is_worth_it(int64_t size, int64_t sites) {
  return sites <= 1 || size <= kSmallBody || (sites - 1) * size <= kMaxGrowth;
}

StatusOr<ComputationPtr> inline_into(const ComputationPtr& caller, const CallSites& sites, const Done& done,
                                     GrowthBudget& budget) {
  RewriteBuilder b(caller, {.share = false, .rule = forward_tuples});
  for (const Instruction& i : caller->instructions()) {
    const CallAttributes* call = plain_call(i);
    if (call != nullptr) {
      const ComputationPtr& body = done.at(call->to_apply.get());
      if (is_worth_it(body->size(), sites.at(call->to_apply.get())) && budget.take(body->size())) {
        b.at(i);
        b.replace(i.id, b.splice(body, b.mapped(i.operands)));
        continue;
      }
    }
    b.copy(i, map_called_computations(i, [&](const ComputationPtr& c) { return done.at(c.get()); }));
  }
  return b.finish();
}

}  // namespace

StatusOr<bool> inline_calls(Module& module) {
  const std::vector<ComputationPtr> order = computations_of(module);
  CallSites sites;
  for (const ComputationPtr& c : order) {
    for (const Instruction& i : c->instructions()) {
      if (const CallAttributes* call = plain_call(i)) ++sites[call->to_apply.get()];
    }
  }
  if (sites.empty()) return false;
  GrowthBudget budget(module, kMaxCopies);
  Done done;  // callees come first, so a body is complete before it is copied
  for (const ComputationPtr& c : order) {
    HILO_ASSIGN_OR_RETURN(done[c.get()], inline_into(c, sites, done, budget));
  }
  const ComputationPtr entry = done.at(module.entry.get());
  const bool changed = entry != module.entry;
  module.entry = entry;
  return changed;
}

}  // namespace hilo::hlo
