// SPDX-License-Identifier: Apache-2.0
// hlo/buckets/bucket_program.h -- one program for all sizes up to that of a bucket: arrays are padded, and what would
// read the padding masks it.
#pragma once

#include "hilo/hlo/buckets/size_pattern.h"

namespace hilo::hlo {

/// Returns the program. Its parameters are those of pattern.large, then pattern.constants with the shapes that they
/// have in pattern.large, then one s32 per size. Its results have the shapes of pattern.large. For the trace of a size,
/// whose arguments and constants are padded at the end of each dimension, the elements within the trace's shapes are
/// that trace's results. Elements beyond are unspecified.
/// Errors    UNIMPLEMENTED "sort 's' (f.cc:3): no rule pads dimension 0" for ops that no rule knows
StatusOr<ComputationPtr> bucket_program(const SizePattern& pattern);

}  // namespace hilo::hlo
