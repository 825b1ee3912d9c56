// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"

#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/linalg/solve_tile.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"
#include "hilo/base/transpose.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kSolveBlock = 64;  // unknowns per block; the parts between blocks are products
constexpr int64_t kSolveMostLanes = 32;
constexpr int64_t kFewOthers = 8;  // measured: copying into lanes doesn't pay off for few unknowns of fewer right sides

template <typename T>
using GemmRoutine = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                         const T*, const int*, const T*, T*, const int*);

template <typename T>
using SolveRoutine = void(const char*, const char*, const char*, const char*, const int*, const int*, const T*,
                          const T*, const int*, T*, const int*);

/// Returns null if the instruction set has none.
const SolveKernels* solve_kernels_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return &solve_kernels_avx512();
    if (isa == Isa::kAvx2) return &solve_kernels_avx2();
  }
  return nullptr;
}

template <typename T>
const SolveKernel<T>* kernel_of(Isa isa) {
  const SolveKernels* const kernels = solve_kernels_of(isa);
  if (kernels == nullptr) return nullptr;
  if constexpr (std::is_same_v<T, float>) return &kernels->f32;
  else return &kernels->f64;
}

/// Memory to which blocks are copied, one after the other.
template <typename T>
struct Workspace {
  T coefficients[kSolveBlock * kSolveBlock];
  T inverse[kSolveBlock];
  T x[kSolveBlock * kSolveMostLanes];
};

template <typename T>
class Solver {
 public:
  Solver(const TriangularProblem<T>& p, const SolveKernel<T>& kernel, GemmRoutine<T>* gemm, Workspace<T>& work)
      : p_(p), kernel_(kernel), gemm_(gemm), work_(work), others_(p.others()) {}

  /// Solves for the unknowns [begin, end). All earlier ones are known and subtracted from B.
  void solve(int64_t begin, int64_t end) {
    if (stop_.raised()) return;
    if (end - begin <= kSolveBlock) return solve_block(begin, end);
    const int64_t middle = begin + ((end - begin) / 2 + kSolveBlock - 1) / kSolveBlock * kSolveBlock;
    if (p_.goes_forward()) {
      solve(begin, middle);
      subtract(begin, middle, middle, end);
      solve(middle, end);
    } else {
      solve(middle, end);
      subtract(middle, end, begin, middle);
      solve(begin, middle);
    }
  }

 private:
  static constexpr int64_t kBytes = sizeof(T);

  /// Returns the coefficient of unknown k in equation i.
  const T& coefficient(int64_t k, int64_t i) const {
    return p_.unknown_is_row() ? p_.a[k + i * p_.a_leading] : p_.a[i + k * p_.a_leading];
  }
  /// Returns unknown i of the first right-hand side.
  T* unknown(int64_t i) const { return p_.is_left() ? p_.b + i : p_.b + i * p_.b_leading; }

  /// Subtracts the contributions of unknowns [from, from_end) from the equations [to, to_end).
  void subtract(int64_t from, int64_t from_end, int64_t to, int64_t to_end) {
    const T minus = -1, one = 1;
    const int known = static_cast<int>(from_end - from), open = static_cast<int>(to_end - to);
    const int others = static_cast<int>(others_);
    const char* const as_is = "N";
    const char* const turned = p_.is_transposed() ? "T" : "N";
    const T* const a = &coefficient(from, to);
    if (p_.is_left()) {
      gemm_(turned, as_is, &open, &others, &known, &minus, a, &p_.a_leading, unknown(from), &p_.b_leading, &one,
            unknown(to), &p_.b_leading);
    } else {
      gemm_(as_is, turned, &others, &open, &known, &minus, unknown(from), &p_.b_leading, a, &p_.a_leading, &one,
            unknown(to), &p_.b_leading);
    }
  }

  void solve_block(int64_t begin, int64_t end) {
    const int64_t count = end - begin, rows = (count + kSolveRows - 1) / kSolveRows * kSolveRows;
    copy_coefficients(begin, end, rows);
    for (int64_t other = 0; other < others_ && !stop_.raised(); other += kernel_.lanes) {
      const int64_t lanes = std::min(kernel_.lanes, others_ - other);
      std::fill_n(work_.x, rows * kernel_.lanes, T{});
      // The rows that pad the last eight are at the kernel's end.
      T* const x = work_.x + (p_.goes_forward() ? 0 : (rows - count) * kernel_.lanes);
      copy_unknowns(begin, count, other, lanes, x, true);
      kernel_.tile({work_.coefficients, work_.inverse, rows,
                    p_.goes_forward() ? work_.x : work_.x + (rows - 1) * kernel_.lanes,
                    p_.goes_forward() ? kernel_.lanes : -kernel_.lanes});
      copy_unknowns(begin, count, other, lanes, x, false);
    }
  }

  /// Copies coefficients in the order in which the unknowns are computed.
  void copy_coefficients(int64_t begin, int64_t end, int64_t rows) {
    std::fill_n(work_.coefficients, rows * rows, T{});
    std::fill_n(work_.inverse, rows, T{1});
    const auto place = [&](int64_t n) { return p_.goes_forward() ? begin + n : end - 1 - n; };
    for (int64_t i = 0; i < end - begin; ++i) {
      T* const to = work_.coefficients + i / kSolveRows * rows * kSolveRows + i % kSolveRows;
      for (int64_t k = 0; k < i; ++k) to[k * kSolveRows] = coefficient(place(k), place(i));
      if (p_.diagonal == 'N') work_.inverse[i] = T{1} / coefficient(place(i), place(i));
    }
  }

  /// Copies between B and rows of as many numbers as the kernel has lanes.
  void copy_unknowns(int64_t begin, int64_t count, int64_t other, int64_t lanes, T* x, bool to_rows) {
    if (p_.is_left()) {
      T* const b = unknown(begin) + other * p_.b_leading;
      if (to_rows) transpose_matrix({b, p_.b_leading * kBytes}, x, kernel_.lanes * kBytes, lanes, count, sizeof(T));
      else transpose_matrix({x, kernel_.lanes * kBytes}, b, p_.b_leading * kBytes, count, lanes, sizeof(T));
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      T* const b = unknown(begin + i) + other;
      T* const row = x + i * kernel_.lanes;
      std::memcpy(to_rows ? row : b, to_rows ? b : row, static_cast<size_t>(lanes) * sizeof(T));
    }
  }

  const TriangularProblem<T>& p_;
  const SolveKernel<T>& kernel_;
  GemmRoutine<T>* gemm_;
  Workspace<T>& work_;
  int64_t others_;
  StopFlag stop_;
};

/// Solves for one right side after another.
template <typename T>
void substitute(const SolveKernel<T>& kernel, const TriangularProblem<T>& p) {
  const int64_t unknowns = p.unknowns(), step = p.is_left() ? 1 : p.b_leading;
  T x[kMaxSubstituted];
  for (int64_t other = 0; other < p.others(); ++other) {
    T* const b = p.b + other * (p.is_left() ? p.b_leading : 1);
    for (int64_t k = 0; k < unknowns; ++k) x[k] = b[k * step];
    kernel.substitute({.a = p.a,
                       .leading = p.a_leading,
                       .unknowns = unknowns,
                       .by_columns = !p.unknown_is_row(),
                       .forward = p.goes_forward(),
                       .unit_diagonal = p.diagonal == 'U',
                       .x = x});
    for (int64_t k = 0; k < unknowns; ++k) b[k * step] = x[k];
  }
}

/// Returns false, without a change, if memory or a kernel is missing.
template <typename T>
bool solve_by_own(Isa isa, const TriangularProblem<T>& p) {
  static auto* const gemm = lapack::routine<T, GemmRoutine<T>>("gemm");
  const SolveKernel<T>* const kernel = kernel_of<T>(isa);
  if (kernel == nullptr || gemm == nullptr) return false;
  if (p.unknowns() <= kMaxSubstituted && p.others() < kFewOthers) {
    substitute(*kernel, p);
    return true;
  }
  StatusOr<AlignedBuffer> memory = allocate_buffer(sizeof(Workspace<T>));
  if (!memory.ok()) return false;
  auto* const work = reinterpret_cast<Workspace<T>*>(memory->data());
  Solver<T>(p, *kernel, gemm, *work).solve(0, p.unknowns());
  return true;
}

template <typename T>
void solve(Isa isa, const TriangularProblem<T>& p) {
  static auto* const routine = lapack::routine<T, SolveRoutine<T>>("trsm");
  const T one = 1;
  if (!solve_by_own(isa, p))
    routine(&p.side, &p.uplo, &p.transposed, &p.diagonal, &p.m, &p.n, &one, p.a, &p.a_leading, p.b, &p.b_leading);
}

}  // namespace

void solve_triangular(Isa isa, const TriangularProblem<float>& p) { solve(isa, p); }
void solve_triangular(Isa isa, const TriangularProblem<double>& p) { solve(isa, p); }

}  // namespace hilo::cpu
