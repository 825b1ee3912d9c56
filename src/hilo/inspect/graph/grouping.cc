// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/grouping.h"

#include "hilo/base/sizes.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace hilo::hlo::graph {
namespace {

constexpr size_t kNoRun = ~size_t{0};

/// Whether an engine may compute the instruction inside of its reader.
bool may_move(const Instruction& i) {
  switch (i.opcode) {  // NOLINT: all others may
    case Opcode::kParameter:
    case Opcode::kTuple: return false;
    case Opcode::kConstant: return i.shape.is_array() && i.shape.element_count() == 1;
    default: return !has_trait(i.opcode, kEffect) && called_computations(i).empty();
  }
}

/// Splits one computation.
class Cutter {
 public:
  Cutter(const Computation& computation, std::span<const Run> runs)
      : computation_(computation), runs_(runs), active_(runs.size(), true), executed_(computation.size()) {
    for (const Run& run : runs) {
      last_.push_back(run.empty() ? kNoInstruction : std::ranges::max(run));
      for (const InstructionId id : run) executed_[id] = true;
    }
  }

  Grouping cut() {
    for (;;) {
      assign();
      if (drop_small()) continue;
      Grouping grouping = items();
      if (sort(grouping)) return grouping;
    }
  }

 private:
  /// Determines the runs of each instruction, and whether it is (also) outside of all runs.
  void assign() {
    runs_of_.assign(computation_.size(), {});
    for (size_t r = 0; r < runs_.size(); ++r) {
      if (!active_[r]) continue;
      for (const InstructionId id : runs_[r]) {
        if (runs_of_[id].empty() || runs_of_[id].back() != r) runs_of_[id].push_back(r);
      }
    }
    outside_.assign(computation_.size(), false);
    std::vector<std::vector<size_t>> requested(computation_.size());  // by users visited so far
    outside_[computation_.root_id()] = runs_of_[computation_.root_id()].empty();
    for (InstructionId id = static_cast<InstructionId>(computation_.size()); id-- > 0;) settle(id, requested);
  }

  void settle(InstructionId id, std::vector<std::vector<size_t>>& requested) {
    const Instruction& i = computation_.instruction(id);
    std::vector<size_t>& mine = runs_of_[id];
    if (mine.empty()) {
      std::ranges::sort(requested[id]);
      const auto [end, last] = std::ranges::unique(requested[id]);
      requested[id].erase(end, last);
      const bool moves = !executed_[id] && may_move(i) && !requested[id].empty() && follows(i);
      if (moves) mine = requested[id];
      else outside_[id] = true;
    }
    requested[id] = {};
    for (const InstructionId operand : i.operands) {
      requested[operand].insert(requested[operand].end(), mine.begin(), mine.end());
      // An instruction outside reads values outside, unless a run computes them.
      if (outside_[id] && runs_of_[operand].empty()) outside_[operand] = true;
    }
  }

  /// An element of a tuple belongs to the producer of the tuple.
  bool follows(const Instruction& i) const {
    return i.opcode != Opcode::kGetTupleElement || !runs_of_[i.operands[0]].empty();
  }

  bool drop_small() {
    std::vector<size_t> sizes(runs_.size());
    for (InstructionId id = 0; id < computation_.size(); ++id) {
      if (computation_.instruction(id).opcode == Opcode::kConstant) continue;
      for (const size_t r : runs_of_[id]) ++sizes[r];
    }
    bool dropped = false;
    for (size_t r = 0; r < runs_.size(); ++r) {
      if (!active_[r] || sizes[r] >= 2) continue;
      active_[r] = false;
      dropped = true;
    }
    return dropped;
  }

  /// Returns the run that writes the value for others: the one that ends with it, else the first.
  size_t maker_of(InstructionId id) const {
    for (const size_t r : runs_of_[id]) {
      if (last_[r] == id) return r;
    }
    return runs_of_[id].front();
  }

  Grouping items() const {
    Grouping grouping;
    std::vector<uint32_t> item_of_run(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r) {
      if (!active_[r]) continue;
      item_of_run[r] = size32(grouping.items);
      grouping.items.push_back({{}, r});
    }
    grouping.item_of.resize(computation_.size());
    for (InstructionId id = 0; id < computation_.size(); ++id) {
      for (const size_t r : runs_of_[id]) grouping.items[item_of_run[r]].members.push_back(id);
      if (outside_[id]) {
        grouping.item_of[id] = size32(grouping.items);
        grouping.items.push_back({{id}, kNoRun});
      } else {
        grouping.item_of[id] = item_of_run[maker_of(id)];
      }
    }
    return grouping;
  }

  /// Puts operands before users. If regions form a cycle, removes their runs and returns false.
  bool sort(Grouping& grouping) {
    const size_t count = grouping.items.size();
    std::vector<std::vector<uint32_t>> users(count);
    std::vector<size_t> missing(count);
    for (uint32_t k = 0; k < count; ++k) {
      const Item& item = grouping.items[k];
      for (const InstructionId id : item.members) {
        for (const InstructionId operand : computation_.instruction(id).operands) {
          if (item.is_region() && std::ranges::binary_search(item.members, operand)) continue;
          users[grouping.item_of[operand]].push_back(k);
          ++missing[k];
        }
      }
    }
    using Entry = std::pair<InstructionId, uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    const auto push = [&](uint32_t k) { ready.emplace(grouping.items[k].members.back(), k); };
    for (uint32_t k = 0; k < count; ++k) {
      if (missing[k] == 0) push(k);
    }
    std::vector<uint32_t> order, place(count, ~0u);
    while (!ready.empty()) {
      const uint32_t k = ready.top().second;
      ready.pop();
      place[k] = size32(order);
      order.push_back(k);
      for (const uint32_t user : users[k]) {
        if (--missing[user] == 0) push(user);
      }
    }
    if (order.size() < count) {
      drop_circles(grouping, users, place);
      return false;
    }
    std::vector<Item> sorted;
    for (const uint32_t k : order) sorted.push_back(std::move(grouping.items[k]));
    grouping.items = std::move(sorted);
    for (uint32_t& item : grouping.item_of) item = place[item];
    return true;
  }

  /// Removes the runs of unplaced items that other unplaced items depend on: these are in cycles or between two.
  void drop_circles(const Grouping& grouping, const std::vector<std::vector<uint32_t>>& users,
                    const std::vector<uint32_t>& place) {
    const size_t count = grouping.items.size();
    std::vector<std::vector<uint32_t>> sources(count);
    std::vector<size_t> waiting(count);
    for (uint32_t k = 0; k < count; ++k) {
      if (place[k] != ~0u) continue;
      for (const uint32_t user : users[k]) {
        sources[user].push_back(k);
        ++waiting[k];
      }
    }
    std::vector<uint32_t> ends;
    for (uint32_t k = 0; k < count; ++k) {
      if (place[k] == ~0u && waiting[k] == 0) ends.push_back(k);
    }
    while (!ends.empty()) {
      const uint32_t end = ends.back();
      ends.pop_back();
      for (const uint32_t source : sources[end]) {
        if (--waiting[source] == 0) ends.push_back(source);
      }
    }
    for (uint32_t k = 0; k < count; ++k) {
      if (place[k] == ~0u && waiting[k] > 0 && grouping.items[k].is_region()) active_[grouping.items[k].run] = false;
    }
  }

  const Computation& computation_;
  std::span<const Run> runs_;
  std::vector<bool> active_;    ///< runs that are regions
  std::vector<bool> executed_;  ///< instructions that belong to a run
  std::vector<InstructionId> last_;
  std::vector<std::vector<size_t>> runs_of_;
  std::vector<bool> outside_;
};

}  // namespace

Grouping group_instructions(const Computation& computation, std::span<const Run> runs) {
  return Cutter(computation, runs).cut();
}

}  // namespace hilo::hlo::graph
