// SPDX-License-Identifier: Apache-2.0
// engine/operand_views.h -- operands and results of library calls that are read and written in another value's memory,
// and never copied.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/engine/target.h"

namespace hilo::engine {

/// Where a value's elements are.
struct ValueView {
  ValueId of = kNoValue;
  OperandView how;
};
using ValueViews = boost::unordered_flat_map<ValueId, ValueView>;

/// Takes the regions away that only move elements, slices and transposes, where all who read the result are library
/// calls that read it as it lies, or where a library call makes what they move and can write it where they would.
/// Returns   the values that have no memory of their own then
/// Example   dot(slice(x), y): the slice's region is gone; the dot reads x, with an offset and the strides of x.
///           sine(transpose(dot(x, y))): the dot writes the transposed value
ValueViews take_views(const Graph& graph, RegionGraph& regions, const Target& target);

}  // namespace hilo::engine
