// SPDX-License-Identifier: Apache-2.0
// hlo/partition/reshard.h -- parts of an array from parts that are cut otherwise.
#pragma once

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

/// From the parts of `from` to those of `to`. What is whole is cut in place; parts of the same size change hands; where a
/// dimension gives up what another takes, devices exchange pieces; only the rest is gathered.
/// Precondition: both divide the array.
Expr reshard(DeviceProgram& program, Expr part, ArraySplit from, const ArraySplit& to);

/// The sum (or the like) over `partial` of what the devices have, cut as `to` says as far as that saves bytes. Updates
/// `split`, which says how `part` is cut.
Expr finish_reduction(DeviceProgram& program, Expr part, ArraySplit& split, Atoms partial,
                      const ComputationPtr& reducer, const ArraySplit& to);

}  // namespace hilo::hlo
