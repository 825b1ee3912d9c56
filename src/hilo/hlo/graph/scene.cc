// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/scene.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hilo/hlo/graph/grouping.h"

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
  std::vector<const InstructionGroup*> groups;  ///< of the runs
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
    scene_.entry = static_cast<uint32_t>(computations_.size()) - 1;
    for (uint32_t c = 0; c < computations_.size(); ++c) paint_computation(c);
    return std::move(scene_);
  }

 private:
  /// Instructions of calls that were inlined belong to other computations: each of these has its part of the group.
  void add_runs(const InstructionGroup& group, const std::unordered_map<const Instruction*, uint32_t>& owner) {
    std::vector<uint32_t> seen;
    for (const Instruction* i : group.instructions) {
      const auto found = owner.find(i);
      if (found == owner.end()) continue;
      Runs& runs = runs_[found->second];
      if (std::ranges::find(seen, found->second) == seen.end()) {
        seen.push_back(found->second);
        runs.runs.emplace_back();
        runs.groups.push_back(&group);
      }
      runs.runs.back().push_back(i->id);
      if (!group.is_kernel) library_.insert(i);
    }
    // A body that was planned twice is drawn once.
    for (const uint32_t c : seen) {
      Runs& runs = runs_[c];
      if (std::find(runs.runs.begin(), runs.runs.end() - 1, runs.runs.back()) == runs.runs.end() - 1) continue;
      runs.runs.pop_back();
      runs.groups.pop_back();
    }
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

  /// Where others read an instruction's value.
  Source source(const Grouping& grouping, InstructionId id) const {
    const uint32_t item = grouping.item_of[id];
    return {item, grouping.items[item].is_region() ? inner_.at(key({item, id})) : kNone};
  }

  /// Puts the region on a sheet of its own and returns its box.
  Node paint_region(uint32_t c, uint32_t place, const Grouping& grouping) {
    const Computation& computation = *computations_[c];
    const Item& item = grouping.items[place];
    const InstructionGroup& group = *runs_[c].groups[item.run];
    Sheet sheet;
    Node box;
    sheet.owner = c;
    sheet.place = place;
    sheet.name = group.name;
    const Inputs numbers = paint_inputs(computation, grouping, item, sheet, box);
    const uint32_t inputs = static_cast<uint32_t>(sheet.nodes.size());
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
      inner_[key({place, id})] = static_cast<uint32_t>(sheet.nodes.size());
      sheet.nodes.push_back(std::move(node));
    }
    cost.bytes = group.bytes;
    sheet.cost = cost_text(cost);
    sheet.root = static_cast<uint32_t>(sheet.nodes.size()) - 1;
    const NodeLabel& last = sheet.nodes.back().label;
    box.label = {group.name, last.shape, last.source, "", sheet.cost};
    box.kind = "region";
    box.region = static_cast<uint32_t>(scene_.sheets.size());
    scene_.sheets.push_back(std::move(sheet));
    return box;
  }

  using Inputs = std::unordered_map<uint64_t, uint32_t>;
  static uint64_t key(Source source) { return uint64_t{source.node} << 32 | source.inner; }

  /// A node for each value from outside; returns their numbers.
  Inputs paint_inputs(const Computation& computation, const Grouping& grouping, const Item& item, Sheet& sheet,
                      Node& box) const {
    Inputs numbers;
    for (const InstructionId id : item.members) {
      for (const InstructionId operand : computation.instruction(id).operands) {
        if (std::ranges::binary_search(item.members, operand)) continue;
        const Source from = source(grouping, operand);
        if (!numbers.emplace(key(from), static_cast<uint32_t>(sheet.nodes.size())).second) continue;
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
  /// Of the computation that is being painted: an item and an instruction of its region -> the node on its sheet.
  std::unordered_map<uint64_t, uint32_t> inner_;
  Scene scene_;
};

}  // namespace

Scene scene_of(const Module& module, std::span<const InstructionGroup> groups) {
  return Painter(module, groups).paint();
}

}  // namespace hilo::hlo::graph
