// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by AVX-512's instruction for them. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/strip_tile.h"

#include "hilo/backend/cpu/library/products/narrow_pack.inc"

namespace hilo::cpu {
namespace {

typedef float Floats __attribute__((vector_size(64)));
constexpr int kMaxRows = 12;

[[gnu::always_inline]] inline __m512bh pairs(Words x) { return reinterpret_cast<__m512bh>(x); }

template <int kRows>
[[gnu::always_inline]] inline void tile_of(const StripTile& t) {
  __m512 sums[kRows][2];
  const uint64_t mask = first_bits(t.columns);
  const __mmask16 mask0 = static_cast<__mmask16>(mask), mask1 = static_cast<__mmask16>(mask >> kLanes);
  auto* const c = static_cast<float*>(t.c);
  for (int i = 0; i < kRows; ++i) sums[i][0] = sums[i][1] = __m512{};
  const auto* a = static_cast<const int32_t*>(t.a);
  const auto* b = static_cast<const int32_t*>(t.b);
  for (int64_t block = blocks_of(t.words); block > 0; --block) {
    for (int64_t d = 0; d < kBlockWords; ++d, b += kTileColumns) {
      const __m512bh b0 = pairs(*reinterpret_cast<const LooseWords*>(b)),
                     b1 = pairs(*reinterpret_cast<const LooseWords*>(b + kLanes));
#pragma GCC unroll 12
      for (int i = 0; i < kRows; ++i) {
        const __m512bh every = pairs(a[i * kBlockWords + d] - Words{});
        sums[i][0] = _mm512_dpbf16_ps(sums[i][0], every, b0);
        sums[i][1] = _mm512_dpbf16_ps(sums[i][1], every, b1);
      }
    }
    a += kMaxRows * kBlockWords;
  }
  for (int i = 0; i < kRows && i < t.rows; ++i) {
    float* const row = c + i * t.c_row;
    if (t.adds) {
      sums[i][0] += _mm512_maskz_loadu_ps(mask0, row);
      sums[i][1] += _mm512_maskz_loadu_ps(mask1, row + kLanes);
    }
    _mm512_mask_storeu_ps(row, mask0, sums[i][0]);
    _mm512_mask_storeu_ps(row + kLanes, mask1, sums[i][1]);
  }
}

void tile(const StripTile& t) {
  if (t.rows <= 2) tile_of<2>(t);
  else if (t.rows <= 4) tile_of<4>(t);
  else if (t.rows <= 8) tile_of<8>(t);
  else tile_of<kMaxRows>(t);
}

void nothing() {}

constexpr StripKernels kKernels{.word = 4,
                                .group = 2,
                                .element = 2,
                                .block = kBlockWords,
                                .rows = kMaxRows,
                                .columns = kTileColumns,
                                .columns_at_once = 512,
                                .longest = kMaxSums,
                                .pack_rows = pack<2, true>,
                                .pack_columns = pack<2, false>,
                                .tile = tile,
                                .begin = nothing,
                                .end = nothing,
                                .narrow = to_bf16};

}  // namespace

const StripKernels& bf16_kernels_avx512bf16() { return kKernels; }

}  // namespace hilo::cpu
