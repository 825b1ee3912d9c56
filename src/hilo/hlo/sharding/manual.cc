// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/manual.h"

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/custom_call.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kEnter = "hilo.enter_manual", kLeave = "hilo.leave_manual";

bool calls(const Instruction& instruction, std::string_view target) {
  return instruction.opcode == Opcode::kCustomCall &&
         custom_call_target(attributes_of<CustomCallAttributes>(instruction)) == target;
}

/// A boundary of a manual computation, and the value that it reads: a whole array or a shard.
struct Edge {
  bool enters;
  InstructionId from;
};

StatusOr<std::vector<std::optional<Edge>>> edges_of(const Computation& computation, const PropagationRequest& request) {
  std::vector<std::optional<Edge>> edges(computation.size());
  for (const Instruction& i : computation.instructions()) {
    if (i.annotations == nullptr || i.annotations->frontend_attributes.empty() || i.operands.empty()) continue;
    HILO_ASSIGN_OR_RETURN(const std::optional<ManualEdge> edge, request.manual(i));
    if (!edge) continue;
    InstructionId from = i.operands[0];
    HILO_ASSIGN_OR_RETURN(const DimensionSplit summands,
                          split_dimension(edge->sharding.mesh, edge->sharding.unreduced));
    if (edge->enters && summands.parts > 1 && edge->sharding.reduction == ReducerKind::kAdd)
      // `from` is a select between the value and, on other devices, zeros
      from = computation.instruction(from).operands[1];
    for (int64_t k = 0; !edge->enters && k < edge->joins; ++k) from = computation.instruction(from).operands[0];
    edges[i.id] = Edge{edge->enters, from};
  }
  return edges;
}

/// Returns which instructions the root needs. A boundary needs only the value it reads.
std::vector<bool> needed(const Computation& computation, const std::vector<std::optional<Edge>>& edges) {
  std::vector<bool> is_needed(computation.size());
  is_needed[computation.root_id()] = true;
  for (const Instruction& i : computation.instructions()) {  // a custom call or callback that inspects a sharding
    if (!edges[i.id] && i.annotations != nullptr && !i.annotations->frontend_attributes.empty()) is_needed[i.id] = true;
  }
  for (InstructionId id = computation.size(); id-- > 0;) {
    if (computation.instruction(id).opcode == Opcode::kParameter) is_needed[id] = true;
    if (!is_needed[id]) continue;
    if (edges[id]) is_needed[edges[id]->from] = true;
    else
      for (const InstructionId operand : computation.instruction(id).operands) is_needed[operand] = true;
  }
  return is_needed;
}

InstructionId append_call(ComputationDraft& draft, const Instruction& edge, std::string_view target,
                          InstructionId operand) {
  CustomCallOptions options;
  options.target = target;
  const Shape from = draft.instruction(operand).shape;
  const InstructionId id = draft.append(Opcode::kCustomCall, edge.shape, {{operand}},
                                        make_custom_call(options, std::span(&from, 1), 1), edge.name);
  draft.mutable_instruction(id).annotations = edge.annotations;
  return id;
}

StatusOr<ComputationPtr> rewritten(const ComputationPtr& computation, const PropagationRequest& request) {
  HILO_ASSIGN_OR_RETURN(const auto edges, edges_of(*computation, request));
  if (std::ranges::none_of(edges, [](const auto& edge) { return edge.has_value(); })) return computation;
  const std::vector<bool> is_needed = needed(*computation, edges);
  ComputationDraft draft(computation->name());
  std::vector<InstructionId> result(computation->size());
  for (const Instruction& i : computation->instructions()) {
    if (!is_needed[i.id]) continue;
    std::vector<InstructionId> operands;
    if (!edges[i.id]) {
      for (const InstructionId operand : i.operands) operands.push_back(result[operand]);
      result[i.id] = draft.append_copy(i, operands);
    } else if (edges[i.id]->enters) {
      result[i.id] = append_call(draft, i, kEnter, result[edges[i.id]->from]);
    } else {  // the copy states the whole array's sharding
      result[i.id] = draft.append_copy(i, {{append_call(draft, i, kLeave, result[edges[i.id]->from])}});
    }
  }
  return std::move(draft).finish(result[computation->root_id()]);
}

/// One sweep over the frames.
struct Marker {
  DataFlow& flow;
  const ManualAtoms& atoms;
  bool changed = false;

  int64_t depth(FlowArrayId array) const { return flow.arrays[array].manual_depth; }
  void raise(FlowArrayId array, int64_t to, const Atoms& manual) {
    FlowArray& raised = flow.arrays[array];
    changed |= raised.manual_depth < to;
    raised.manual_depth = std::max(raised.manual_depth, to);
    for (const uint16_t atom : manual) {
      if (contains(raised.manual, atom)) continue;
      raised.manual.push_back(atom);
      changed = true;
    }
  }
  const std::vector<FlowArrayId>& root(uint32_t frame) const {
    return flow.frames[frame].values[flow.frames[frame].computation->root_id()];
  }
  void flows_into(const std::vector<FlowArrayId>& to, const std::vector<FlowArrayId>& from) {
    for (size_t i = 0; i < std::min(to.size(), from.size()); ++i)
      raise(to[i], depth(from[i]), Atoms(flow.arrays[from[i]].manual));
  }
  void opened(const FlowFrame& frame, const Instruction& instruction, const std::vector<uint32_t>& frames);
  void op(const FlowFrame& frame, const Instruction& instruction);
};

void Marker::opened(const FlowFrame& frame, const Instruction& instruction, const std::vector<uint32_t>& frames) {
  const std::vector<FlowArrayId>& results = frame.values[instruction.id];
  if (instruction.opcode == Opcode::kWhile) {
    flows_into(results, frame.values[instruction.operands[0]]);
    flows_into(results, root(frames[0]));
  } else if (instruction.opcode == Opcode::kConditional) {
    for (const uint32_t branch : frames) flows_into(results, root(branch));
  } else if (instruction.opcode == kExtScan) {
    const FlowFrame& step = flow.frames[frames[0]];
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      flows_into(step.values[step.computation->parameters()[i]], frame.values[instruction.operands[i]]);
    flows_into(results, root(frames[0]));
  }
}

void Marker::op(const FlowFrame& frame, const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  const bool own = is_collective(opcode) || opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
  int64_t deepest = own ? 1 : 0;
  Atoms manual;
  for (const InstructionId operand : instruction.operands) {
    for (const FlowArrayId array : frame.values[operand]) {
      deepest = std::max(deepest, depth(array));
      manual.insert(manual.end(), flow.arrays[array].manual.begin(), flow.arrays[array].manual.end());
    }
  }
  const auto edge = atoms.find(&instruction);
  if (enters_manual(instruction)) {
    ++deepest;
    if (edge != atoms.end()) manual.insert(manual.end(), edge->second.begin(), edge->second.end());
  } else if (leaves_manual(instruction)) {
    deepest = std::max<int64_t>(0, deepest - 1);
    std::erase_if(manual, [&](uint16_t atom) { return deepest == 0 || contains(edge->second, atom); });
  }
  for (const FlowArrayId array : frame.values[instruction.id]) raise(array, deepest, manual);
}

bool only_names(Opcode opcode) {
  return opcode == Opcode::kParameter || opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
         opcode == Opcode::kOptimizationBarrier || opcode == Opcode::kDomain || opcode == Opcode::kAddDependency;
}

}  // namespace

bool enters_manual(const Instruction& instruction) { return calls(instruction, kEnter); }
bool leaves_manual(const Instruction& instruction) { return calls(instruction, kLeave); }

StatusOr<Module> with_manual_calls(const Module& module, const PropagationRequest& request) {
  Module result = module;
  if (request.manual == nullptr) return result;
  const auto rewrite = [&](const ComputationPtr& computation) { return rewritten(computation, request); };
  HILO_RETURN_IF_ERROR(rewrite_computations(result, rewrite).status());
  return result;
}

StatusOr<ManualAtoms> manual_atoms(const Module& module, const PropagationRequest& request) {
  ManualAtoms result;
  if (request.manual == nullptr) return result;
  const MeshAtoms mesh(request.mesh);
  for (const ComputationPtr& computation : computations_of(module)) {
    for (const Instruction& i : computation->instructions()) {
      if (!enters_manual(i) && !leaves_manual(i)) continue;
      HILO_ASSIGN_OR_RETURN(const std::optional<ManualEdge> edge, request.manual(i));
      Atoms& atoms = result[&i];
      if (!edge) continue;
      if (!edge->others) {
        atoms.resize(mesh.count());
        std::iota(atoms.begin(), atoms.end(), uint16_t{0});
        continue;
      }
      std::vector<const std::vector<AxisReference>*> lists = {&*edge->others, &edge->sharding.unreduced};
      for (const DimensionSharding& dimension : edge->sharding.dimensions) lists.push_back(&dimension.axes);
      for (const std::vector<AxisReference>* const axes : lists) {
        HILO_ASSIGN_OR_RETURN(const Atoms more, mesh.atoms_of(*axes));
        atoms.insert(atoms.end(), more.begin(), more.end());
      }
    }
  }
  return result;
}

ShardingRule edge_rule(const Shape& from, const Shape& to) {
  ShardingRule rule;
  if (!from.is_array() || !to.is_array() || from.rank() != to.rank()) return rule;
  ArrayFactors of_from, of_to;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t part = std::min(from.dimension(d), to.dimension(d));
    const int own = static_cast<int>(rule.factors.size()) + 1;
    rule.factors.push_back({part == 0 ? 1 : std::max(from.dimension(d), to.dimension(d)) / part});
    rule.factors.push_back({part});
    for (const bool whole : {from.dimension(d) > part, to.dimension(d) > part}) {
      std::vector<int>& factors = of_from.size() == of_to.size() ? of_from.emplace_back() : of_to.emplace_back();
      if (whole) factors.push_back(own - 1);
      factors.push_back(own);
    }
  }
  rule.operands = {std::move(of_from)};
  rule.results = {std::move(of_to)};
  return rule;
}

void mark_manual(DataFlow& flow, const ManualAtoms& atoms) {
  const auto has_edge = [](const FlowFrame& frame) {
    return std::ranges::any_of(frame.computation->instructions(),
                               [](const Instruction& i) { return enters_manual(i) || leaves_manual(i); });
  };
  if (std::ranges::none_of(flow.frames, has_edge)) return;
  Marker marker{flow, atoms};
  do {
    marker.changed = false;
    for (const FlowFrame& frame : flow.frames) {
      for (const Instruction& i : frame.computation->instructions()) {
        const auto frames = frame.opened.find(i.id);
        if (frames != frame.opened.end()) marker.opened(frame, i, frames->second);
        else if (!only_names(i.opcode)) marker.op(frame, i);
      }
    }
  } while (marker.changed);
}

}  // namespace hilo::hlo
