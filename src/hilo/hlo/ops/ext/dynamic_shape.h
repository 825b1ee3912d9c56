// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/dynamic_shape.h -- ops on dynamic sizes, in programs with static shapes: get-dimension-size is a
// constant, dynamic-reshape a reshape, and set-dimension-size checks that the size is the static one.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct DimensionSizeAttributes : Attributes {
  Int64List dimensions;  ///< exactly one
};

}  // namespace hilo::hlo
