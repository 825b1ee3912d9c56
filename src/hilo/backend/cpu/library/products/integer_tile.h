// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/integer_tile.h -- the inner loops of products of integers, one set per instruction set.
// Plain data only: the files that include it are compiled for processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// The types of packed elements. Other types are converted first.
enum class Packed : uint8_t { kS8, kU8, kS16, kS32, kS64 };
inline constexpr int kPackedTypes = 5;

/// An operand in consecutive strips of `width` lines, in the order in which its tiles read them: word (k / group,
/// line), zero beyond the operand. A word contains `group` consecutive elements along k. If `flip` is set, bytes are
/// shifted by 128.
struct IntegerStrips {
  const void* from;
  int64_t line_stride, k_stride;  ///< in elements
  int64_t lines, width, k;
  bool flip;
  void* to;
};

/// Sums of the bytes of each line of a packed strip of quads. A vector is read from its last line on.
struct ByteSums {
  const int32_t* strip;
  int64_t depth, width;
  bool is_signed;
  int32_t* sums;
};

/// Computes c[i][j] = row_terms[i] + column_terms[j] + sum over d < depth of a[d][i] . b[d][j]. The product of two
/// words is the sum of the products of their elements.
template <typename Word>
struct IntegerTile {
  const Word *a, *b;
  int64_t depth;
  const Word *row_terms, *column_terms;
  Word* c;
  int64_t c_row;
};

inline constexpr int kMaxTileRows = 12;

/// The functions of one method to multiply words.
template <typename Word>
struct IntegerTileKernels {
  int64_t group = 0;                                          ///< elements per word; 0 if the method isn't available
  void (*pack[kPackedTypes])(const IntegerStrips&) = {};      ///< null if the type isn't supported
  void (*tile[kMaxTileRows])(const IntegerTile<Word>&) = {};  ///< [rows - 1]
};

struct IntegerKernels {
  int64_t vector_bytes = 0;
  int64_t rows = 0;                   ///< maximum rows of a tile; it is two vectors wide
  IntegerTileKernels<int32_t> quads;  ///< signed bytes with unsigned ones, by a special instruction
  IntegerTileKernels<int32_t> pairs;
  IntegerTileKernels<int32_t> words;
  IntegerTileKernels<int64_t> longs;
  void (*byte_sums)(const ByteSums&) = nullptr;
};

const IntegerKernels& integer_kernels_sse2();
const IntegerKernels& integer_kernels_avx2();
const IntegerKernels& integer_kernels_avxvnni();
const IntegerKernels& integer_kernels_avx512();
const IntegerKernels& integer_kernels_avx512vnni();

}  // namespace hilo::cpu
