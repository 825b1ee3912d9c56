// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/join_all_reduces.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::hlo {
namespace {

/// The attributes that all-reduces must share to be merged, and the number of all-reduces they depend on in a chain.
using Key = std::tuple<int64_t, ElementType, std::pair<uint64_t, uint64_t>, int64_t, bool, Int64Lists>;
using Group = std::vector<InstructionId>;

bool may_join(const Instruction& instruction) {
  return instruction.opcode == Opcode::kAllReduce && instruction.operands.size() == 1 && instruction.shape.is_array() &&
         instruction.shape.byte_size() <= kMaxJoinedBytes &&
         !attributes_of<AllReduceAttributes>(instruction).constrain_layout;
}

Key key_of(const Instruction& instruction, int64_t depth) {
  const auto& a = attributes_of<AllReduceAttributes>(instruction);
  const Fingerprint reducer = a.to_apply->fingerprint();
  return {depth,        instruction.shape.element_type(), {reducer.low, reducer.high},
          a.channel_id, a.use_global_device_ids,          a.replica_groups};
}

/// Returns groups of at least two. All-reduces of equal depth don't depend on each other.
std::vector<Group> groups_of(const Computation& computation) {
  std::vector<int64_t> depths(computation.size());
  std::map<Key, std::vector<Group>> by_key;
  std::map<Key, int64_t> bytes;  // bytes of the last group of a key
  for (const Instruction& i : computation.instructions()) {
    int64_t& depth = depths[i.id];
    for (const InstructionId operand : i.operands) depth = std::max(depth, depths[operand]);
    if (!may_join(i)) continue;
    const Key key = key_of(i, ++depth);
    std::vector<Group>& groups = by_key[key];
    int64_t& total = bytes[key];
    if (groups.empty() || total + i.shape.byte_size() > kMaxJoinedBytes) groups.emplace_back(), total = 0;
    groups.back().push_back(i.id);
    total += i.shape.byte_size();
  }
  std::vector<Group> result;
  for (auto& [key, groups] : by_key) {
    std::ranges::copy_if(groups, std::back_inserter(result), [](const Group& group) { return group.size() > 1; });
  }
  return result;
}

/// Copies the computation so that operands come before their users and the members of a group are adjacent.
class Joiner {
 public:
  Joiner(const Computation& computation, const std::vector<Group>& groups)
      : from_(computation),
        groups_(groups),
        group_of_(computation.size(), -1),
        copies_(computation.size(), kNoInstruction),
        draft_(computation.name()) {
    for (size_t g = 0; g < groups.size(); ++g) {
      for (const InstructionId id : groups[g]) group_of_[id] = static_cast<int>(g);
    }
  }

  StatusOr<ComputationPtr> run() {
    for (InstructionId id = 0; id < from_.size(); ++id) {
      waiting_.push_back(id);
      while (!waiting_.empty()) step();
    }
    return std::move(draft_).finish(copies_[from_.root_id()]);
  }

 private:
  std::vector<InstructionId> operands_of(InstructionId id) const {
    std::vector<InstructionId> all;
    const Group own = {id};
    for (const InstructionId member : group_of_[id] < 0 ? own : groups_[group_of_[id]]) {
      const auto operands = from_.instruction(member).operands;
      all.insert(all.end(), operands.begin(), operands.end());
    }
    return all;
  }
  /// Copies the last waiting instruction, or pushes its missing operands.
  void step() {
    const InstructionId id = waiting_.back();
    if (copies_[id] != kNoInstruction) return waiting_.pop_back();
    std::vector<InstructionId> operands = operands_of(id);
    const size_t before = waiting_.size();
    std::ranges::copy_if(operands, std::back_inserter(waiting_),
                         [&](InstructionId operand) { return copies_[operand] == kNoInstruction; });
    if (waiting_.size() > before) return;
    waiting_.pop_back();
    for (InstructionId& operand : operands) operand = copies_[operand];
    if (group_of_[id] < 0) copies_[id] = draft_.append_copy(from_.instruction(id), operands);
    else join(groups_[group_of_[id]], operands);
  }
  void join(const Group& group, const std::vector<InstructionId>& operands) {
    std::vector<Shape> shapes;
    for (const InstructionId id : group) shapes.push_back(from_.instruction(id).shape);
    const Instruction& first = from_.instruction(group[0]);
    const InstructionId all =
        draft_.append(Opcode::kAllReduce, Shape::tuple(shapes), operands, first.attributes, std::string(first.name));
    draft_.mutable_instruction(all).annotations = first.annotations;
    for (size_t i = 0; i < group.size(); ++i) {
      auto element = std::make_shared<GetTupleElementAttributes>();
      element->index = i;
      copies_[group[i]] = draft_.append(Opcode::kGetTupleElement, shapes[i], {{all}}, std::move(element));
    }
  }

  const Computation& from_;
  const std::vector<Group>& groups_;
  std::vector<int> group_of_;          ///< by instruction; -1: none
  std::vector<InstructionId> copies_;  ///< by instruction
  std::vector<InstructionId> waiting_;
  ComputationDraft draft_;
};

}  // namespace

StatusOr<bool> join_all_reduces(Module& module) {
  return rewrite_computations(module, [](const ComputationPtr& computation) -> StatusOr<ComputationPtr> {
    const std::vector<Group> groups = groups_of(*computation);
    if (groups.empty()) return computation;
    return Joiner(*computation, groups).run();
  });
}

}  // namespace hilo::hlo
