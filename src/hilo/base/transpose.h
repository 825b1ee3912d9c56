// SPDX-License-Identifier: Apache-2.0
// base/transpose.h -- transposes matrices.
#pragma once

#include <cstdint>

namespace hilo {

/// A matrix in memory, with `stride` bytes between rows.
struct MatrixPlace {
  const void* data;
  int64_t stride;
};

/// Copies element j of row i of `from` to element i of row j of `to`, for i < rows, j < columns. Elements have 1, 2, 4,
/// 8 or 16 bytes, in any alignment; the matrices don't overlap. `to_stride` is in bytes.
void transpose_matrix(MatrixPlace from, void* to, int64_t to_stride, int64_t rows, int64_t columns, int element_size);

/// Transposes each of `count` consecutive matrices.
void transpose_matrices(const void* from, void* to, int64_t count, int64_t rows, int64_t columns, int element_size);

}  // namespace hilo
