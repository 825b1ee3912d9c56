// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/dynamic_shape.h -- ops about sizes known at run time, in programs whose shapes are all known: get-dimension-size
// is a constant, dynamic-reshape a reshape, set-dimension-size checks that it sets the size that is there.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct DimensionSizeAttributes : Attributes {
  Int64List dimensions;  ///< exactly one
};

const OpDef& get_dimension_size_op();
const OpDef& set_dimension_size_op();
const OpDef& dynamic_reshape_op();

}  // namespace hilo::hlo
