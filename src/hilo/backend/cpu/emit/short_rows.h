// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/short_rows.h -- rows of few elements, one after the other in memory, as columns: each lane has a row.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// As many rows of `length` elements as there are lanes; the first begins at element `at` of `pointer`. The tile has column k from
/// element k * lanes on, in which lane r is element k of row r.
/// Example   rows of 3 on 4 lanes: a0 a1 a2 b0 b1 b2 c0 c1 c2 d0 d1 d2 becomes a0 b0 c0 d0, a1 b1 c1 d1, a2 b2 c2 d2
struct ShortRows {
  ElementType type;
  int64_t length;
  llvm::Value *pointer, *at, *tile;
};

/// No byte beside the rows is touched. Preconditions: more than one lane; at least 2 elements a row; no complex numbers
void load_columns(SimdBuilder& b, const ShortRows& rows);
void store_columns(SimdBuilder& b, const ShortRows& rows);

}  // namespace hilo::cpu
