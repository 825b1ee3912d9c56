// SPDX-License-Identifier: Apache-2.0
// hlo/ops/slice.h -- ops that split and join: slice, dynamic-slice, dynamic-update-slice, concatenate, pad.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct SliceAttributes : Attributes {
  std::vector<SliceRange> ranges;
};

/// Operands: array, then one scalar start per dimension; starts are clamped so that the slice fits.
struct DynamicSliceAttributes : Attributes {
  Int64List sizes;
};

struct ConcatenateAttributes : Attributes {
  int64_t dimension = 0;
};

/// Operands: array, padding value.
struct PadAttributes : Attributes {
  std::vector<PaddingDimension> padding;
};

/// The elements of a dimension that a pad keeps: `count` of them from `from` on, at `at`, at + step, ... of the result.
struct KeptRange {
  int64_t from = 0, count = 0, at = 0, step = 1;
};

/// Returns the kept elements of a dimension of `size` elements, padded to `result`. Correct for all numbers that pad's
/// shape rule accepts.
KeptRange kept_by(const PaddingDimension& padding, int64_t size, int64_t result);

}  // namespace hilo::hlo
