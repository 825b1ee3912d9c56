// SPDX-License-Identifier: Apache-2.0
// hlo/partition/summands.h -- unreduced arrays (`unreduced` in a sharding): the summand of each device. With maxima and
// minima, "summand" means the partial result.
#pragma once

#include "hilo/hlo/partition/op_parts.h"
#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

/// Over which devices an array is unreduced, and the reduction: kAdd, kMaximum or kMinimum.
struct Unreduced {
  Atoms over;
  ReducerKind by = ReducerKind::kAdd;
  bool empty() const { return over.empty(); }
};

/// Replaces each value by its reduction over the devices that differ only in its entry of `over`. All of them get it.
void finish_sums(DeviceProgram& program, std::span<Part> values, std::span<const Unreduced> over);

/// Returns this device's summand of `value`, which is equal on all devices that differ only in `over`. If the value is
/// linear in the operands of a collective, the summand is computed from this device's operand. Otherwise the first
/// device has the value and the others have zeros.
/// A partial maximum or minimum that isn't in operands is the value itself, on all devices.
/// Example   of all-reduce(a) + b over x: a + (b on the first device, zeros on the others); of all-gather(a): a among
/// zeros; of the maximum max(all-reduce(a), b): max(a, b)
Expr summand_of(DeviceProgram& program, Expr value, const Unreduced& over);

/// Returns this device's summand of the shard that `to` selects.
Expr cut_summand(DeviceProgram& program, const Part& part, const ArraySplit& to, const Unreduced& over);

/// Replaces values that are requested unreduced by this device's summands. An empty entry in `over`: unchanged.
void replace_by_summands(DeviceProgram& program, std::span<Part> values, std::span<const ArraySplit> to,
                         std::span<const Unreduced> over);

/// Returns whether each step of a loop uses a leaf of its carry only to add to it. `body` is the body's frame; the leaf
/// is the array `carried` in it.
/// Cost      linear in the body's instructions, for each op that adds
bool only_adds_to(const DataFlow& flow, uint32_t body, FlowArrayId carried, size_t leaf);

/// Returns over which devices a sharding leaves its array unreduced.
/// Errors    those of MeshAtoms::atoms_of
StatusOr<Unreduced> unreduced_of(const Sharding& stated, const MeshAtoms& mesh);
/// The same by leaf; empty where nothing is stated.
StatusOr<std::vector<Unreduced>> unreduced_of(const std::vector<std::optional<Sharding>>& stated,
                                              const MeshAtoms& mesh);

/// Rejects unreduced arrays without summands: those of types without the reduction, and those sharded along the same
/// atoms.
/// Errors    UNIMPLEMENTED
Status check_summands(const Shape& shape, const ArraySplit& split, const Unreduced& over);

}  // namespace hilo::hlo
