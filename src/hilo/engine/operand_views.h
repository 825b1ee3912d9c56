// SPDX-License-Identifier: Apache-2.0
// engine/operand_views.h -- operands and results of library calls that are views of another value's memory and need no
// copy.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/engine/target.h"

namespace hilo::engine {

/// The position of a value's elements in another value.
struct ValueView {
  ValueId of = kNoValue;
  OperandView how;
};
using ValueViews = boost::unordered_flat_map<ValueId, ValueView>;

/// Removes regions that only move elements (slices and transposes). There are two cases: all readers are library calls
/// that can read the view, or a library call computes the moved value and can write the view.
/// Returns   the values that are views and have no memory
/// Example   dot(slice(x), y): the slice's region is removed; the dot reads x with an offset and the strides of x.
///           sine(transpose(dot(x, y))): the dot writes the transposed value
ValueViews take_views(const Graph& graph, RegionGraph& regions, const Target& target);

}  // namespace hilo::engine
