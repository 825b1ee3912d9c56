// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/strip_tile.h -- the inner loops of products of packed strips, one set per instruction set: of floats, and
// of bf16 and bytes where the processor has instructions for them. Plain data: the files that include it are compiled for
// processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Lines of an operand (rows of the left one, columns of the right one) that become strips of `height` lines each, one after
/// the other, zero beyond the operand. Elements that follow each other along k share a word: two of bf16, four bytes. Words
/// go in blocks along k. In a strip of the left operand (block, line, word of the block) is the order, in one of the right
/// operand (block, word of the block, line). One stride is 1.
struct StripPacking {
  const void* from;
  int64_t line_stride, k_stride;  ///< in elements
  int64_t lines, height, k;
  void* to;
};

///     c[i][j] = (adds ? c[i][j] : 0) + sum over k of a[i][k] . b[j][k]        i < rows, j < columns
/// of one strip each.
struct StripTile {
  const void *a, *b;
  int64_t words;  ///< along k, those of a last block that isn't whole included; the rest are zeros
  void* c;
  int64_t c_row, rows, columns;
  bool adds;
};

/// Lines of elements that follow each other in memory; strides between lines in elements.
struct LineCopy {
  const void* from;
  int64_t from_stride, lines, length;
  void* to;
  int64_t to_stride;
};

///     c[i][j] = (adds ? c[i][j] : 0) + sum over k of a[i][k] * b[k][j]        i < rows, j < columns
/// b's columns lie next to each other, whole vectors of them, though fewer may be wanted in the last.
struct FloatTile {
  const void* a;
  int64_t a_row, a_k;
  const void* b;
  int64_t b_k, k;
  void* c;
  int64_t c_row, rows, columns;
  bool adds;
};

/// The most rows and columns of a tile.
struct TileExtents {
  int64_t rows = 0, columns = 0;
};

/// Of kernels whose left operand is read as it lies: an element fills one word.
struct FloatSteps {
  int64_t result = 0;         ///< bytes of a word
  int64_t lanes = 0;          ///< words of a vector
  bool is_converted = false;  ///< elements aren't words before they are copied
  TileExtents tall, wide;     ///< sums fill the registers either way
  int64_t depth = 0;          ///< along k at once, at most
  void (*copy_lines)(const LineCopy&) = nullptr;
  void (*tile)(const FloatTile&) = nullptr;
};

inline constexpr int64_t kChunkWords = 256;  ///< along k that a tile takes at once
inline constexpr int64_t kMostSteps = 3072;  ///< additions of floats to one sum; docs/numerics.md says 4098 at most
inline constexpr int64_t kMostSums = kMostSteps * kChunkWords;
inline constexpr uint32_t kNoMagnitude = 0xffff;  ///< of zeros

struct StripKernels {
  int64_t word = 0, group = 0;    ///< bytes and elements of a packed word; elements of sums are as wide as a word
  int64_t element = 0;            ///< bytes of an element before it is packed
  int64_t block = 0;              ///< words
  int64_t rows = 0, columns = 0;  ///< of a tile, at most: the heights of strips
  int64_t columns_at_once = 0;    ///< whose strips, over 256 words, stay in the second cache
  /// The most elements along k of which sums keep the digits that docs/numerics.md says: chunks are added in order.
  int64_t longest = 0;
  /// Of bf16: the bits of the least magnitude but zero, or kNoMagnitude.
  uint32_t (*pack_rows)(const StripPacking&) = nullptr;
  uint32_t (*pack_columns)(const StripPacking&) = nullptr;
  void (*tile)(const StripTile&) = nullptr;
  const FloatSteps* floats = nullptr;  ///< if set, in the place of pack_rows and tile: float_product.h
  void (*begin)() = nullptr;           ///< before the first tile on a thread
  void (*end)() = nullptr;             ///< after the last one
  void (*to_bf16)(const float* from, uint16_t* to, int64_t count) = nullptr;  ///< to nearest, ties to even
};

struct FloatKernels {
  StripKernels f32, f64, bf16;  ///< bf16 becomes f32 where it is packed
};

const FloatKernels& float_kernels_avx2();
const FloatKernels& float_kernels_avx512();
const StripKernels& bf16_kernels_avx512bf16();
const StripKernels& bf16_kernels_amx();
const StripKernels& byte_kernels_amx(bool left_signed, bool right_signed);

}  // namespace hilo::cpu
