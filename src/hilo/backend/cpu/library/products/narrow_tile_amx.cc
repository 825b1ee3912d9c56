// SPDX-License-Identifier: Apache-2.0
// Products of bf16 and of bytes in tiles of 16 x 16 (AMX). The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/strip_tile.h"

#include "hilo/backend/cpu/library/products/narrow_pack.inc"

namespace hilo::cpu {
namespace {

// Tiles 0 to 3 are sums, by rows; 4 and 5 are of the left operand, 6 and 7 of the right one. All are 16 rows of 64
// bytes.
constexpr int kTiles = 8, kTileRows = 16, kTileBytes = 64, kMaxRows = 2 * kTileRows;

struct alignas(64) Configuration {
  uint8_t palette = 1, start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};
};

void begin() {
  Configuration configuration;
  for (int i = 0; i < kTiles; ++i) {
    configuration.bytes[i] = kTileBytes;
    configuration.rows[i] = kTileRows;
  }
  asm volatile("" : : "r"(&configuration) : "memory");  // g++ 12 assumes that the instruction reads 8 bytes
  _tile_loadconfig(&configuration);
}

void end() { _tile_release(); }

// One instruction sums a block of each line in two chains, adds the two, and adds the result to the tile.
//
// The compiler's macros need tile names as literals: they can't be variables.
#define HILO_WAY(Way, kElements, longest, multiply)     \
  struct Way {                                          \
    static constexpr int kGroup = kElements;            \
    static constexpr int64_t kLongest = longest;        \
    [[gnu::always_inline]] static inline void upper() { \
      multiply(0, 4, 6);                                \
      multiply(1, 4, 7);                                \
    }                                                   \
    [[gnu::always_inline]] static inline void lower() { \
      multiply(2, 5, 6);                                \
      multiply(3, 5, 7);                                \
    }                                                   \
  };
HILO_WAY(Bf16, 2, kMaxSteps* kBlockWords * 2, _tile_dpbf16ps)
HILO_WAY(SignedSigned, 4, INT64_MAX, _tile_dpbssd)
HILO_WAY(SignedUnsigned, 4, INT64_MAX, _tile_dpbsud)
HILO_WAY(UnsignedSigned, 4, INT64_MAX, _tile_dpbusd)
HILO_WAY(UnsignedUnsigned, 4, INT64_MAX, _tile_dpbuud)
#undef HILO_WAY

/// Tells the compiler that tiles read and write memory.
[[gnu::always_inline]] inline void memory_is_seen() { asm volatile("" : : : "memory"); }

/// Computes whole tiles of sums, of both rows of tiles or of the upper one alone; `stride` is that of c in bytes.
template <typename Way, bool kBoth>
void multiply(const StripTile& t, char* c, int64_t stride) {
  char* const lower = c + kTileRows * stride;
  memory_is_seen();
  if (t.adds) {
    _tile_loadd(0, c, stride);
    _tile_loadd(1, c + kTileBytes, stride);
    if (kBoth) {
      _tile_loadd(2, lower, stride);
      _tile_loadd(3, lower + kTileBytes, stride);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const auto* a = static_cast<const char*>(t.a);
  const auto* b = static_cast<const char*>(t.b);
  constexpr int kRow = static_cast<int>(kTileColumns) * 4;  // bytes of b between words
  for (int64_t block = blocks_of(t.words); block > 0; --block) {
    _tile_loadd(6, b, kRow);
    _tile_loadd(4, a, kTileBytes);
    _tile_loadd(7, b + kTileBytes, kRow);
    Way::upper();
    if (kBoth) {
      _tile_loadd(5, a + kTileRows * kTileBytes, kTileBytes);
      Way::lower();
    }
    a += kMaxRows * kTileBytes;
    b += kBlockWords * kRow;
  }
  _tile_stored(0, c, stride);
  _tile_stored(1, c + kTileBytes, stride);
  if (kBoth) {
    _tile_stored(2, lower, stride);
    _tile_stored(3, lower + kTileBytes, stride);
  }
  memory_is_seen();
}

void copy_words(const int32_t* from, int64_t from_row, int64_t rows, int64_t columns, int32_t* to, int64_t to_row) {
  for (int64_t i = 0; i < rows; ++i)
    __builtin_memcpy(to + i * to_row, from + i * from_row, static_cast<uint64_t>(columns) * 4);
}

template <typename Way, bool kBoth>
void tile_of(const StripTile& t) {
  constexpr int64_t kRows = kBoth ? kMaxRows : kTileRows;
  auto* const c = static_cast<int32_t*>(t.c);
  if (t.rows == kRows && t.columns == kTileColumns)
    return multiply<Way, kBoth>(t, reinterpret_cast<char*>(c), t.c_row * 4);
  alignas(kTileBytes) int32_t sums[kRows * kTileColumns];
  if (t.adds) copy_words(c, t.c_row, t.rows, t.columns, sums, kTileColumns);
  multiply<Way, kBoth>(t, reinterpret_cast<char*>(sums), kTileColumns * 4);
  copy_words(sums, kTileColumns, t.rows, t.columns, c, t.c_row);
}

template <typename Way>
void tile(const StripTile& t) {
  if (t.rows > kTileRows) tile_of<Way, true>(t);
  else tile_of<Way, false>(t);
}

template <typename Way>
constexpr StripKernels kKernels{.word = 4,
                                .group = Way::kGroup,
                                .element = 4 / Way::kGroup,
                                .block = kBlockWords,
                                .rows = kMaxRows,
                                .columns = kTileColumns,
                                .columns_at_once = 1024,
                                .longest = Way::kLongest,
                                .pack_rows = pack<Way::kGroup, true>,
                                .pack_columns = pack<Way::kGroup, false>,
                                .tile = tile<Way>,
                                .begin = begin,
                                .end = end,
                                .narrow = to_bf16};

}  // namespace

const StripKernels& bf16_kernels_amx() { return kKernels<Bf16>; }

const StripKernels& byte_kernels_amx(bool left_signed, bool right_signed) {
  if (left_signed) return right_signed ? kKernels<SignedSigned> : kKernels<SignedUnsigned>;
  return right_signed ? kKernels<UnsignedSigned> : kKernels<UnsignedUnsigned>;
}

}  // namespace hilo::cpu
