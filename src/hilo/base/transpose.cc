// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/transpose.h"

#include <algorithm>

#include "hilo/base/transpose_lanes.inc"

namespace hilo {
namespace {

constexpr int64_t kLine = 64;  // bytes of a cache line
constexpr int kVectorBytes = 16;

struct Sixteen {
  uint64_t halves[2];
};

/// A square as wide as a vector, at the same place of both sides.
template <typename T>
void transpose_square(const T* from, int64_t columns, T* to, int64_t rows) {
  if constexpr (sizeof(T) == kVectorBytes) {
    *to = *from;
  } else {
    constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
    typedef T Vector __attribute__((vector_size(kVectorBytes)));
    typedef T Loose __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
    Vector square[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) square[i] = *reinterpret_cast<const Loose*>(from + i * columns);
    transpose_lanes(square);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) *reinterpret_cast<Loose*>(to + i * rows) = square[i];
  }
}

/// Rows [i0, i1) and columns [j0, j1).
template <typename T>
void transpose_tile(const T* from, T* to, int64_t rows, int64_t columns, int64_t i0, int64_t i1, int64_t j0,
                    int64_t j1) {
  constexpr int64_t kSide = kVectorBytes / static_cast<int64_t>(sizeof(T));
  int64_t i = i0;
  for (; i + kSide <= i1; i += kSide) {
    int64_t j = j0;
    for (; j + kSide <= j1; j += kSide) transpose_square(from + i * columns + j, columns, to + j * rows + i, rows);
    for (; j < j1; ++j) {
      for (int64_t k = i; k < i + kSide; ++k) to[j * rows + k] = from[k * columns + j];
    }
  }
  for (; i < i1; ++i) {
    for (int64_t j = j0; j < j1; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

/// In tiles of one cache line each way: what lies a power of two apart shares few places of a cache, and a wider tile's lines
/// would drive each other out.
template <typename T>
void transpose_in_tiles(const void* from, void* to, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = kLine / static_cast<int64_t>(sizeof(T));
  for (int64_t j = 0; j < columns; j += kTile) {
    for (int64_t i = 0; i < rows; i += kTile) {
      transpose_tile(static_cast<const T*>(from), static_cast<T*>(to), rows, columns, i, std::min(i + kTile, rows), j,
                     std::min(j + kTile, columns));
    }
  }
}

}  // namespace

void transpose_matrix(const void* from, void* to, int64_t rows, int64_t columns, int element_size) {
  switch (element_size) {
    case 1: return transpose_in_tiles<uint8_t>(from, to, rows, columns);
    case 2: return transpose_in_tiles<uint16_t>(from, to, rows, columns);
    case 4: return transpose_in_tiles<uint32_t>(from, to, rows, columns);
    case 8: return transpose_in_tiles<uint64_t>(from, to, rows, columns);
    default: return transpose_in_tiles<Sixteen>(from, to, rows, columns);
  }
}

}  // namespace hilo
