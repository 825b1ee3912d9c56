// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/named_axis.h -- extension ops over an axis that has a name: psum, pmax, pmin, all_gather, ppermute,
// psum_scatter, all_to_all, axis_index. They have no decomposition: vmap resolves its own axis, pmap turns the rest into collectives.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Of psum, pmax, pmin (elementwise over the members of the axis) and axis_index (no operand, s32[]).
struct NamedAxisAttributes : Attributes {
  std::string axis_name;
  int64_t axis_size = 0;
};

/// The members' operands, stacked along a new dimension.
struct NamedAllGatherAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  int64_t dimension = 0;
};

/// Member `target` gets the operand of `source`, who isn't a target zeros.
struct PpermuteAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  Int64Pairs permutation;
};

/// The sum of the members' operands, of which member i gets slice i of a dimension: f32[4,3] of 4 members -> f32[3].
struct PsumScatterAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  int64_t dimension = 0;
};

/// Slice i of dimension `split` goes to member i; what comes is stacked along a new dimension `concat`: f32[4,3] of 4 members
/// -> f32[4,3] with 0 and 0, f32[3,4] with 0 and 1.
struct NamedAllToAllAttributes : NamedAxisAttributes {
  using Base = NamedAxisAttributes;
  int64_t split = 0, concat = 0;
};

const OpDef& ext_psum_op();
const OpDef& ext_pmax_op();
const OpDef& ext_pmin_op();
const OpDef& ext_all_gather_op();
const OpDef& ext_ppermute_op();
const OpDef& ext_psum_scatter_op();
const OpDef& ext_all_to_all_op();
const OpDef& ext_axis_index_op();

/// The attributes if this is a named-axis op, else null.
const NamedAxisAttributes* named_axis_of(Opcode opcode, const Attributes* attributes);

/// Has `computation`, or one that it calls, an op over the axis `axis_name`?
bool uses_axis(const ComputationPtr& computation, std::string_view axis_name);

}  // namespace hilo::hlo
