// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/top_k.h -- topk: stores the best (key, position) pairs of a row so far.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// Units: rows. Scratch: scratch_bytes().
struct TopKProblem {
  ElementType type{};
  int64_t k = 0, length = 0;
  bool largest = true;

  size_t scratch_bytes() const;
};

}  // namespace hilo::cpu::runtime
