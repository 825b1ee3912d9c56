// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/scene.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hilo/base/sizes.h"
#include "hilo/inspect/graph/grouping.h"

namespace hilo::hlo::graph {
namespace {

std::string_view kind_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kParameter) return "parameter";
  if (instruction.opcode == Opcode::kConstant) return "constant";
  return is_elementwise(instruction.opcode) ? "elementwise" : "other";
}

/// The groups of one computation.
struct Runs {
  std::vector<Run> runs;
  std::vector<std::string> names;  ///< of the runs
  std::vector<double> bytes;
  std::unordered_map<InstructionId, size_t> by_last;

  /// Kernels that write parts of one value, such as the operands of a concatenate, form one run; duplicates count once.
  void add(Run run, const InstructionGroup& group) {
    const auto [entry, fresh] = by_last.emplace(run.back(), runs.size());
    if (fresh) {
      runs.push_back(std::move(run));
      names.push_back(group.name);
      bytes.push_back(group.bytes);
      return;
    }
    Run& known = runs[entry->second];
    const size_t before = known.size();
    for (const InstructionId id : run) {
      if (std::ranges::find(known, id) == known.end()) known.push_back(id);
    }
    if (known.size() > before) bytes[entry->second] += group.bytes;
  }
};

class Painter {
 public:
  Painter(const Module& module, std::span<const InstructionGroup> groups)
      : computations_(computations_of(module)), costs_(module.entry), lines_(module) {
    scene_.name = module.name;
    scene_.instructions = instruction_count(module);
    std::unordered_map<const Instruction*, uint32_t> owner;
    for (uint32_t c = 0; c < computations_.size(); ++c) {
      numbers_.emplace(computations_[c].get(), c);
      if (groups.empty()) continue;
      for (const Instruction& i : computations_[c]->instructions()) owner.emplace(&i, c);
    }
    runs_.resize(computations_.size());
    for (const InstructionGroup& group : groups) add_runs(group, owner);
  }

  Scene paint() {
    scene_.sheets.resize(computations_.size());
    scene_.entry = size32(computations_) - 1;
    for (uint32_t c = 0; c < computations_.size(); ++c) paint_computation(c);
    return std::move(scene_);
  }

 private:
  /// Instructions of inlined calls belong to other computations; each of these gets its part of the group.
  void add_runs(const InstructionGroup& group, const std::unordered_map<const Instruction*, uint32_t>& owner) {
    std::vector<std::pair<uint32_t, Run>> parts;
    for (const Instruction* i : group.instructions) {
      const auto found = owner.find(i);
      if (found == owner.end()) continue;
      if (!group.is_kernel) library_.insert(i);
      auto part = std::ranges::find(parts, found->second, &std::pair<uint32_t, Run>::first);
      if (part == parts.end()) part = parts.insert(part, {found->second, {}});
      part->second.push_back(i->id);
    }
    for (auto& [c, run] : parts) runs_[c].add(std::move(run), group);
  }

  void paint_computation(uint32_t c) {
    const Computation& computation = *computations_[c];
    const Grouping grouping = group_instructions(computation, runs_[c].runs);
    inner_.clear();
    scene_.sheets[c].name = computation.name();
    scene_.sheets[c].cost = cost_text(costs_.of(computation));
    for (uint32_t k = 0; k < grouping.items.size(); ++k) {
      const Item& item = grouping.items[k];
      Node node = item.is_region() ? paint_region(c, k, grouping) : node_of(computation, item.members[0]);
      if (!item.is_region()) {
        for (const InstructionId operand : computation.instruction(item.members[0]).operands)
          node.operands.push_back(source(grouping, operand));
      }
      scene_.sheets[c].nodes.push_back(std::move(node));
    }
    scene_.sheets[c].root = grouping.item_of[computation.root_id()];
  }

  Node node_of(const Computation& computation, InstructionId id) const {
    const Instruction& instruction = computation.instruction(id);
    Node node;
    node.label = label_of(instruction, costs_.of(instruction, computation), lines_);
    node.kind = library_.contains(&instruction) ? "library" : kind_of(instruction);
    for (const ComputationPtr& called : called_computations(instruction))
      node.calls.push_back(numbers_.at(called.get()));
    return node;
  }

  /// Returns the node from which others read an instruction's value.
  Source source(const Grouping& grouping, InstructionId id) const {
    const uint32_t item = grouping.item_of[id];
    return {item, grouping.items[item].is_region() ? inner_.at(key({item, id})) : kNone};
  }

  /// Puts the region on a separate sheet and returns its box.
  Node paint_region(uint32_t c, uint32_t place, const Grouping& grouping) {
    const Computation& computation = *computations_[c];
    const Item& item = grouping.items[place];
    const std::string& name = runs_[c].names[item.run];
    Sheet sheet;
    Node box;
    sheet.owner = c;
    sheet.place = place;
    sheet.name = name;
    const Inputs numbers = paint_inputs(computation, grouping, item, sheet, box);
    const uint32_t inputs = size32(sheet.nodes);
    Cost cost;
    for (uint32_t k = 0; k < item.members.size(); ++k) {
      const InstructionId id = item.members[k];
      Node node = node_of(computation, id);
      for (const InstructionId operand : computation.instruction(id).operands) {
        const auto at = std::ranges::lower_bound(item.members, operand);
        const bool inside = at != item.members.end() && *at == operand;
        node.operands.push_back({inside ? inputs + static_cast<uint32_t>(at - item.members.begin())
                                        : numbers.at(key(source(grouping, operand)))});
      }
      cost += costs_.of(computation.instruction(id), computation);
      inner_[key({place, id})] = size32(sheet.nodes);
      sheet.nodes.push_back(std::move(node));
    }
    cost.bytes = runs_[c].bytes[item.run];
    sheet.cost = cost_text(cost);
    sheet.root = size32(sheet.nodes) - 1;
    const NodeLabel& last = sheet.nodes.back().label;
    box.label = {name, last.shape, last.source, "", sheet.cost};
    box.kind = "region";
    box.region = size32(scene_.sheets);
    scene_.sheets.push_back(std::move(sheet));
    return box;
  }

  using Inputs = std::unordered_map<uint64_t, uint32_t>;
  static uint64_t key(Source source) { return uint64_t{source.node} << 32 | source.inner; }

  /// Adds a node for each value from outside; returns their numbers.
  Inputs paint_inputs(const Computation& computation, const Grouping& grouping, const Item& item, Sheet& sheet,
                      Node& box) const {
    Inputs numbers;
    for (const InstructionId id : item.members) {
      for (const InstructionId operand : computation.instruction(id).operands) {
        if (std::ranges::binary_search(item.members, operand)) continue;
        const Source from = source(grouping, operand);
        if (!numbers.emplace(key(from), size32(sheet.nodes)).second) continue;
        box.operands.push_back(from);
        Node input;
        input.label.title = computation.instruction(operand).name;
        input.label.shape = computation.instruction(operand).shape.to_string();
        input.kind = "input";
        sheet.nodes.push_back(std::move(input));
      }
    }
    return numbers;
  }

  std::vector<ComputationPtr> computations_;
  CostAnalysis costs_;
  SourceLines lines_;
  std::unordered_map<const Computation*, uint32_t> numbers_;
  std::vector<Runs> runs_;
  std::unordered_set<const Instruction*> library_;
  /// For the current computation: maps an item and an instruction of its region to the node on its sheet.
  std::unordered_map<uint64_t, uint32_t> inner_;
  Scene scene_;
};

}  // namespace

Scene scene_of(const Module& module, std::span<const InstructionGroup> groups) {
  return Painter(module, groups).paint();
}

}  // namespace hilo::hlo::graph
