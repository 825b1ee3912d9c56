// SPDX-License-Identifier: Apache-2.0
// engine/lifetimes.h -- in which order regions and other nodes run, and until when each value is read.
#pragma once

#include "hilo/engine/operand_views.h"

namespace hilo::engine {

/// A region, or a node that is run by itself.
struct Item {
  ValueId key;  ///< items run in the order of their keys
  bool is_region;
  size_t index;  ///< in RegionGraph::regions or Graph::nodes
};

inline constexpr int64_t kNeverRead = -1, kReadByCaller = INT64_MAX;

struct Lifetimes {
  std::vector<Item> items;
  std::vector<int64_t> last_use;  ///< per value: the last item that reads it, kNeverRead or kReadByCaller
};

/// Example   y = sin(x); z = y + y, in one region, x a parameter: one item; x is last read by 0, z by the caller.
/// Who reads a view reads the value that it is of.
Lifetimes lifetimes_of(const Graph& graph, const RegionGraph& regions, const ValueViews& views = {});

}  // namespace hilo::engine
