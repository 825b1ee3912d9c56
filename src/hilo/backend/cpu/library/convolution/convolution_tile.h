// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_tile.h -- the inner loops of convolutions, one set per instruction set.
// Plain data only: the files that include it are compiled for processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// The rows of a tile are two ranges of equally many positions; its columns are output features, in whole vectors.
///     c[h][i][n] = sum over runs r and k < run_length of a[h][runs[r] + i * a_row + k * a_step] * b[.. + n]
/// Rows of b are consecutive through all runs. The ranges may overlap or be the same.
template <typename T>
struct ConvolutionTile {
  const T* a[2];
  int64_t a_row, a_step;
  const int64_t* runs;
  int64_t run_count, run_length;
  const T* b;
  T* c[2];
  int64_t c_row;
  bool accumulate;  ///< the complete sum is added to the contents of c
};

/// Sums over `taps` where each output channel reads only its own input channel. Channels are whole vectors, contiguous
/// in all three arrays.
///     c[i][g] = sum over t of a[offsets[t] + i * a_row + g] * b[t * channels + g]
template <typename T>
struct ChannelTile {
  const T* a;
  int64_t a_row;
  const int64_t* offsets;
  int64_t taps;
  const T* b;
  T* c;
  int64_t c_row;
  int64_t positions, channels;
  bool accumulate;
};

/// The rows are output features, few of them. The columns are positions, in whole vectors; the last vector may exceed
/// the positions.
///     c[r][x] = sum over k < depth of a[k * rows + r] * b[offsets[k] + x]
template <typename T>
struct NarrowTile {
  const T* a;
  const T* b;
  const int64_t* offsets;
  int64_t depth;
  T* c;
  int64_t columns;  ///< also the distance between rows of c
  bool accumulate;
};

inline constexpr int kNarrowRows = 4;
inline constexpr int kTileVectors = 2;   ///< a tile is one or two vectors wide
inline constexpr int kMaxPositions = 7;  ///< with 32 registers

template <typename T>
struct TileKernels {
  int64_t lanes = 0;                                                          ///< elements of one vector
  int64_t positions = 0;                                                      ///< maximum number of positions per range
  void (*tile[kTileVectors][kMaxPositions])(const ConvolutionTile<T>&) = {};  ///< [vectors - 1][positions - 1]
  void (*channels)(const ChannelTile<T>&) = nullptr;
  void (*narrow[kNarrowRows])(const NarrowTile<T>&) = {};  ///< [rows - 1]
};

struct ConvolutionKernels {
  TileKernels<float> f32;
  TileKernels<double> f64;
};

const ConvolutionKernels& convolution_kernels_sse2();
const ConvolutionKernels& convolution_kernels_avx2();
const ConvolutionKernels& convolution_kernels_avx512();

}  // namespace hilo::cpu
