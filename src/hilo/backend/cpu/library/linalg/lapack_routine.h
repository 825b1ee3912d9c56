// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lapack_routine.h -- what handlers of LAPACK's custom calls share: finding a routine,
// viewing buffers as batches of matrices, running a batch. Matrices are column-major, as in LAPACK.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "hilo/backend/cpu/library/linalg/cholesky_blocks.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/products/blas.h"
#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo::cpu::lapack {

template <typename T>
inline constexpr bool kComplex = is_complex(element_type_of<T>);
/// float of std::complex<float>.
template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;

template <typename T>
inline constexpr char kLetter = std::is_same_v<T, float>                 ? 's'
                                : std::is_same_v<T, double>              ? 'd'
                                : std::is_same_v<T, std::complex<float>> ? 'c'
                                                                         : 'z';

/// Returns the routine of type T: "potrf" is dpotrf_ for double. Real and complex ones may have different names
/// ("orgqr", "ungqr").
template <typename T, typename Signature>
Signature* routine(std::string_view real_name, std::string_view complex_name) {
  const std::string name = fmt::format("{}{}_", kLetter<T>, kComplex<T> ? complex_name : real_name);
  return reinterpret_cast<Signature*>(blas_symbol(name.c_str()));
}
template <typename T, typename Signature>
Signature* routine(std::string_view name) {
  return routine<T, Signature>(name, name);
}

/// Whether the handler of a custom call of that name is one of LAPACK's here.
bool is_own_target(std::string_view target);

/// Returns an error if the routine's address is null.
Status check_routine(const void* address, std::string_view target);

/// A buffer as `count` consecutive matrices (or vectors: columns = 1).
template <typename T>
struct Batch {
  T* data = nullptr;
  int64_t count = 0;
  int rows = 0, columns = 0;
  int64_t size() const { return static_cast<int64_t>(rows) * columns; }
  T* item(int64_t i) const { return data + i * size(); }
  int leading() const { return std::max(rows, 1); }
};

/// The position of a buffer in the call, for messages.
struct Place {
  const CustomCallFrame& frame;
  bool result;
  size_t index;
  const CustomCallBuffer* buffer() const {
    const auto& list = result ? frame.results : frame.operands;
    return index < list.size() ? &list[index] : nullptr;
  }
};
inline Place operand(const CustomCallFrame& frame, size_t index) { return {frame, false, index}; }
inline Place result(const CustomCallFrame& frame, size_t index) { return {frame, true, index}; }

/// Checks that the buffer exists, has type `type` and has at least `inner` dimensions that fit in LAPACK's 32-bit
/// numbers.
Status check_buffer(const Place& place, ElementType type, int inner);

/// Returns the buffer as a batch. `inner` = 2: matrices; 1: vectors; 0: numbers.
template <typename T>
StatusOr<Batch<T>> batch_of(const Place& place, int inner) {
  HILO_RETURN_IF_ERROR(check_buffer(place, element_type_of<T>, inner));
  const CustomCallBuffer& buffer = *place.buffer();
  Batch<T> batch{static_cast<T*>(buffer.data), 1, 1, 1};
  const size_t outer = buffer.dimensions.size() - static_cast<size_t>(inner);
  for (size_t d = 0; d < outer; ++d) batch.count *= buffer.dimensions[d];
  if (inner > 0) batch.rows = static_cast<int>(buffer.dimensions[outer]);
  if (inner > 1) batch.columns = static_cast<int>(buffer.dimensions[outer + 1]);
  return batch;
}

/// Returns INVALID_ARGUMENT unless `fits`.
Status check_fits(const CustomCallFrame& frame, bool fits);

/// Copies operand to result unless they are the same buffer.
template <typename T>
void copy_unless_same(const Batch<T>& from, const Batch<T>& to) {
  if (from.data != to.data && from.count * from.size() != 0)
    std::memcpy(to.data, from.data, static_cast<size_t>(from.count * from.size()) * sizeof(T));
}

/// Calls run(begin, end) for ranges of 0..count, until the work must stop. Each range has its own workspace. Uses
/// several threads if `work` (multiplications per item) makes that pay off.
template <typename Run>
void for_batch(int64_t count, double work, Run&& run) {
  constexpr double kPollInterval = 1 << 24;
  const bool worth = default_pool().threads() > 1 &&
                     worth_forking(work_ns(kCpuCosts.library.factor_term, static_cast<double>(count) * work));
  const auto interval = static_cast<int64_t>(std::clamp(kPollInterval / work, 1.0, 1e9));
  in_parts(count, worth ? parts_for_threads(count) : 1, [&](int64_t begin, int64_t end) {
    in_stretches(end - begin, interval, [&](int64_t from, int64_t to) { run(begin + from, begin + to); });
  });
}

/// Calls visit.template operator()<T>() for the element type of the buffer, one of LAPACK's types.
template <typename Visitor>
Status for_element_type(const CustomCallFrame& frame, const Place& place, const Visitor& visit) {
  HILO_RETURN_IF_ERROR(check_fits(frame, place.buffer() != nullptr));
  switch (place.buffer()->type) {
    case ElementType::kF32: return visit.template operator()<float>();
    case ElementType::kF64: return visit.template operator()<double>();
    case ElementType::kC64: return visit.template operator()<std::complex<float>>();
    case ElementType::kC128: return visit.template operator()<std::complex<double>>();
    default:
      return unimplemented(
          fmt::format("custom call {} on elements of type {}", frame.target, element_type_name(place.buffer()->type)));
  }
}

/// x - x is zero for finite numbers and NaN for others, so no element is compared.
template <typename R>
bool all_finite_numbers(const R* x, int64_t count) {
  typedef R Lanes __attribute__((vector_size(16)));
  constexpr int64_t kLanes = sizeof(Lanes) / sizeof(R);
  Lanes sums{};
  R sum = 0;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes values;
    std::memcpy(&values, x + i, sizeof(values));
    sums += values - values;
  }
  for (; i < count; ++i) sum += x[i] - x[i];
  for (int64_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum == 0;
}

template <typename T>
bool all_finite(const T* x, int64_t count) {
  return all_finite_numbers(reinterpret_cast<const Real<T>*>(x), kComplex<T> ? 2 * count : count);
}

/// The elements of a column-major matrix of `n` columns that a routine reads: the triangle selected by `uplo`.
template <typename T>
bool triangle_finite(const T* a, int n, char uplo) {
  for (int64_t c = 0; c < n; ++c) {
    const int64_t first = uplo == 'L' ? c : 0, last = uplo == 'L' ? n : c + 1;
    if (!all_finite(a + c * n + first, last - first)) return false;
  }
  return true;
}

template <typename T>
T not_a_number() {
  constexpr Real<T> kNan = std::numeric_limits<Real<T>>::quiet_NaN();
  if constexpr (kComplex<T>) return {kNan, kNan};
  else return kNan;
}

/// Sets the columns that contain NaN or an infinity to zero and returns their indices. LAPACK may lose such elements,
/// because norms and pivots use comparisons (OpenBLAS 0.3.21 returns a finite norm for f32). With zeros it never reads
/// them.
template <typename T>
std::vector<int> clear_bad_columns(T* a, int rows, int columns) {
  std::vector<int> bad;
  for (int c = 0; c < columns; ++c) {
    T* const column = a + static_cast<int64_t>(c) * rows;
    if (all_finite(column, rows)) continue;
    std::fill_n(column, rows, T{});
    bad.push_back(c);
  }
  return bad;
}

/// Sets to NaN what a factorization from left to right computes from those columns. These are the columns themselves,
/// everything right of and below the first one's diagonal element, and from there on `scalars`, one per column, unless
/// null.
template <typename T>
void mark_bad_columns(const std::vector<int>& bad, T* a, int rows, int columns, T* scalars) {
  if (bad.empty()) return;
  const int first = bad[0];
  const auto fill = [&](int column, int from) {
    if (from < rows) std::fill_n(a + static_cast<int64_t>(column) * rows + from, rows - from, not_a_number<T>());
  };
  for (int c : bad) fill(c, 0);
  for (int c = first; c < columns; ++c) fill(c, first);
  if (scalars != nullptr && first < std::min(rows, columns))
    std::fill(scalars + first, scalars + std::min(rows, columns), not_a_number<T>());
}

/// Returns the row (from 1) at which a Cholesky factorization of the triangle fails because of an element that isn't
/// finite. This assumes that no earlier row fails. Returns 0 without such elements. An infinite diagonal element
/// doesn't fail. Imaginary parts of diagonals aren't read.
template <typename T>
int unfactorable_row(const T* a, int n, char uplo) {
  int least = 0;
  for (int c = 0; c < n; ++c) {
    for (int r = uplo == 'L' ? c : 0; r < (uplo == 'L' ? n : c + 1); ++r) {
      const T& x = a[static_cast<int64_t>(c) * n + r];
      const int row = std::max(r, c) + 1;
      const bool fails = r == c ? !(std::real(x) > -std::numeric_limits<Real<T>>::infinity()) : !all_finite(&x, 1);
      if (fails && (least == 0 || row < least)) least = row;
    }
  }
  return least;
}

/// Factors a column-major matrix in place by xPOTRF, which loses NaN. Returns its info.
template <typename T>
int factor_cholesky(Isa isa, PotrfRoutine<T>* potrf, char uplo, int n, T* a) {
  const int leading = std::max(n, 1);
  int info = 0;
  if (!triangle_finite(a, n, uplo)) info = unfactorable_row(a, n, uplo);
  if (info != 0) return info;
  if constexpr (!kComplex<T>) {
    if (uplo == 'L') return factor_in_blocks(isa, potrf, n, a, leading);
  }
  potrf(&uplo, &n, a, &leading, &info);
  return info;
}

/// Returns the result of a workspace query as a size. The routines count in 32 bits, where too large a size wraps:
/// sizes must pass check_count before the query.
template <typename T>
int work_size(T result) {
  // A float of at least 2^24 was rounded, perhaps down.
  const double size = std::nextafter(std::real(result), std::numeric_limits<Real<T>>::infinity());
  return std::max(1, static_cast<int>(std::min<double>(std::ceil(size), std::numeric_limits<int>::max())));
}

/// Returns UNIMPLEMENTED if a routine needs more elements of workspace than LAPACK can count.
Status check_count(const CustomCallFrame& frame, double elements);

/// Calls check_count for the workspace of routines on `x`: at most 64 elements per row or column, and those of a block.
template <typename T>
Status check_workspace(const CustomCallFrame& frame, const Batch<T>& x) {
  return check_count(frame, 128.0 * std::max({x.rows, x.columns, 64}));
}

/// info of an item whose operand isn't finite. Some routines return it; others would loop forever.
inline constexpr int kNotFinite = -4;

/// Returns a letter of LAPACK from an attribute of type u8, which a file may have set to any value. For a letter that
/// it doesn't know, LAPACK writes to stdout and does nothing.
/// Errors    INVALID_ARGUMENT unless it is one of `allowed`
StatusOr<char> letter(const CustomCallFrame& frame, std::string_view name, std::string_view allowed);

}  // namespace hilo::cpu::lapack
