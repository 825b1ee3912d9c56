// SPDX-License-Identifier: Apache-2.0
// base/transpose.h -- matrices with rows and columns exchanged.
#pragma once

#include <cstdint>

namespace hilo {

/// A matrix in memory, its rows `stride` elements apart.
struct MatrixPlace {
  const void* data;
  int64_t stride;
};

/// to[j * to_stride + i] = from[i * from.stride + j] for i < rows, j < columns; elements of 1, 2, 4, 8 or 16 bytes. The two
/// don't overlap.
void transpose_matrix(MatrixPlace from, void* to, int64_t to_stride, int64_t rows, int64_t columns, int element_size);

/// `count` matrices one after another, each transposed.
void transpose_matrices(const void* from, void* to, int64_t count, int64_t rows, int64_t columns, int element_size);

}  // namespace hilo
