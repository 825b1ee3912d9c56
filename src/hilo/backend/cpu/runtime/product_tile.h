// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/product_tile.h -- the inner loops of products, one set per instruction set. Plain data only: the
// files that include it are compiled for processors that the rest may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu::runtime {

inline constexpr int64_t kTileRows = 4;

/// Computes c[row][column] = the sum over k of a[k][row] * b[k][column], for kTileRows rows and `columns` columns. The
/// real parts of complex columns come before the imaginary ones; those of a and c alternate. `run_rows` reads a[k][row]
/// at rows[row] + offsets[k], in elements.
template <typename T>
struct ProductTile {
  int64_t columns;
  void (*run)(const T* a, const T* b, int64_t k, T* c);
  void (*run_rows)(const T* const* rows, const int64_t* offsets, const T* b, int64_t k, T* c);
};

struct ProductTiles {
  ProductTile<float> f32, c64;
  ProductTile<double> f64, c128;
  ProductTile<uint64_t> integer;
};

const ProductTiles& product_tiles_sse2();
const ProductTiles& product_tiles_avx2();
const ProductTiles& product_tiles_avx512();

}  // namespace hilo::cpu::runtime
