// SPDX-License-Identifier: Apache-2.0
// hlo/ops/dot.h -- the dot op: batch dimensions, any contracting dimensions, preferred result type by the declared shape.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct DotAttributes : Attributes {
  Int64List lhs_batch_dimensions, lhs_contracting_dimensions;
  Int64List rhs_batch_dimensions, rhs_contracting_dimensions;
  StringList operand_precision;  ///< default, high, highest; carried, hilo always computes at the operands' precision
  std::string algorithm;
};

const OpDef& dot_op();

}  // namespace hilo::hlo
