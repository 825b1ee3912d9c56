// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lapack_general.cc -- LAPACK's decompositions of matrices without symmetry.
#include <cmath>

#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/base/text.h"

namespace hilo::cpu::lapack {
namespace {

/// LAPACK returns the vectors of a conjugate pair of eigenvalues as two columns, real and imaginary parts.
template <typename R>
void join_pairs(int n, const R* imaginary, const R* packed, std::complex<R>* vectors) {
  const auto at = [n](int column) { return static_cast<int64_t>(column) * n; };
  for (int j = 0; j < n; ++j) {
    const bool pair = imaginary[j] != 0 && j + 1 < n;
    for (int i = 0; i < n; ++i) {
      const R re = packed[at(j) + i], im = pair ? packed[at(j + 1) + i] : R(0);
      vectors[at(j) + i] = {re, im};
      if (pair) vectors[at(j + 1) + i] = {re, -im};
    }
    if (pair) ++j;
  }
}

/// Checks gehrd's first and last row, counted from 1; without rows they are 1 and 0.
Status check_rows(const CustomCallFrame& frame, int low, int high, int rows) {
  if (low >= 1 && low <= std::max(rows, 1) && high >= std::min(low, rows) && high <= rows) return ok_status();
  return invalid_argument(fmt::format(
      "custom call {}: attributes low and high; got {} and {}; wanted the first and the last of {} rows, from 1",
      quote(frame.target), low, high, rows));
}

}  // namespace

template <typename T>
Status geev(const CustomCallFrame& frame) {
  using R = Real<T>;
  using C = std::complex<R>;
  using RealCall = void(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*,
                        T*, const int*, int*);
  using ComplexCall = void(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,
                           const int*, R*, int*);
  static auto* const call = routine<T, std::conditional_t<kComplex<T>, ComplexCall, RealCall>>("geev");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  constexpr size_t kParts = kComplex<T> ? 1 : 2;
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  Batch<T> w[2];
  for (size_t k = 0; k < kParts; ++k) {
    HILO_ASSIGN_OR_RETURN(w[k], batch_of<T>(result(frame, k), 1));
  }
  HILO_ASSIGN_OR_RETURN(const Batch<C> left, batch_of<C>(result(frame, kParts), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<C> right, batch_of<C>(result(frame, kParts + 1), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, kParts + 2), 0));
  HILO_ASSIGN_OR_RETURN(const char compute_left, letter(frame, "compute_left", "NV"));
  HILO_ASSIGN_OR_RETURN(const char compute_right, letter(frame, "compute_right", "NV"));
  const int n = x.rows, leading = x.leading();
  const auto square = [&](const Batch<C>& v) { return v.rows == n && v.columns == n && v.count == x.count; };
  HILO_RETURN_IF_ERROR(check_fits(frame, x.columns == n && w[0].rows == n && w[0].count == x.count &&
                                             (kComplex<T> || (w[1].rows == n && w[1].count == x.count)) &&
                                             square(left) && square(right) && info.count == x.count));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  const auto run = [&](int64_t i, T* a, T* vl, T* vr, T* work, int count, R* real, int* failed) {
    if constexpr (kComplex<T>) {
      call(&compute_left, &compute_right, &n, a, &leading, w[0].item(i), vl, &leading, vr, &leading, work, &count, real,
           failed);
    } else {
      (void)real;
      call(&compute_left, &compute_right, &n, a, &leading, w[0].item(i), w[1].item(i), vl, &leading, vr, &leading, work,
           &count, failed);
    }
  };
  T needed{};
  R none{};
  int failed = 0;
  run(0, nullptr, nullptr, nullptr, &needed, -1, &none, &failed);
  const int size = work_size(needed);
  for_batch(x.count, 25.0 * n * n * n, [&](int64_t begin, int64_t end) {
    const size_t elements = x.size();
    std::vector<T> a(elements), vl(elements), vr(elements), work(size);
    std::vector<R> real(kComplex<T> ? static_cast<size_t>(2 * n) : 0);
    for (int64_t i = begin; i < end; ++i) {
      *info.item(i) = kNotFinite;
      if (!all_finite(x.item(i), x.size())) continue;
      std::copy_n(x.item(i), elements, a.data());
      run(i, a.data(), vl.data(), vr.data(), work.data(), size, real.data(), info.item(i));
      if constexpr (kComplex<T>) {
        if (compute_left == 'V') std::copy_n(vl.data(), elements, left.item(i));
        if (compute_right == 'V') std::copy_n(vr.data(), elements, right.item(i));
      } else {
        if (compute_left == 'V') join_pairs(n, w[1].item(i), vl.data(), left.item(i));
        if (compute_right == 'V') join_pairs(n, w[1].item(i), vr.data(), right.item(i));
      }
    }
  });
  return ok_status();
}

template <typename T>
Status gees(const CustomCallFrame& frame) {
  using R = Real<T>;
  using Select = int (*)(const T*, const T*);
  using RealCall = void(const char*, const char*, Select, const int*, T*, const int*, int*, T*, T*, T*, const int*, T*,
                        const int*, int*, int*);
  using ComplexCall = void(const char*, const char*, Select, const int*, T*, const int*, int*, T*, T*, const int*, T*,
                           const int*, R*, int*, int*);
  static auto* const call = routine<T, std::conditional_t<kComplex<T>, ComplexCall, RealCall>>("gees");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  constexpr size_t kParts = kComplex<T> ? 1 : 2;
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> t, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> z, batch_of<T>(result(frame, 1), 2));
  Batch<T> w[2];
  for (size_t k = 0; k < kParts; ++k) {
    HILO_ASSIGN_OR_RETURN(w[k], batch_of<T>(result(frame, 2 + k), 1));
  }
  HILO_ASSIGN_OR_RETURN(const Batch<int> selected, batch_of<int>(result(frame, 2 + kParts), 0));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 3 + kParts), 0));
  HILO_ASSIGN_OR_RETURN(const char mode, letter(frame, "mode", "NV"));
  HILO_ASSIGN_OR_RETURN(const char sort, letter(frame, "sort", "NS"));
  if (sort != 'N') return unimplemented("gees: sorting eigenvalues is not implemented");
  const int n = x.rows, leading = x.leading();
  const auto square = [&](const Batch<T>& v) { return v.rows == n && v.columns == n && v.count == x.count; };
  HILO_RETURN_IF_ERROR(check_fits(frame, x.columns == n && square(t) && square(z) && w[0].rows == n &&
                                             w[0].count == x.count &&
                                             (kComplex<T> || (w[1].rows == n && w[1].count == x.count)) &&
                                             selected.count == x.count && info.count == x.count));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  copy_unless_same(x, t);
  const auto run = [&](int64_t i, T* work, int count, R* real, int* failed) {
    int none = 0;
    if constexpr (kComplex<T>) {
      call(&mode, &sort, nullptr, &n, t.item(i), &leading, selected.item(i), w[0].item(i), z.item(i), &leading, work,
           &count, real, &none, failed);
    } else {
      (void)real;
      call(&mode, &sort, nullptr, &n, t.item(i), &leading, selected.item(i), w[0].item(i), w[1].item(i), z.item(i),
           &leading, work, &count, &none, failed);
    }
  };
  T needed{};
  R unused{};
  int failed = 0;
  if (x.count > 0) run(0, &needed, -1, &unused, &failed);
  const int size = work_size(needed);
  for_batch(x.count, 25.0 * n * n * n, [&](int64_t begin, int64_t end) {
    std::vector<T> work(size);
    std::vector<R> real(std::max(n, 1));
    for (int64_t i = begin; i < end; ++i) {
      *info.item(i) = kNotFinite;
      *selected.item(i) = 0;
      if (all_finite(t.item(i), t.size())) run(i, work.data(), size, real.data(), info.item(i));
    }
  });
  return ok_status();
}

template <typename T>
Status gehrd(const CustomCallFrame& frame) {
  static auto* const call =
      routine<T, void(const int*, const int*, const int*, T*, const int*, T*, T*, const int*, int*)>("gehrd");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> tau, batch_of<T>(result(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 2), 0));
  HILO_ASSIGN_OR_RETURN(const int low, frame.attribute<int32_t>("low"));
  HILO_ASSIGN_OR_RETURN(const int high, frame.attribute<int32_t>("high"));
  const int n = x.rows, leading = x.leading();
  HILO_RETURN_IF_ERROR(check_fits(frame, x.columns == n && out.rows == n && out.columns == n && out.count == x.count &&
                                             tau.rows == std::max(n - 1, 0) && tau.count == x.count &&
                                             info.count == x.count));
  HILO_RETURN_IF_ERROR(check_rows(frame, low, high, n));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  copy_unless_same(x, out);
  T needed{};
  int query = -1, failed = 0;
  call(&n, &low, &high, out.data, &leading, tau.data, &needed, &query, &failed);
  const int size = work_size(needed);
  for_batch(x.count, 3.0 * n * n * n, [&](int64_t begin, int64_t end) {
    std::vector<T> work(size);
    for (int64_t i = begin; i < end; ++i) {
      *info.item(i) = kNotFinite;
      if (!all_finite(out.item(i), out.size())) continue;
      call(&n, &low, &high, out.item(i), &leading, tau.item(i), work.data(), &size, info.item(i));
    }
  });
  return ok_status();
}

#define HILO_GENERAL_HANDLERS(T)                   \
  template Status geev<T>(const CustomCallFrame&); \
  template Status gees<T>(const CustomCallFrame&); \
  template Status gehrd<T>(const CustomCallFrame&);
HILO_GENERAL_HANDLERS(float)
HILO_GENERAL_HANDLERS(double)
HILO_GENERAL_HANDLERS(std::complex<float>)
HILO_GENERAL_HANDLERS(std::complex<double>)

}  // namespace hilo::cpu::lapack
