// SPDX-License-Identifier: Apache-2.0
// base/transpose.h -- transposes matrices.
#pragma once

#include <cstdint>

namespace hilo {

/// A matrix in memory, with `stride` elements between rows.
struct MatrixPlace {
  const void* data;
  int64_t stride;
};

/// Sets to[j * to_stride + i] = from[i * from.stride + j] for i < rows, j < columns. Elements have 1, 2, 4, 8 or 16
/// bytes; the matrices don't overlap.
void transpose_matrix(MatrixPlace from, void* to, int64_t to_stride, int64_t rows, int64_t columns, int element_size);

/// Transposes each of `count` consecutive matrices.
void transpose_matrices(const void* from, void* to, int64_t count, int64_t rows, int64_t columns, int element_size);

}  // namespace hilo
