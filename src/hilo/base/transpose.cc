// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/transpose.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hilo/base/transpose_lanes.inc"

namespace hilo {
namespace {

constexpr int64_t kLine = 64;  // bytes of a cache line
constexpr int kVectorBytes = 16;
constexpr int64_t kFewElements = 48;  // smaller matrices consist mostly of edges

struct Sixteen {
  uint64_t halves[2];
};

/// Strides are in bytes.
struct Matrices {
  const std::byte* from;
  int64_t from_stride;
  std::byte* to;
  int64_t to_stride;

  template <typename T>
  const std::byte* source(int64_t i, int64_t j) const {
    return from + i * from_stride + j * static_cast<int64_t>(sizeof(T));
  }
  template <typename T>
  std::byte* target(int64_t i, int64_t j) const {
    return to + j * to_stride + i * static_cast<int64_t>(sizeof(T));
  }
  template <typename T>
  void move(int64_t i, int64_t j) const {
    std::memcpy(target<T>(i, j), source<T>(i, j), sizeof(T));
  }
};

/// Transposes one square that is as wide as a vector, from row i and column j on.
template <typename T>
void transpose_square(const Matrices& m, int64_t i, int64_t j) {
  if constexpr (sizeof(T) == kVectorBytes) {
    m.move<T>(i, j);
  } else {
    constexpr int kLanes = kVectorBytes / sizeof(T);
    typedef T Vector __attribute__((vector_size(kVectorBytes)));
    Vector square[kLanes];
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) std::memcpy(&square[k], m.source<T>(i + k, j), kVectorBytes);
    transpose_lanes(square);
#pragma GCC unroll 16
    for (int k = 0; k < kLanes; ++k) std::memcpy(m.target<T>(i, j + k), &square[k], kVectorBytes);
  }
}

/// Transposes rows [i0, i1) and columns [j0, j1).
template <typename T>
void transpose_tile(const Matrices& m, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  constexpr int64_t kSide = kVectorBytes / static_cast<int64_t>(sizeof(T));
  int64_t i = i0;
  for (; i + kSide <= i1; i += kSide) {
    int64_t j = j0;
    for (; j + kSide <= j1; j += kSide) transpose_square<T>(m, i, j);
    for (; j < j1; ++j) {
      for (int64_t k = i; k < i + kSide; ++k) m.move<T>(k, j);
    }
  }
  for (; i < i1; ++i) {
    for (int64_t j = j0; j < j1; ++j) m.move<T>(i, j);
  }
}

/// Transposes in tiles of one cache line in each direction. Addresses that differ by a power of two share few cache
/// sets, so the lines of a wider tile would evict each other.
template <typename T>
void transpose_in_tiles(const Matrices& m, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = kLine / static_cast<int64_t>(sizeof(T));
  for (int64_t j = 0; j < columns; j += kTile) {
    for (int64_t i = 0; i < rows; i += kTile)
      transpose_tile<T>(m, i, std::min(i + kTile, rows), j, std::min(j + kTile, columns));
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
    transpose_in_tiles<T>(
        {static_cast<const std::byte*>(from.data), from.stride, static_cast<std::byte*>(to), to_stride}, rows, columns);
  });
}

void transpose_matrices(const void* from, void* to, int64_t count, int64_t rows, int64_t columns, int element_size) {
  with_width(element_size, [&]<typename T>(T) {
    constexpr int64_t kBytes = sizeof(T);
    const int64_t size = rows * columns;
    if (size <= kFewElements)
      return transpose_small(static_cast<const T*>(from), static_cast<T*>(to), count, rows, columns);
    for (int64_t n = 0; n < count; ++n) {
      transpose_in_tiles<T>({static_cast<const std::byte*>(from) + n * size * kBytes, columns * kBytes,
                             static_cast<std::byte*>(to) + n * size * kBytes, rows * kBytes},
                            rows, columns);
    }
  });
}

}  // namespace hilo
