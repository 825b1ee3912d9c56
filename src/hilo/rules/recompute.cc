// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/recompute.h"

#include <algorithm>

#include "hilo/base/min_cut.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/rules/policy_cut.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/memo.h"
#include "hilo/transform/part_of.h"

namespace hilo::rules {
namespace {

using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;
using Ids = std::vector<InstructionId>;

/// Returns the known part without calls, so that all operations are visible, and with equal values once.
ComputationPtr flattened(const ComputationPtr& known) {
  hlo::Module module;
  module.entry = without_calls(known);
  or_throw(hlo::cse(module).status());
  return module.entry;
}

/// Prices of the values of a step.
class Prices {
 public:
  Prices(const hlo::Computation& step, size_t residual_count, const StepLoop& loop)
      : step_(step), policy_(enclosing_policy()), read_only_(step.size()), fixed_(step.size()) {
    const std::span<const InstructionId> root = step.root().operands;
    int64_t bytes = 0;
    for (const InstructionId id : root.last(residual_count)) bytes += step.instruction(id).shape.byte_size();
    is_large_ = bytes > kRecomputeCosts.cache_bytes / std::max<int64_t>(1, loop.length);
    for (const InstructionId id : step.parameters().subspan(loop.constants + loop.carries)) read_only_[id] = true;
    for (size_t y = loop.carries; y < root.size() - residual_count; ++y) read_only_[root[y]] = true;
    fixed_ = follows_from(step, step.parameters().first(loop.constants));
  }

  /// Returns the price of storing a value for the backward pass. Stacked operands and results are in memory: they are
  /// only read. So are the loop's constants, of which a step may read a part.
  int64_t of_storing(const Instruction& i) const {
    if (!i.shape.is_array() || i.opcode == Opcode::kConstant) return FlowGraph::kNoLimit;
    const RecomputeCosts& costs = kRecomputeCosts;
    if (fixed_[i.id] && (i.opcode == Opcode::kParameter || i.shape.rank() == 0)) return 0;
    if (fixed_[i.id]) return i.shape.byte_size() * costs.read_in_cache;
    if (read_only_[i.id]) return i.shape.byte_size() * (is_large_ ? costs.read : costs.read_in_cache);
    return i.shape.byte_size() * (is_large_ ? costs.stored : costs.stored_in_cache);
  }

  /// Returns the price of computing a value again from its operands; kNoLimit if it must be stored.
  int64_t of_recomputing(const Instruction& i) const {
    if (i.opcode == Opcode::kConstant || i.opcode == Opcode::kIota || i.opcode == Opcode::kTuple) return 0;
    if (i.opcode == Opcode::kGetTupleElement) return 0;
    if (is_stored(i)) return FlowGraph::kNoLimit;
    return i.shape.element_count() * of_element(i) * (is_complex(i.shape.element_type()) ? 4 : 1);
  }

 private:
  bool is_stored(const Instruction& i) const {
    if (i.opcode == hlo::kExtCustomRules)
      return hlo::attributes_of<hlo::CustomRulesAttributes>(i).rules != kCheckpointName || policy_.keeps(step_, i);
    const bool moves = has_trait(i.opcode, hlo::kMovesData) && i.opcode != Opcode::kDynamicUpdateSlice;
    const bool is_pointwise = is_elementwise(i.opcode) || i.opcode == hlo::kExtFma;
    return has_effect(i) || (!moves && !is_pointwise) || policy_.keeps(step_, i);
  }

  static int64_t of_element(const Instruction& i) {
    if (i.opcode == Opcode::kGather) return kRecomputeCosts.gathered;
    switch (i.def().cost) {
      case hlo::CostClass::kCheap: return kRecomputeCosts.cheap;
      case hlo::CostClass::kExpensive: return kRecomputeCosts.expensive;
      case hlo::CostClass::kTranscendental: return kRecomputeCosts.transcendental;
      case hlo::CostClass::kFree:
      case hlo::CostClass::kHero: return 0;  // checkpoint_name is a function in its own right, but costs nothing
    }
    return 0;
  }

  const hlo::Computation& step_;
  Policy policy_;
  bool is_large_ = false;
  std::vector<bool> read_only_;  ///< slices of stacked operands and results
  std::vector<bool> fixed_;      ///< values that are equal in all steps
};

/// Returns the values to store so that all of `residuals` can be computed from them at the least price, in order. Each
/// value is two nodes: whether it is available to the backward pass, and whether it is computed again there.
Ids cheapest_to_store(const hlo::Computation& step, std::span<const InstructionId> residuals, const Prices& prices) {
  Ids none;
  const std::vector<bool> needed = needed_for(step, residuals, std::vector<bool>(step.size()), none);
  const size_t source = 2 * step.size(), sink = source + 1;
  const auto available = [](InstructionId id) { return 2 * static_cast<size_t>(id); };
  const auto again = [](InstructionId id) { return 2 * static_cast<size_t>(id) + 1; };
  FlowGraph graph(sink + 1);
  for (const Instruction& i : step.instructions()) {
    if (!needed[i.id]) continue;
    graph.add_edge(available(i.id), again(i.id), prices.of_storing(i));
    graph.add_edge(again(i.id), sink, prices.of_recomputing(i));
    for (const InstructionId operand : i.operands) graph.add_edge(again(i.id), available(operand), FlowGraph::kNoLimit);
  }
  for (const InstructionId id : residuals) graph.add_edge(source, available(id), FlowGraph::kNoLimit);
  const std::vector<bool> side = graph.min_cut(source, sink);
  Ids stored;
  for (InstructionId id = 0; id < step.size(); ++id) {
    if (side[available(id)] && !side[again(id)]) stored.push_back(id);
  }
  return stored;
}

SplitComputation with_stored(const SplitComputation& split, const hlo::Computation& known, const Ids& stored) {
  const std::span<const InstructionId> root = known.root().operands;
  const std::span<const InstructionId> residuals = root.last(split.residual_count);
  Ids results(root.begin(), root.end() - split.residual_count), effects;
  results.insert(results.end(), stored.begin(), stored.end());
  for (const Instruction& i : known.instructions()) {
    if (has_effect(i)) effects.push_back(i.id);
  }
  SplitComputation out;
  out.known = part_of(known, known.parameters(), results, split.known->name(), effects);
  const ComputationPtr again = part_of(known, stored, residuals, split.known->name() + ".again");
  out.unknown = with_residuals_from(*again, *split.unknown, split.residual_count, split.unknown->name());
  out.residual_count = stored.size();
  out.unknown_results = split.unknown_results;
  return out;
}

SplitComputation select(const SplitComputation& split, const StepLoop& loop) {
  const ComputationPtr known = flattened(split.known);
  const std::span<const InstructionId> all = known->root().operands.last(split.residual_count);
  Ids residuals(all.begin(), all.end());
  std::ranges::sort(residuals);
  residuals.erase(std::ranges::unique(residuals).begin(), residuals.end());
  const Ids stored = cheapest_to_store(*known, residuals, Prices(*known, split.residual_count, loop));
  return stored == residuals ? split : with_stored(split, *known, stored);
}

}  // namespace

SplitComputation recompute_cheap(const SplitComputation& split, const StepLoop& loop) {
  if (split.residual_count == 0) return split;
  static ComputationMemo<SplitComputation, hlo::Fingerprint, Mask, size_t, size_t, size_t, int64_t, std::string> memo;
  return memo.get(split.known, split.unknown->fingerprint(), split.unknown_results, split.residual_count,
                  loop.constants, loop.carries, loop.length, enclosing_policy(), [&] { return select(split, loop); });
}

ComputationPtr without_calls(const ComputationPtr& computation) {
  hlo::Module module;
  module.entry = computation;
  or_throw(hlo::inline_calls(module).status());
  if (module.entry->root().opcode == Opcode::kTuple) return module.entry;
  // All results are elements of one operation, which has become the root.
  const FlatFunction f = [&](std::span<const Array> x) { return run_computation(*module.entry, x); };
  return stage(f, parameter_avals(*computation), "checkpoint", computation->name(), CapturePlace::kNone, true)
      .computation;
}

ComputationPtr with_residuals_from(const hlo::Computation& again, const hlo::Computation& unknown,
                                   size_t residual_count, const std::string& name) {
  std::vector<Aval> avals = parameter_avals(unknown);
  const size_t own = avals.size() - residual_count;
  avals.resize(own);
  for (const Aval& a : parameter_avals(again)) avals.push_back(a);
  const FlatFunction f = [&](std::span<const Array> x) {
    std::vector<Array> arguments(x.begin(), x.begin() + own);
    for (Array& residual : run_computation(again, x.subspan(own))) arguments.push_back(std::move(residual));
    return run_computation(unknown, arguments);
  };
  return stage(f, avals, "checkpoint", name, CapturePlace::kNone, true).computation;
}

}  // namespace hilo::rules
