// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lapack_eigen.cc -- LAPACK's decompositions of Hermitian matrices, and singular values.
#include <cmath>

#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"

namespace hilo::cpu::lapack {
namespace {

/// The workspace that a routine needs.
struct WorkSizes {
  int work = 1, real = 0, integer = 0;
};

/// The workspace of a thread.
template <typename T>
struct Workspace {
  explicit Workspace(const WorkSizes& sizes)
      : work(sizes.work), real(std::max(sizes.real, 1)), integer(std::max(sizes.integer, 1)) {}
  std::vector<T> work;
  std::vector<Real<T>> real;
  std::vector<int> integer;
};

}  // namespace

template <typename T>
Status syevd(const CustomCallFrame& frame) {
  using R = Real<T>;
  using RealCall =
      void(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, int*, const int*, int*);
  using ComplexCall = void(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*,
                           int*, const int*, int*);
  static auto* const call = routine<T, std::conditional_t<kComplex<T>, ComplexCall, RealCall>>("syevd", "heevd");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> v, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<R> w, batch_of<R>(result(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 2), 0));
  HILO_ASSIGN_OR_RETURN(const char mode, letter(frame, "mode", "NV"));
  HILO_ASSIGN_OR_RETURN(const char uplo, letter(frame, "uplo", "LU"));
  HILO_RETURN_IF_ERROR(check_fits(frame, x.rows == x.columns && v.rows == x.rows && v.columns == x.rows &&
                                             v.count == x.count && w.count == x.count && w.rows == x.rows &&
                                             info.count == x.count));
  copy_unless_same(x, v);
  const int n = x.rows, leading = x.leading();
  HILO_RETURN_IF_ERROR(check_count(frame, 1 + 6.0 * n + 2.0 * n * n));
  const auto run = [&](int64_t i, T* work, int work_count, R* real, int real_count, int* integer, int integer_count,
                       int* failed) {
    if constexpr (kComplex<T>) {
      call(&mode, &uplo, &n, v.item(i), &leading, w.item(i), work, &work_count, real, &real_count, integer,
           &integer_count, failed);
    } else {
      call(&mode, &uplo, &n, v.item(i), &leading, w.item(i), work, &work_count, integer, &integer_count, failed);
    }
  };
  T work_answer{};
  R real_answer{};
  int integer_answer = 0, failed = 0;
  run(0, &work_answer, -1, &real_answer, -1, &integer_answer, -1, &failed);
  const WorkSizes sizes{work_size(work_answer), work_size(real_answer), std::max(integer_answer, 1)};
  for_batch(x.count, 10.0 * n * n * n, [&](int64_t begin, int64_t end) {
    Workspace<T> space(sizes);
    for (int64_t i = begin; i < end; ++i) {
      *info.item(i) = kNotFinite;
      if (!triangle_finite(v.item(i), n, uplo)) continue;
      run(i, space.work.data(), sizes.work, space.real.data(), sizes.real, space.integer.data(), sizes.integer,
          info.item(i));
    }
  });
  return ok_status();
}

template <typename T>
Status sytrd(const CustomCallFrame& frame) {
  using R = Real<T>;
  static auto* const call =
      routine<T, void(const char*, const int*, T*, const int*, R*, R*, T*, T*, const int*, int*)>("sytrd", "hetrd");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<R> d, batch_of<R>(result(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<R> e, batch_of<R>(result(frame, 2), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<T> tau, batch_of<T>(result(frame, 3), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 4), 0));
  HILO_ASSIGN_OR_RETURN(const char uplo, letter(frame, "uplo", "LU"));
  const int n = x.rows, leading = x.leading(), less = std::max(n - 1, 0);
  HILO_RETURN_IF_ERROR(check_fits(frame, x.columns == n && out.rows == n && out.columns == n && out.count == x.count &&
                                             d.rows == n && e.rows == less && tau.rows == less && d.count == x.count &&
                                             e.count == x.count && tau.count == x.count && info.count == x.count));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  copy_unless_same(x, out);
  T needed{};
  int failed = 0, query = -1;
  call(&uplo, &n, out.data, &leading, d.data, e.data, tau.data, &needed, &query, &failed);
  const int size = work_size(needed);
  for_batch(x.count, 2.0 * n * n * n, [&](int64_t begin, int64_t end) {
    std::vector<T> work(size);
    for (int64_t i = begin; i < end; ++i) {
      *info.item(i) = kNotFinite;
      if (!triangle_finite(out.item(i), n, uplo)) continue;
      call(&uplo, &n, out.item(i), &leading, d.item(i), e.item(i), tau.item(i), work.data(), &size, info.item(i));
    }
  });
  return ok_status();
}

namespace {

/// The buffers of gesdd and gesvd.
template <typename T>
struct SingularValues {
  Batch<T> x, out, u, vt;
  Batch<Real<T>> s;
  Batch<int> info;
  char mode = 'N';
  int leading = 1, u_leading = 1, vt_leading = 1;
};

template <typename T>
StatusOr<SingularValues<T>> singular_values(const CustomCallFrame& frame) {
  SingularValues<T> b;
  HILO_ASSIGN_OR_RETURN(b.x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(b.out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(b.s, batch_of<Real<T>>(result(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(b.u, batch_of<T>(result(frame, 2), 2));
  HILO_ASSIGN_OR_RETURN(b.vt, batch_of<T>(result(frame, 3), 2));
  HILO_ASSIGN_OR_RETURN(b.info, batch_of<int>(result(frame, 4), 0));
  HILO_ASSIGN_OR_RETURN(b.mode, letter(frame, "mode", "NSA"));
  const int m = b.x.rows, n = b.x.columns, least = std::min(m, n);
  const bool vectors = b.mode != 'N', all = b.mode == 'A';
  const bool fits =
      b.out.rows == m && b.out.columns == n && b.s.rows == least && b.out.count == b.x.count &&
      b.s.count == b.x.count && b.u.count == b.x.count && b.vt.count == b.x.count && b.info.count == b.x.count &&
      (!vectors ||
       (b.u.rows == m && b.u.columns == (all ? m : least) && b.vt.rows == (all ? n : least) && b.vt.columns == n));
  HILO_RETURN_IF_ERROR(check_fits(frame, fits));
  HILO_RETURN_IF_ERROR(check_workspace(frame, b.x));
  copy_unless_same(b.x, b.out);
  b.leading = b.out.leading();
  b.u_leading = b.u.leading();
  b.vt_leading = b.vt.leading();
  return b;
}

/// Queries `run(item, work, work_count, space)` for its workspace, then runs it for every item.
template <typename T, typename Run>
void run_singular_values(const SingularValues<T>& b, WorkSizes sizes, Run&& run) {
  Workspace<T> first(sizes);
  T needed{};
  int failed = 0;
  run(int64_t{0}, &needed, -1, first, &failed);
  sizes.work = work_size(needed);
  for_batch(b.x.count, 10.0 * static_cast<double>(b.x.size()) * std::min(b.x.rows, b.x.columns),
            [&](int64_t begin, int64_t end) {
              Workspace<T> space(sizes);
              for (int64_t i = begin; i < end; ++i) {
                *b.info.item(i) = kNotFinite;
                if (all_finite(b.out.item(i), b.out.size()))
                  run(i, space.work.data(), sizes.work, space, b.info.item(i));
              }
            });
}

}  // namespace

template <typename T>
Status gesdd(const CustomCallFrame& frame) {
  using R = Real<T>;
  using RealCall = void(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, T*,
                        const int*, int*, int*);
  using ComplexCall = void(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, T*,
                           const int*, R*, int*, int*);
  static auto* const call = routine<T, std::conditional_t<kComplex<T>, ComplexCall, RealCall>>("gesdd");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const SingularValues<T> b, singular_values<T>(frame));
  const int64_t least = std::min(b.x.rows, b.x.columns), most = std::max(b.x.rows, b.x.columns);
  const int64_t real = b.mode == 'N' ? 7 * least : least * std::max(5 * least + 7, 2 * most + 2 * least + 1);
  HILO_RETURN_IF_ERROR(check_count(frame, static_cast<double>(real)));
  const WorkSizes sizes{1, kComplex<T> ? static_cast<int>(real) : 0, static_cast<int>(8 * least)};
  run_singular_values(b, sizes, [&](int64_t i, T* work, int count, Workspace<T>& space, int* info) {
    if constexpr (kComplex<T>) {
      call(&b.mode, &b.x.rows, &b.x.columns, b.out.item(i), &b.leading, b.s.item(i), b.u.item(i), &b.u_leading,
           b.vt.item(i), &b.vt_leading, work, &count, space.real.data(), space.integer.data(), info);
    } else {
      call(&b.mode, &b.x.rows, &b.x.columns, b.out.item(i), &b.leading, b.s.item(i), b.u.item(i), &b.u_leading,
           b.vt.item(i), &b.vt_leading, work, &count, space.integer.data(), info);
    }
  });
  return ok_status();
}

template <typename T>
Status gesvd(const CustomCallFrame& frame) {
  using R = Real<T>;
  using RealCall = void(const char*, const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*,
                        const int*, T*, const int*, int*);
  using ComplexCall = void(const char*, const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*,
                           const int*, T*, const int*, R*, int*);
  static auto* const call = routine<T, std::conditional_t<kComplex<T>, ComplexCall, RealCall>>("gesvd");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const SingularValues<T> b, singular_values<T>(frame));
  const WorkSizes sizes{1, kComplex<T> ? 5 * std::min(b.x.rows, b.x.columns) : 0, 0};
  run_singular_values(b, sizes, [&](int64_t i, T* work, int count, Workspace<T>& space, int* info) {
    if constexpr (kComplex<T>) {
      call(&b.mode, &b.mode, &b.x.rows, &b.x.columns, b.out.item(i), &b.leading, b.s.item(i), b.u.item(i), &b.u_leading,
           b.vt.item(i), &b.vt_leading, work, &count, space.real.data(), info);
    } else {
      (void)space;
      call(&b.mode, &b.mode, &b.x.rows, &b.x.columns, b.out.item(i), &b.leading, b.s.item(i), b.u.item(i), &b.u_leading,
           b.vt.item(i), &b.vt_leading, work, &count, info);
    }
  });
  return ok_status();
}

#define HILO_EIGEN_HANDLERS(T)                      \
  template Status syevd<T>(const CustomCallFrame&); \
  template Status sytrd<T>(const CustomCallFrame&); \
  template Status gesdd<T>(const CustomCallFrame&); \
  template Status gesvd<T>(const CustomCallFrame&);
HILO_EIGEN_HANDLERS(float)
HILO_EIGEN_HANDLERS(double)
HILO_EIGEN_HANDLERS(std::complex<float>)
HILO_EIGEN_HANDLERS(std::complex<double>)

}  // namespace hilo::cpu::lapack
