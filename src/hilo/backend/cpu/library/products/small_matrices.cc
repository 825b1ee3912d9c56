// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/small_matrices.h"

#include <algorithm>

#include "hilo/backend/cpu/library/products/small_lanes.h"

namespace hilo::cpu {
namespace {

constexpr int kSmallMostLanes = 16;

const SmallLanes& lanes_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return small_lanes_avx512();
    if (isa == Isa::kAvx2) return small_lanes_avx2();
  }
  return small_lanes_sse2();
}

template <typename T>
const LaneKernels<T>& kernels_of(Isa isa) {
  const SmallLanes& all = lanes_of(isa);
  if constexpr (std::is_same_v<T, float>) return all.f32;
  else return all.f64;
}

/// Memory for matrices of up to kSize elements, one per lane.
template <typename T, int kSize>
struct alignas(64) LaneMemory {
  T elements[kSize * (64 / sizeof(T))];
};

/// Calls run(first matrix, count) for groups of as many matrices as there are lanes.
template <typename Run>
void in_groups(int64_t count, int lanes, const Run& run) {
  for (int64_t i = 0; i < count; i += lanes) run(i, static_cast<int>(std::min<int64_t>(lanes, count - i)));
}

template <typename T>
bool fill_lanes(Isa isa, int64_t count) {
  return 2 * count >= kernels_of<T>(isa).lanes;
}

}  // namespace

template <typename T>
bool uses_lanes_for_lu(Isa isa, int rows, int columns, int64_t count) {
  if (std::max(rows, columns) > std::min(kLargestSmallLu, 2 * kernels_of<T>(isa).lanes)) return false;
  return vector_bytes(isa) == 16 || (rows >= columns && fill_lanes<T>(isa, count));
}

template <typename T>
bool uses_lanes_for_cholesky(Isa isa, int n, int64_t count) {
  return n <= std::min(kLargestSmallCholesky, 8 * kernels_of<T>(isa).lanes) && fill_lanes<T>(isa, count);
}

bool uses_lanes_for_qr(int rows, int columns) { return std::max(rows, columns) <= kLargestSmallQr; }

template <typename T>
bool uses_lanes_for_solve(Isa isa, const TriangularProblem<T>& p, int64_t count) {
  return p.unknowns() <= kLargestSmallSolve &&
         p.others() <= std::min(kLargestSmallSolve, 2 * kernels_of<T>(isa).lanes) && fill_lanes<T>(isa, count);
}

template <typename T>
void factor_small_lu(Isa isa, int rows, int columns, int64_t count, T* matrices, int* pivots, int* info) {
  const LaneKernels<T>& kernels = kernels_of<T>(isa);
  const int lanes = kernels.lanes, steps = std::min(rows, columns);
  const int size = rows * columns;
  LaneMemory<T, kLargestSmallLu * kLargestSmallLu> memory;
  int lane_pivots[kLargestSmallLu * kSmallMostLanes], lane_info[kSmallMostLanes];
  in_groups(count, lanes, [&](int64_t first, int group) {
    T* const here = matrices + first * size;
    kernels.load(here, size, group, memory.elements);
    kernels.factor_lu({rows, columns, memory.elements, lane_pivots, lane_info});
    kernels.store(memory.elements, size, group, here);
    std::copy_n(lane_info, group, info + first);
    for (int lane = 0; lane < group; ++lane) {
      for (int k = 0; k < steps; ++k) pivots[(first + lane) * steps + k] = lane_pivots[k * lanes + lane] + 1;
    }
  });
}

template <typename T>
void factor_small_cholesky(Isa isa, int n, bool lower, int64_t count, T* matrices, int* info) {
  const LaneKernels<T>& kernels = kernels_of<T>(isa);
  const int lanes = kernels.lanes;
  const int size = n * n;
  LaneMemory<T, kLargestSmallCholesky * kLargestSmallCholesky> memory;
  int lane_info[kSmallMostLanes];
  in_groups(count, lanes, [&](int64_t first, int group) {
    T* const here = matrices + first * size;
    kernels.load(here, size, group, memory.elements);
    kernels.factor_cholesky({n, lower ? n : 1, lower ? 1 : n, memory.elements, lane_info});
    kernels.store(memory.elements, size, group, here);
    std::copy_n(lane_info, group, info + first);
  });
}

template <typename T>
void factor_small_qr(Isa isa, int rows, int columns, int64_t count, T* matrices, T* taus, bool* is_left) {
  const LaneKernels<T>& kernels = kernels_of<T>(isa);
  const int lanes = kernels.lanes, steps = std::min(rows, columns);
  const int size = rows * columns;
  LaneMemory<T, kLargestSmallQr * kLargestSmallQr> memory, results;
  LaneMemory<T, kLargestSmallQr> lane_taus;
  int is_extreme[kSmallMostLanes];
  in_groups(count, lanes, [&](int64_t first, int group) {
    T* const here = matrices + first * size;
    kernels.load(here, size, group, memory.elements);
    kernels.factor_qr({rows, columns, memory.elements, lane_taus.elements, is_extreme});
    kernels.store(memory.elements, size, group, results.elements);
    for (int lane = 0; lane < group; ++lane) {
      is_left[first + lane] = is_extreme[lane] != 0;
      if (is_extreme[lane] != 0) continue;
      std::copy_n(results.elements + lane * size, size, here + lane * size);
      for (int k = 0; k < steps; ++k) taus[(first + lane) * steps + k] = lane_taus.elements[k * lanes + lane];
    }
  });
}

template <typename T>
void multiply_small_reflections(Isa isa, int rows, int columns, int reflectors, int64_t count, T* matrices,
                                const T* taus) {
  const LaneKernels<T>& kernels = kernels_of<T>(isa);
  const int lanes = kernels.lanes;
  const int size = rows * columns;
  LaneMemory<T, kLargestSmallQr * kLargestSmallQr> memory;
  LaneMemory<T, kLargestSmallQr> lane_taus;
  in_groups(count, lanes, [&](int64_t first, int group) {
    T* const here = matrices + first * size;
    kernels.load(here, size, group, memory.elements);
    kernels.load(taus + first * reflectors, reflectors, group, lane_taus.elements);
    kernels.multiply_reflections({rows, columns, reflectors, memory.elements, lane_taus.elements});
    kernels.store(memory.elements, size, group, here);
  });
}

template <typename T>
void solve_small(Isa isa, const TriangularProblem<T>& p, int64_t count) {
  const LaneKernels<T>& kernels = kernels_of<T>(isa);
  const int lanes = kernels.lanes;
  const int n = p.unknowns();
  const int a_size = n * n, b_size = p.m * p.n;
  LaneMemory<T, kLargestSmallSolve * kLargestSmallSolve> a;
  LaneMemory<T, kLargestSmallSolve * kLargestSmallSolve> b;
  const LaneSolve<T> systems{n,
                             p.others(),
                             a.elements,
                             p.unknown_is_row() ? 1 : n,
                             p.unknown_is_row() ? n : 1,
                             b.elements,
                             p.is_left() ? 1 : p.m,
                             p.is_left() ? p.m : 1,
                             p.goes_forward(),
                             p.diagonal == 'U'};
  in_groups(count, lanes, [&](int64_t first, int group) {
    T* const here = p.b + first * b_size;
    kernels.load(p.a + first * a_size, a_size, group, a.elements);
    kernels.load(here, b_size, group, b.elements);
    kernels.solve(systems);
    kernels.store(b.elements, b_size, group, here);
  });
}

#define HILO_SMALL_MATRICES(T)                                                            \
  template bool uses_lanes_for_lu<T>(Isa, int, int, int64_t);                             \
  template bool uses_lanes_for_cholesky<T>(Isa, int, int64_t);                            \
  template bool uses_lanes_for_solve<T>(Isa, const TriangularProblem<T>&, int64_t);       \
  template void factor_small_qr<T>(Isa, int, int, int64_t, T*, T*, bool*);                \
  template void multiply_small_reflections<T>(Isa, int, int, int, int64_t, T*, const T*); \
  template void factor_small_lu<T>(Isa, int, int, int64_t, T*, int*, int*);               \
  template void factor_small_cholesky<T>(Isa, int, bool, int64_t, T*, int*);              \
  template void solve_small<T>(Isa, const TriangularProblem<T>&, int64_t);
HILO_SMALL_MATRICES(float)
HILO_SMALL_MATRICES(double)

}  // namespace hilo::cpu
