// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/named_axis.h -- extension ops over a named axis: psum, pmax, pmin, all_gather, ppermute, psum_scatter,
// all_to_all, axis_index. They have no decomposition: vmap resolves its own axis, and pmap converts the rest to
// collectives.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Attributes of psum, pmax, pmin (elementwise over the members of the axis) and axis_index (no operand, s32[]).
struct NamedAxisAttributes : Attributes {
  std::string axis_name;
  int64_t axis_size = 0;
};

/// Stacks the members' operands along a new dimension.
struct NamedAllGatherAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  int64_t dimension = 0;
};

/// Member `target` receives the operand of `source`. Members that aren't a target receive zeros.
struct PpermuteAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  Int64Pairs permutation;
};

/// Sums the members' operands; member i receives slice i of a dimension: f32[4,3] of 4 members -> f32[3].
struct PsumScatterAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  int64_t dimension = 0;
};

/// Sends slice i of dimension `split` to member i. Received slices are stacked along a new dimension `concat`: f32[4,3]
/// of 4 members -> f32[4,3] with 0 and 0, f32[3,4] with 0 and 1.
struct NamedAllToAllAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  int64_t split = 0, concat = 0;
};

/// Returns the attributes if this is a named-axis op, else null.
const NamedAxisAttributes* named_axis_of(Opcode opcode, const Attributes* attributes);

/// Returns whether `computation`, or one that it calls, has an op over the axis `axis_name`.
bool uses_axis(const ComputationPtr& computation, std::string_view axis_name);

}  // namespace hilo::hlo
