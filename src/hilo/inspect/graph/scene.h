// SPDX-License-Identifier: Apache-2.0
// inspect/graph/scene.h -- the contents of a picture of a program: sheets of boxes. All kinds of pictures are drawn
// from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"
#include "hilo/inspect/graph/labels.h"

namespace hilo::hlo::graph {

inline constexpr uint32_t kNone = ~uint32_t{0};

/// A node of the same sheet; for a fused region, also the node on the region's sheet.
struct Source {
  uint32_t node;
  uint32_t inner = kNone;
  bool operator==(const Source&) const = default;
};

/// A box: an instruction, a fused region, or (on a region's sheet) a value from outside.
struct Node {
  NodeLabel label;
  std::string_view kind;         ///< "parameter", "constant", "elementwise", "library", "other", "region", "input"
  std::vector<Source> operands;  ///< for a region: the values of its sheet's inputs, in order
  std::vector<uint32_t> calls;   ///< sheets of called computations
  uint32_t region = kNone;       ///< sheet of a fused region
};

/// A computation, or a fused region of one. A region's inputs come first; operands precede their users.
struct Sheet {
  std::string name;
  std::string cost;
  std::vector<Node> nodes;
  uint32_t root = 0;
  uint32_t owner = kNone;  ///< for a region: the sheet that contains it
  uint32_t place = kNone;  ///< for a region: its node on that sheet
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

/// Returns the scene of a module. Instructions without a group that need no run (such as a broadcast that its reader
/// computes) belong to the groups of their users; one that several groups compute belongs to each. Without groups, a
/// node's position on its sheet is its instruction's id.
/// Cost       O(n log n)
Scene scene_of(const Module& module, std::span<const InstructionGroup> groups = {});

}  // namespace hilo::hlo::graph
