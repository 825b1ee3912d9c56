// SPDX-License-Identifier: Apache-2.0
// base/transpose.h -- matrices with rows and columns exchanged.
#pragma once

#include <cstdint>

namespace hilo {

/// to[j * rows + i] = from[i * columns + j] for elements of 1, 2, 4, 8 or 16 bytes. `from` and `to` don't overlap.
void transpose_matrix(const void* from, void* to, int64_t rows, int64_t columns, int element_size);

}  // namespace hilo
