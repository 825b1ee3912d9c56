// SPDX-License-Identifier: Apache-2.0
// hlo/ops/sort.h -- the sort op, variadic: operands are sorted together by to_apply(a0, b0, a1, b1, ...), which returns
// whether a comes first.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct SortAttributes : Attributes {
  Int64List dimensions;  ///< exactly one; a list, as in HLO text
  bool is_stable = false;
  ComputationPtr to_apply;

  /// Precondition: checked by the shape rule.
  int64_t dimension() const { return dimensions[0]; }
};

}  // namespace hilo::hlo
