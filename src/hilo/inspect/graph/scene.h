// SPDX-License-Identifier: Apache-2.0
// inspect/graph/scene.h -- what a picture of a program shows: sheets of boxes. Every form of picture is drawn from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"
#include "hilo/inspect/graph/labels.h"

namespace hilo::hlo::graph {

inline constexpr uint32_t kNone = ~uint32_t{0};

/// A node of the same sheet; of a fused region, the node on the region's sheet that is meant.
struct Source {
  uint32_t node;
  uint32_t inner = kNone;
  bool operator==(const Source&) const = default;
};

/// A box: an instruction, a fused region, or (on a region's sheet) a value from outside.
struct Node {
  NodeLabel label;
  std::string_view kind;         ///< "parameter", "constant", "elementwise", "library", "other", "region", "input"
  std::vector<Source> operands;  ///< of a region: what its sheet's inputs stand for, in order
  std::vector<uint32_t> calls;   ///< sheets of called computations
  uint32_t region = kNone;       ///< sheet of a fused region
};

/// A computation, or a fused region of one. A region's inputs come first; operands stand before their users.
struct Sheet {
  std::string name;
  std::string cost;
  std::vector<Node> nodes;
  uint32_t root = 0;
  uint32_t owner = kNone;  ///< of a region: the sheet that it lies on
  uint32_t place = kNone;  ///< of a region: its node there
  bool is_region() const { return owner != kNone; }
};

/// Called computations before their callers, the entry, then the fused regions.
struct Scene {
  std::string name;
  std::vector<Sheet> sheets;
  uint32_t entry = 0;
  int64_t instructions = 0;
  uint32_t region_count() const { return static_cast<uint32_t>(sheets.size()) - entry - 1; }
};

/// Instructions that no group names and that need no run of their own (a broadcast that its reader sees through) stand
/// in the groups of their users; one that several groups compute stands in each. Without groups a node's place on its
/// sheet is its instruction's id.
/// Cost    O(n log n)
Scene scene_of(const Module& module, std::span<const InstructionGroup> groups = {});

}  // namespace hilo::hlo::graph
