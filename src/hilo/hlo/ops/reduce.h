// SPDX-License-Identifier: Apache-2.0
// hlo/ops/reduce.h -- the reduce op, variadic: n arrays, n initial values; to_apply takes n accumulators and n
// elements.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct ReduceAttributes : Attributes {
  Int64List dimensions;
  ComputationPtr to_apply;
};

const OpDef& reduce_op();

}  // namespace hilo::hlo
