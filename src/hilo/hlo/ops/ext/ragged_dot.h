// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/ragged_dot.h -- dot over groups of rows of different sizes.
#pragma once

#include "hilo/hlo/ops/dot.h"

namespace hilo::hlo {

/// Group g is a range of group_sizes[g] indices of lhs's ragged dimension. If that dimension is kept, each of its rows
/// is multiplied by its group of rhs (rhs_group_dims); rows after all groups give 0. If it is contracted, the result
/// has a leading dimension with one product per group. If it is a batch dimension, groups have no effect. As
/// jax.lax.ragged_dot_general.
struct RaggedDotAttributes : DotAttributes {
  using Base = DotAttributes;
  Int64List lhs_ragged_dimensions;  ///< exactly one
  Int64List rhs_group_dimensions;   ///< one if the ragged dimension is kept, else none
};

}  // namespace hilo::hlo
