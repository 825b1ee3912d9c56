// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/strip_tile.h -- the inner loops of products of packed strips, one set per instruction
// set: of floats, of f16, and of bf16 and bytes if the processor has instructions for them. Plain data only: the files
// that include it are compiled for processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Lines of an operand (rows of the left one, columns of the right one) that are packed into consecutive strips of
/// `height` lines each, zero beyond the operand. Consecutive elements along k share a word: two of bf16, four bytes.
/// Words are grouped in blocks along k. The order in a strip of the left operand is (block, line, word of the block);
/// in one of the right operand it is (block, word of the block, line). One stride is 1.
struct StripPacking {
  const void* from;
  int64_t line_stride, k_stride;  ///< in elements
  int64_t lines, height, k;
  void* to;
};

/// Computes c[i][j] = (adds ? c[i][j] : 0) + sum over k of a[i][k] . b[j][k]        i < rows, j < columns of one strip
/// each.
struct StripTile {
  const void *a, *b;
  int64_t words;  ///< along k, including those of a partial last block; the rest are zeros
  void* c;
  int64_t c_row, rows, columns;
  bool adds;
};

/// Lines of consecutive elements in memory; strides between lines in elements.
struct LineCopy {
  const void* from;
  int64_t from_stride, lines, length;
  void* to;
  int64_t to_stride;
};

/// Computes c[i][j] = (adds ? c[i][j] : 0) + sum over k of a[i][k] * b[k][j]        i < rows, j < columns.
/// b's columns are adjacent and fill whole vectors, although the last vector may have fewer valid ones.
struct FloatTile {
  const void* a;
  int64_t a_row, a_k;
  const void* b;
  int64_t b_k, k;
  void* c;
  int64_t c_row, rows, columns;
  bool adds;
};

/// Maximum rows and columns of a tile.
struct TileExtents {
  int64_t rows = 0, columns = 0;
};

/// The steps of kernels that read the left operand in place: an element fills one word.
struct FloatSteps {
  int64_t result = 0;         ///< bytes of a word
  int64_t lanes = 0;          ///< words of a vector
  bool is_converted = false;  ///< elements must be converted to words by copying
  TileExtents tall, wide;     ///< with both, sums fill the registers
  int64_t depth = 0;          ///< maximum along k at once
  void (*copy_lines)(const LineCopy&) = nullptr;
  void (*tile)(const FloatTile&) = nullptr;
};

inline constexpr int64_t kChunkWords = 256;  ///< along k that a tile processes at once
inline constexpr int64_t kMaxSteps = 3072;   ///< additions of floats to one sum; docs/numerics.md allows at most 4098
inline constexpr int64_t kMaxSums = kMaxSteps * kChunkWords;
inline constexpr uint32_t kNoMagnitude = 0xffff;  ///< of zeros

struct StripKernels {
  int64_t word = 0, group = 0;    ///< bytes and elements of a packed word; elements of sums are as wide as a word
  int64_t element = 0;            ///< bytes of an element before it is packed
  int64_t block = 0;              ///< words
  int64_t rows = 0, columns = 0;  ///< maximum rows and columns of a tile: the heights of strips
  int64_t columns_at_once = 0;    ///< whose strips, over 256 words, stay in the L2 cache
  /// Maximum number of elements along k whose sums are as accurate as docs/numerics.md specifies: chunks are added in
  /// order.
  int64_t longest = 0;
  /// For bf16: returns the bits of the smallest magnitude except zero, or kNoMagnitude.
  uint32_t (*pack_rows)(const StripPacking&) = nullptr;
  uint32_t (*pack_columns)(const StripPacking&) = nullptr;
  void (*tile)(const StripTile&) = nullptr;
  const FloatSteps* floats = nullptr;  ///< if set, replaces pack_rows and tile: float_product.h
  void (*begin)() = nullptr;           ///< called before the first tile on a thread
  void (*end)() = nullptr;             ///< called after the last one
  /// Rounds sums to bf16 or f16: to nearest, ties to even.
  void (*narrow)(const float* from, uint16_t* to, int64_t count) = nullptr;
};

struct FloatKernels {
  StripKernels f32, f64, bf16, f16;  ///< bf16 and f16 are converted to f32 when they are packed
};

const FloatKernels& float_kernels_avx2();
const FloatKernels& float_kernels_avx512();
const StripKernels& bf16_kernels_avx512bf16();
const StripKernels& bf16_kernels_amx();
const StripKernels& byte_kernels_amx(bool left_signed, bool right_signed);

}  // namespace hilo::cpu
