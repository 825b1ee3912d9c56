// SPDX-License-Identifier: Apache-2.0
// engine/lifetimes.h -- the order in which regions and other nodes run, and the last reader of each value.
#pragma once

#include "hilo/engine/operand_views.h"

namespace hilo::engine {

/// A region, or a node outside of regions.
struct Item {
  ValueId key;  ///< items run in ascending order of their keys
  bool is_region;
  size_t index;  ///< in RegionGraph::regions or Graph::nodes
};

inline constexpr int64_t kNeverRead = -1, kReadByCaller = INT64_MAX;

struct Lifetimes {
  std::vector<Item> items;
  std::vector<int64_t> last_use;  ///< per value: the last item that reads it, kNeverRead or kReadByCaller
};

/// Computes the order of the items and the last use of each value. A reader of a view reads the value that the view
/// refers to.
/// Example   y = sin(x); z = y + y, in one region, x a parameter: one item; x is last read by item 0, z by the caller
Lifetimes lifetimes_of(const Graph& graph, const RegionGraph& regions, const ValueViews& views = {});

}  // namespace hilo::engine
