// SPDX-License-Identifier: Apache-2.0
// hlo/proto/instruction_ids.h -- a map from ids to the instructions of a computation that is being read.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo::proto {

/// A map from ids to instructions. The upper half of an id is its computation's. The lower halves count up, with few
/// gaps and in any order: nearly all are in an array by their lower half, the others in a map.
class InstructionIds {
 public:
  void reserve(size_t instructions) { listed_.resize(2 * instructions); }
  /// Returns kNoInstruction if no instruction has the id.
  InstructionId find(int64_t id) const {
    const uint32_t place = static_cast<uint32_t>(id);
    if (place < listed_.size() && listed_[place].id == id) return listed_[place].instruction;
    const auto other = others_.find(id);
    return other == others_.end() ? kNoInstruction : other->second;
  }
  /// Inserts an id; returns false if it exists already.
  bool insert(int64_t id, InstructionId instruction) {
    const uint32_t place = static_cast<uint32_t>(id);
    if (place >= listed_.size()) return others_.emplace(id, instruction).second;
    Entry& entry = listed_[place];
    if (entry.instruction != kNoInstruction) return entry.id != id && others_.emplace(id, instruction).second;
    entry = {id, instruction};
    return true;
  }

 private:
  struct Entry {
    int64_t id = 0;
    InstructionId instruction = kNoInstruction;
  };
  std::vector<Entry> listed_;
  boost::unordered_flat_map<int64_t, InstructionId> others_;
};

}  // namespace hilo::hlo::proto
