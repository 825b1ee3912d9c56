// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_pack.h -- packs operands of convolutions in the order of the kernels, and
// unpacks tiles of results.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "hilo/types/element_type.h"

namespace hilo::cpu {

/// Calls f.operator()<E>() for the type, f32 or f64.
template <typename F>
void visit_float(ElementType type, F&& f) {
  if (type == ElementType::kF32) f.template operator()<float>();
  else f.template operator()<double>();
}

/// One dimension of a box of the input: `extent` elements first, first + pitch, .... Those outside [0, size) are zeros.
struct BoxDimension {
  int64_t size = 1, stride = 0, first = 0, pitch = 1, extent = 1;
  int64_t to_stride = 0;  ///< in the packed box

  /// The part of [0, extent) that is inside.
  int64_t begin() const { return std::clamp<int64_t>(first >= 0 ? 0 : (-first + pitch - 1) / pitch, 0, extent); }
  int64_t end() const {
    return std::clamp<int64_t>(first >= size ? 0 : (size - first + pitch - 1) / pitch, begin(), extent);
  }
};

/// The innermost part of a packed box: `width` elements, of which the first `extent` exist.
struct BoxColumns {
  int64_t extent = 1, stride = 1, width = 1;
};

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

/// Each line of 4 elements is a vector.
inline void transpose_4_by_4(const float* from, int64_t from_row, float* to, int64_t to_row) {
  const auto line = [&](int64_t i) { return *reinterpret_cast<const FourFloats*>(from + i * from_row); };
  const FourFloats a = line(0), b = line(1), c = line(2), d = line(3);
  const FourFloats ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                   ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                   cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const auto store = [&](int64_t j, FourFloats x) { *reinterpret_cast<FourFloats*>(to + j * to_row) = x; };
  store(0, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
  store(1, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  store(2, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store(3, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

/// Computes to[j * to_row + i] = from[i * from_row + j], for any strides. `rows` and `columns` are those of `from`.
template <typename From, typename T, typename F>
void transpose_to(const From* from, int64_t from_row, T* to, int64_t to_row, int64_t rows, int64_t columns,
                  const F& convert) {
  int64_t i = 0;
  if constexpr (std::is_same_v<From, float> && std::is_same_v<T, float>) {
    for (; i + 4 <= rows; i += 4) {
      int64_t j = 0;
      for (; j + 4 <= columns; j += 4) {
        const float* f = from + i * from_row + j;
        transpose_4_by_4(f, from_row, to + j * to_row + i, to_row);
      }
      for (; j < columns; ++j) {
        for (int64_t r = i; r < i + 4; ++r) to[j * to_row + r] = convert(from[r * from_row + j]);
      }
    }
  }
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t r = i; r < rows; ++r) to[j * to_row + r] = convert(from[r * from_row + j]);
  }
}

/// Copies `count` elements. Neighbours are copied in groups of a known number, which -O2 vectorizes.
template <typename From, typename T>
void copy_elements(const From* __restrict from, int64_t stride, int64_t count, T* __restrict to) {
  constexpr int64_t kGroup = 8;
  int64_t done = 0;
  if (stride == 1) {
    for (; done + kGroup <= count; done += kGroup) {
      for (int64_t i = 0; i < kGroup; ++i) to[done + i] = static_cast<T>(from[done + i]);
    }
  }
  for (; done < count; ++done) to[done] = static_cast<T>(from[done * stride]);
}

template <typename From, typename T>
void pack_row(const BoxDimension& d, const BoxColumns& c, const From* from, T* to) {
  const int64_t begin = d.begin(), end = d.end(), step = d.stride * d.pitch;
  const auto zero = [&](int64_t b, int64_t e) {
    if (d.to_stride == c.width) std::fill(to + b * d.to_stride, to + e * d.to_stride, T(0));
    else
      for (int64_t p = b; p < e; ++p) std::fill_n(to + p * d.to_stride, c.width, T(0));
  };
  zero(0, begin);
  zero(end, d.extent);
  if (begin == end) return;
  from += d.first * d.stride;
  const bool dense = c.extent == c.width && d.to_stride == c.width && (c.stride == 1 || c.extent == 1);
  if (dense && step == c.extent) {
    const From* source = from + begin * step;
    T* target = to + begin * d.to_stride;
    const int64_t count = (end - begin) * c.extent;
    if constexpr (std::is_same_v<From, T>) std::memcpy(target, source, static_cast<size_t>(count) * sizeof(T));
    else copy_elements(source, 1, count, target);
    return;
  }
  if (c.extent < c.width) {
    for (int64_t p = begin; p < end; ++p) std::fill_n(to + p * d.to_stride + c.extent, c.width - c.extent, T(0));
  }
  if (step == 1 && c.extent > 1) {
    // positions: the few lines that are read of a channel stay in the cache while others are read
    constexpr int64_t kAtOnce = 64;
    for (int64_t p = begin; p < end; p += kAtOnce) {
      transpose_to(from + p, c.stride, to + p * d.to_stride, d.to_stride, c.extent, std::min(kAtOnce, end - p),
                   [](From x) { return static_cast<T>(x); });
    }
    return;
  }
  constexpr int64_t kColumns = 16;  // maximum number of streams that are read at once if columns are far apart
  for (int64_t c0 = 0; c0 < c.extent; c0 += c.stride == 1 ? c.extent : kColumns) {
    const int64_t columns = c.stride == 1 ? c.extent : std::min(kColumns, c.extent - c0);
    for (int64_t p = begin; p < end; ++p) {
      const From* source = from + p * step + c0 * c.stride;
      T* target = to + p * d.to_stride + c0;
      copy_elements(source, c.stride, columns, target);
    }
  }
}

/// Packs a box of kRank dimensions; the last one is innermost.
template <size_t kRank, typename From, typename T>
void pack_box(const BoxDimension* d, const BoxColumns& c, const From* from, T* to) {
  if constexpr (kRank == 1) {
    pack_row(*d, c, from, to);
  } else {
    const int64_t begin = d->begin(), end = d->end();
    for (int64_t p = 0; p < d->extent; ++p) {
      BoxDimension inner[kRank - 1];
      std::copy_n(d + 1, kRank - 1, inner);
      const bool inside = p >= begin && p < end;
      if (!inside) inner[kRank - 2].size = 0;
      pack_box<kRank - 1>(inner, c, inside ? from + (d->first + p * d->pitch) * d->stride : from,
                          to + p * d->to_stride);
    }
  }
}

/// Writes rows by columns with any strides and to any type.
template <typename T, typename Out>
void store_tile(const T* from, int64_t from_row, Out* to, int64_t to_row, int64_t to_column, int64_t rows,
                int64_t columns) {
  const auto convert = [](T x) { return static_cast<Out>(x); };
  if (to_column == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) to[r * to_row + c] = convert(from[r * from_row + c]);
    }
    return;
  }
  if (to_row == 1) return transpose_to(from, from_row, to, to_column, rows, columns, convert);
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) to[r * to_row + c * to_column] = convert(from[r * from_row + c]);
  }
}

}  // namespace hilo::cpu
