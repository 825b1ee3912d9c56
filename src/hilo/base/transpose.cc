// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/transpose.h"

#include <algorithm>

#include "hilo/base/transpose_lanes.inc"

namespace hilo {
namespace {

constexpr int64_t kLine = 64;  // bytes of a cache line
constexpr int kVectorBytes = 16;
constexpr int64_t kFewElements = 48;  // smaller matrices consist mostly of edges

struct Sixteen {
  uint64_t halves[2];
};

/// Transposes one square that is as wide as a vector.
template <typename T>
void transpose_square(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  if constexpr (sizeof(T) == kVectorBytes) {
    *to = *from;
  } else {
    constexpr int kLanes = kVectorBytes / sizeof(T);
    typedef T Vector __attribute__((vector_size(kVectorBytes)));
    typedef T Loose __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
    Vector square[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) square[i] = *reinterpret_cast<const Loose*>(from + i * from_stride);
    transpose_lanes(square);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) *reinterpret_cast<Loose*>(to + i * to_stride) = square[i];
  }
}

template <typename T>
struct Matrices {
  const T* from;
  int64_t from_stride;
  T* to;
  int64_t to_stride;

  void move(int64_t i, int64_t j) const { to[j * to_stride + i] = from[i * from_stride + j]; }
};

/// Transposes rows [i0, i1) and columns [j0, j1).
template <typename T>
void transpose_tile(const Matrices<T>& m, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  constexpr int64_t kSide = kVectorBytes / static_cast<int64_t>(sizeof(T));
  int64_t i = i0;
  for (; i + kSide <= i1; i += kSide) {
    int64_t j = j0;
    for (; j + kSide <= j1; j += kSide)
      transpose_square(m.from + i * m.from_stride + j, m.from_stride, m.to + j * m.to_stride + i, m.to_stride);
    for (; j < j1; ++j) {
      for (int64_t k = i; k < i + kSide; ++k) m.move(k, j);
    }
  }
  for (; i < i1; ++i) {
    for (int64_t j = j0; j < j1; ++j) m.move(i, j);
  }
}

/// Transposes in tiles of one cache line in each direction. Addresses that differ by a power of two share few cache
/// sets, so the lines of a wider tile would evict each other.
template <typename T>
void transpose_in_tiles(const Matrices<T>& m, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = kLine / static_cast<int64_t>(sizeof(T));
  for (int64_t j = 0; j < columns; j += kTile) {
    for (int64_t i = 0; i < rows; i += kTile)
      transpose_tile(m, i, std::min(i + kTile, rows), j, std::min(j + kTile, columns));
  }
}

/// Computes the source offsets of a small transposed matrix once, for all matrices.
template <typename T>
void transpose_small(const T* from, T* to, int64_t count, int64_t rows, int64_t columns) {
  const int64_t size = rows * columns;
  int64_t places[kFewElements];
  for (int64_t k = 0; k < size; ++k) places[k] = k % rows * columns + k / rows;
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t k = 0; k < size; ++k) to[n * size + k] = from[n * size + places[k]];
  }
}

template <typename Transpose>
void with_width(int element_size, const Transpose& transpose) {
  switch (element_size) {
    case 1: return transpose(uint8_t{});
    case 2: return transpose(uint16_t{});
    case 4: return transpose(uint32_t{});
    case 8: return transpose(uint64_t{});
    default: return transpose(Sixteen{});
  }
}

}  // namespace

void transpose_matrix(MatrixPlace from, void* to, int64_t to_stride, int64_t rows, int64_t columns, int element_size) {
  with_width(element_size, [&]<typename T>(T) {
    transpose_in_tiles(Matrices<T>{static_cast<const T*>(from.data), from.stride, static_cast<T*>(to), to_stride}, rows,
                       columns);
  });
}

void transpose_matrices(const void* from, void* to, int64_t count, int64_t rows, int64_t columns, int element_size) {
  with_width(element_size, [&]<typename T>(T) {
    const auto* const source = static_cast<const T*>(from);
    auto* const target = static_cast<T*>(to);
    const int64_t size = rows * columns;
    if (size <= kFewElements) return transpose_small(source, target, count, rows, columns);
    for (int64_t n = 0; n < count; ++n)
      transpose_in_tiles(Matrices<T>{source + n * size, columns, target + n * size, rows}, rows, columns);
  });
}

}  // namespace hilo
