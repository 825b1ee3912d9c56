// SPDX-License-Identifier: Apache-2.0
// hlo/partition/summands.h -- sums that devices leave unfinished (`unreduced` in a sharding): what each of them adds.
#pragma once

#include "hilo/hlo/partition/op_parts.h"
#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

/// In place of what the devices that differ in `over` only have of each value its sum, which all of them get.
void finish_sums(DeviceProgram& program, std::span<Part> values, std::span<const Atoms> over);

/// What this device adds to `value`, which all devices that differ in `over` only have: what it had before they met, where the
/// value is linear in that; else the value on the first of them, zeros on the others.
/// Example    of all-reduce(a) + b over x: a + (b on the first device, zeros on the others); of all-gather(a): a among zeros
Expr summand_of(DeviceProgram& program, Expr value, const Atoms& over);

/// What this device adds to the part that `to` cuts out.
Expr cut_summand(DeviceProgram& program, const Part& part, const ArraySplit& to, const Atoms& over);

/// In place of each value that is to be an unfinished sum what this device adds to it. Without an entry in `over` for a value it
/// stays as it is.
void leave_summands(DeviceProgram& program, std::span<Part> values, std::span<const ArraySplit> to,
                    std::span<const Atoms> over);

/// Whether each step of a loop reads a leaf of what it carries to add to it and to nothing else. `body` is its frame; the leaf is
/// the array `carried` there.
/// Cost    linear in the body's instructions, for each op that adds
bool only_adds_to(const DataFlow& flow, uint32_t body, FlowArrayId carried, size_t leaf);

/// By leaf: over which atoms it is stated to be an unfinished sum; over none where nothing is stated.
/// Errors    those of MeshAtoms::atoms_of
StatusOr<std::vector<Atoms>> unfinished_atoms(const std::vector<std::optional<Sharding>>& stated,
                                              const MeshAtoms& mesh);

/// Refuses unfinished sums that have no summands: of types without addition, and along dimensions that the same devices share.
/// Errors    UNIMPLEMENTED
Status check_summands(const Shape& shape, const ArraySplit& split, const Atoms& over);

}  // namespace hilo::hlo
