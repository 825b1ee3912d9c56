// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lapack_factor.cc -- LAPACK's factorizations, and solves with the factors.
#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/linalg/lu_blocks.h"
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"
#include "hilo/backend/cpu/library/products/small_matrices.h"
#include "hilo/base/text.h"

namespace hilo::cpu::lapack {
namespace {

/// Estimates work such as n^3 / 3. The constant doesn't matter for the choice between one thread and several.
double cube(double m, double n) { return m * n * std::min(m, n); }

/// Returns one of two letters of LAPACK, or the first if a flag is set: newer versions of JAX pass flags.
StatusOr<char> letter_or_flag(const CustomCallFrame& frame, std::string_view letter_name, std::string_view flag_name,
                              std::string_view letters) {
  if (frame.find(letter_name) != nullptr || frame.find(flag_name) == nullptr)
    return letter(frame, letter_name, letters);
  HILO_ASSIGN_OR_RETURN(const bool flag, frame.attribute<bool>(flag_name));
  return letters[flag ? 0 : 1];
}

/// LAPACK rejects a product of more reflectors than a matrix has rows. No factorization has as many.
Status check_reflectors(const CustomCallFrame& frame, int reflectors, int rows, int columns) {
  if (reflectors <= std::min(rows, columns)) return ok_status();
  return invalid_argument(
      fmt::format("custom call {}: operand 1 has too many reflectors' scalars; got {}; wanted at most {}, for operand "
                  "0 has {} rows and {} columns",
                  quote(frame.target), reflectors, std::min(rows, columns), rows, columns));
}

/// Returns how many reflectors, stored below the diagonal, precede the first one with NaN or infinities.
template <typename T>
int count_finite_reflectors(const T* a, int rows, const T* taus, int count) {
  for (int64_t k = 0; k < count; ++k) {
    if (!all_finite(taus + k, 1) || !all_finite(a + k * rows + k + 1, rows - k - 1)) return static_cast<int>(k);
  }
  return count;
}

/// Later columns of a product of reflectors depend on one with NaN or infinities. OpenBLAS loses some NaN of f32.
template <typename T>
void mark_columns_from(const Batch<T>& product, int64_t i, int first) {
  std::fill_n(product.item(i) + int64_t{first} * product.rows, int64_t{product.columns - first} * product.rows,
              not_a_number<T>());
}

/// The results of an LU factorization.
template <typename T>
struct Factors {
  Batch<T> lu;
  Batch<int> pivots, info;

  void mark(int64_t i, const std::vector<int>& bad) const {
    mark_bad_columns<T>(bad, lu.item(i), lu.rows, lu.columns, nullptr);
    if (!bad.empty() && *info.item(i) > bad[0]) *info.item(i) = 0;  // a pivot of zero that was replaced by NaN
  }
};

/// Factors matrices [begin, end), one per lane.
template <typename T>
void factor_in_lanes(Isa isa, const Factors<T>& f, int64_t begin, int64_t end) {
  constexpr int64_t kAtOnce = 64;  // fits in the L1 cache
  for (int64_t first = begin; first < end; first += kAtOnce) {
    const int64_t count = std::min(kAtOnce, end - first);
    std::vector<std::vector<int>> bad;
    if (!all_finite(f.lu.item(first), count * f.lu.size())) {
      for (int64_t i = first; i < first + count; ++i)
        bad.push_back(clear_bad_columns(f.lu.item(i), f.lu.rows, f.lu.columns));
    }
    factor_small_lu(isa, f.lu.rows, f.lu.columns, count, f.lu.item(first), f.pivots.item(first), f.info.item(first));
    for (size_t k = 0; k < bad.size(); ++k) f.mark(first + static_cast<int64_t>(k), bad[k]);
  }
}

/// Factors matrices [begin, end), one after the other.
template <typename T>
void factor_one_by_one(Isa isa, GetrfRoutine<T>* call, const Factors<T>& f, int64_t begin, int64_t end) {
  const auto& [lu, pivots, info] = f;
  const int leading = lu.leading();
  for (int64_t i = begin; i < end; ++i) {
    const std::vector<int> bad = clear_bad_columns(lu.item(i), lu.rows, lu.columns);
    if constexpr (kComplex<T>) call(&lu.rows, &lu.columns, lu.item(i), &leading, pivots.item(i), info.item(i));
    else *info.item(i) = factor_lu(isa, call, lu.rows, lu.columns, lu.item(i), leading, pivots.item(i));
    f.mark(i, bad);
  }
}

}  // namespace

template <typename T>
Status getrf(const CustomCallFrame& frame) {
  static auto* const call = routine<T, GetrfRoutine<T>>("getrf");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> lu, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<int> pivots, batch_of<int>(result(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 2), 0));
  HILO_RETURN_IF_ERROR(check_fits(frame, x.rows == lu.rows && x.columns == lu.columns && lu.count == x.count &&
                                             pivots.count == x.count && pivots.rows == std::min(x.rows, x.columns) &&
                                             info.count == x.count));
  HILO_ASSIGN_OR_RETURN(const Isa isa, selected_isa());
  copy_unless_same(x, lu);
  const Factors<T> factors{lu, pivots, info};
  for_batch(x.count, cube(x.rows, x.columns), [&](int64_t begin, int64_t end) {
    if constexpr (!kComplex<T>) {
      if (uses_lanes_for_lu<T>(isa, x.rows, x.columns, x.count)) return factor_in_lanes(isa, factors, begin, end);
    }
    factor_one_by_one(isa, call, factors, begin, end);
  });
  return ok_status();
}

template <typename T>
Status potrf(const CustomCallFrame& frame) {
  static auto* const call = routine<T, PotrfRoutine<T>>("potrf");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 1), 0));
  HILO_ASSIGN_OR_RETURN(const char uplo, letter(frame, "uplo", "LU"));
  HILO_ASSIGN_OR_RETURN(const Isa isa, selected_isa());
  HILO_RETURN_IF_ERROR(check_fits(frame, x.rows == x.columns && out.rows == x.rows && out.columns == x.rows &&
                                             out.count == x.count && info.count == x.count));
  copy_unless_same(x, out);
  for_batch(x.count, cube(x.rows, x.rows), [&](int64_t begin, int64_t end) {
    if constexpr (!kComplex<T>) {
      const bool is_upper = uplo == 'U';  // the lower triangle of rows
      if (uses_lanes_for_cholesky<T>(isa, x.rows, x.count))
        return factor_small_cholesky(isa, x.rows, is_upper, end - begin, out.item(begin), info.item(begin));
    }
    for (int64_t i = begin; i < end; ++i) *info.item(i) = factor_cholesky(isa, call, uplo, out.rows, out.item(i));
  });
  return ok_status();
}

template <typename T>
Status trsm(const CustomCallFrame& frame) {
  static auto* const call = routine<T, void(const char*, const char*, const char*, const char*, const int*, const int*,
                                            const T*, const T*, const int*, T*, const int*)>("trsm");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> a, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> b, batch_of<T>(operand(frame, 1), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const char side, letter(frame, "side", "LR"));
  HILO_ASSIGN_OR_RETURN(const char uplo, letter(frame, "uplo", "LU"));
  HILO_ASSIGN_OR_RETURN(const char transposed, letter(frame, "trans_x", "NTC"));
  HILO_ASSIGN_OR_RETURN(const char diagonal, letter(frame, "diag", "NU"));
  HILO_RETURN_IF_ERROR(check_fits(frame, a.rows == a.columns && a.rows == (side == 'L' ? b.rows : b.columns) &&
                                             b.rows == x.rows && b.columns == x.columns && a.count == b.count &&
                                             x.count == b.count));
  copy_unless_same(b, x);
  HILO_ASSIGN_OR_RETURN([[maybe_unused]] const Isa isa, selected_isa());
  [[maybe_unused]] const T one = 1;
  const int a_leading = a.leading(), x_leading = x.leading();
  [[maybe_unused]] const auto problem = [&](int64_t i) {
    return TriangularProblem<T>{side,      uplo,      transposed, diagonal,  x.rows,
                                x.columns, a.item(i), a_leading,  x.item(i), x_leading};
  };
  for_batch(x.count, static_cast<double>(x.size()) * a.rows, [&](int64_t begin, int64_t end) {
    if constexpr (!kComplex<T>) {
      if (uses_lanes_for_solve(isa, problem(begin), x.count)) return solve_small(isa, problem(begin), end - begin);
    }
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (kComplex<T>) {
        call(&side, &uplo, &transposed, &diagonal, &x.rows, &x.columns, &one, a.item(i), &a_leading, x.item(i),
             &x_leading);
      } else {
        solve_triangular(isa, problem(i));
      }
    }
  });
  return ok_status();
}

/// Factors matrices [begin, end), one per lane, and by factor_one(i) those that lanes leave.
template <typename T, typename FactorOne>
void factor_qr_in_lanes(Isa isa, const Batch<T>& x, const Batch<T>& tau, int64_t begin, int64_t end,
                        const FactorOne& factor_one) {
  constexpr int64_t kAtOnce = 64;
  bool is_left[kAtOnce];
  for (int64_t first = begin; first < end; first += kAtOnce) {
    const int64_t count = std::min(kAtOnce, end - first);
    factor_small_qr(isa, x.rows, x.columns, count, x.item(first), tau.item(first), is_left);
    for (int64_t k = 0; k < count; ++k) {
      if (is_left[k]) factor_one(first + k);
    }
  }
}

/// Multiplies the reflectors of matrices [begin, end), one per lane.
template <typename T>
void multiply_reflections_in_lanes(Isa isa, const Batch<T>& x, const Batch<T>& tau, int64_t begin, int64_t end) {
  std::vector<int> finite;
  for (int64_t i = begin; i < end; ++i)
    finite.push_back(count_finite_reflectors(x.item(i), x.rows, tau.item(i), tau.rows));
  multiply_small_reflections(isa, x.rows, x.columns, tau.rows, end - begin, x.item(begin), tau.item(begin));
  for (int64_t i = begin; i < end; ++i) {
    if (finite[i - begin] < tau.rows) mark_columns_from(x, i, finite[i - begin]);
  }
}

template <typename T>
Status geqrf(const CustomCallFrame& frame) {
  static auto* const call = routine<T, void(const int*, const int*, T*, const int*, T*, T*, const int*, int*)>("geqrf");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> tau, batch_of<T>(result(frame, 1), 1));
  HILO_RETURN_IF_ERROR(check_fits(frame, x.rows == out.rows && x.columns == out.columns && out.count == x.count &&
                                             tau.count == x.count && tau.rows == std::min(x.rows, x.columns)));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  copy_unless_same(x, out);
  const int leading = x.leading(), query = -1;
  T needed{};
  int info = 0;
  call(&out.rows, &out.columns, out.data, &leading, tau.data, &needed, &query, &info);
  const int size = work_size(needed);
  HILO_ASSIGN_OR_RETURN([[maybe_unused]] const Isa isa, selected_isa());
  for_batch(x.count, cube(x.rows, x.columns), [&](int64_t begin, int64_t end) {
    std::vector<T> work(size);
    const auto factor_one = [&](int64_t i) {
      int ignored = 0;
      const std::vector<int> bad = clear_bad_columns(out.item(i), out.rows, out.columns);
      call(&out.rows, &out.columns, out.item(i), &leading, tau.item(i), work.data(), &size, &ignored);
      mark_bad_columns(bad, out.item(i), out.rows, out.columns, tau.item(i));
    };
    if constexpr (!kComplex<T>) {
      if (uses_lanes_for_qr(x.rows, x.columns)) return factor_qr_in_lanes(isa, out, tau, begin, end, factor_one);
    }
    for (int64_t i = begin; i < end; ++i) factor_one(i);
  });
  return ok_status();
}

template <typename T>
Status geqp3(const CustomCallFrame& frame) {
  using RealCall = void(const int*, const int*, T*, const int*, int*, T*, T*, const int*, int*);
  using ComplexCall = void(const int*, const int*, T*, const int*, int*, T*, T*, const int*, Real<T>*, int*);
  static auto* const call = routine<T, std::conditional_t<kComplex<T>, ComplexCall, RealCall>>("geqp3");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<int> pivots_in, batch_of<int>(operand(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<int> pivots, batch_of<int>(result(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<T> tau, batch_of<T>(result(frame, 2), 1));
  HILO_RETURN_IF_ERROR(check_fits(frame, x.rows == out.rows && x.columns == out.columns && out.count == x.count &&
                                             pivots_in.rows == x.columns && pivots.rows == x.columns &&
                                             pivots.count == x.count && pivots_in.count == x.count &&
                                             tau.count == x.count && tau.rows == std::min(x.rows, x.columns)));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  copy_unless_same(x, out);
  copy_unless_same(pivots_in, pivots);
  const int leading = x.leading();
  std::vector<Real<T>> real_work(kComplex<T> ? static_cast<size_t>(2 * x.columns) : 0);
  const auto run = [&](int64_t i, T* work, int size) {
    int info = 0;
    if constexpr (kComplex<T>) {
      call(&out.rows, &out.columns, out.item(i), &leading, pivots.item(i), tau.item(i), work, &size, real_work.data(),
           &info);
    } else {
      call(&out.rows, &out.columns, out.item(i), &leading, pivots.item(i), tau.item(i), work, &size, &info);
    }
  };
  T needed{};
  run(0, &needed, -1);
  std::vector<T> work(work_size(needed));
  for (int64_t i = 0; i < x.count; ++i) {
    const std::vector<int> bad = clear_bad_columns(out.item(i), out.rows, out.columns);
    run(i, work.data(), static_cast<int>(work.size()));
    if (bad.empty()) continue;
    // The first pivot is the column of the greatest norm, so every element depends on all columns. The pivots remain an
    // order of the columns.
    std::fill_n(out.item(i), out.size(), not_a_number<T>());
    std::fill_n(tau.item(i), tau.size(), not_a_number<T>());
  }
  return ok_status();
}

template <typename T>
Status orgqr(const CustomCallFrame& frame) {
  static auto* const call =
      routine<T, void(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*)>("orgqr",
                                                                                                           "ungqr");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> tau, batch_of<T>(operand(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_RETURN_IF_ERROR(check_fits(frame, x.rows == out.rows && x.columns == out.columns && out.count == x.count &&
                                             x.columns <= x.rows && tau.count == x.count));
  HILO_RETURN_IF_ERROR(check_reflectors(frame, tau.rows, x.rows, x.columns));
  HILO_RETURN_IF_ERROR(check_workspace(frame, x));
  copy_unless_same(x, out);
  const int leading = x.leading(), query = -1;
  T needed{};
  int info = 0;
  call(&out.rows, &out.columns, &tau.rows, out.data, &leading, tau.data, &needed, &query, &info);
  const int size = work_size(needed);
  HILO_ASSIGN_OR_RETURN([[maybe_unused]] const Isa isa, selected_isa());
  for_batch(x.count, cube(x.rows, x.columns), [&](int64_t begin, int64_t end) {
    if constexpr (!kComplex<T>) {
      if (uses_lanes_for_qr(x.rows, x.columns)) return multiply_reflections_in_lanes(isa, out, tau, begin, end);
    }
    std::vector<T> work(size);
    int ignored = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int finite = count_finite_reflectors(out.item(i), out.rows, tau.item(i), tau.rows);
      call(&out.rows, &out.columns, &finite, out.item(i), &leading, tau.item(i), work.data(), &size, &ignored);
      if (finite < tau.rows) mark_columns_from(out, i, finite);
    }
  });
  return ok_status();
}

template <typename T>
Status ormqr(const CustomCallFrame& frame) {
  static auto* const call =
      routine<T, void(const char*, const char*, const int*, const int*, const int*, const T*, const int*, const T*, T*,
                      const int*, T*, const int*, int*)>("ormqr", "unmqr");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> tau, batch_of<T>(operand(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<T> c, batch_of<T>(operand(frame, 2), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const char side, letter_or_flag(frame, "side", "left", "LR"));
  HILO_ASSIGN_OR_RETURN(const char transposed, letter_or_flag(frame, "trans", "transpose", kComplex<T> ? "CN" : "TN"));
  HILO_RETURN_IF_ERROR(check_fits(frame, c.rows == out.rows && c.columns == out.columns && out.count == c.count &&
                                             x.count == c.count && tau.count == c.count &&
                                             x.rows == (side == 'L' ? c.rows : c.columns)));
  HILO_RETURN_IF_ERROR(check_reflectors(frame, tau.rows, x.rows, x.columns));
  HILO_RETURN_IF_ERROR(check_workspace(frame, c));
  copy_unless_same(c, out);
  const int x_leading = x.leading(), leading = out.leading();
  const auto run = [&](int64_t i, T* work, int size) {
    int info = 0;
    call(&side, &transposed, &out.rows, &out.columns, &tau.rows, x.item(i), &x_leading, tau.item(i), out.item(i),
         &leading, work, &size, &info);
  };
  T needed{};
  run(0, &needed, -1);
  const int size = work_size(needed);
  for_batch(c.count, static_cast<double>(c.size()) * tau.rows, [&](int64_t begin, int64_t end) {
    std::vector<T> work(size);
    for (int64_t i = begin; i < end; ++i) run(i, work.data(), size);
  });
  return ok_status();
}

template <typename T>
Status gtsv(const CustomCallFrame& frame) {
  static auto* const call = routine<T, void(const int*, const int*, T*, T*, T*, T*, const int*, int*)>("gtsv");
  HILO_RETURN_IF_ERROR(check_routine(reinterpret_cast<void*>(call), frame.target));
  Batch<T> in[4], out[4];
  for (size_t k = 0; k < 4; ++k) {
    HILO_ASSIGN_OR_RETURN(in[k], batch_of<T>(operand(frame, k), k < 3 ? 1 : 2));
    HILO_ASSIGN_OR_RETURN(out[k], batch_of<T>(result(frame, k), k < 3 ? 1 : 2));
    HILO_RETURN_IF_ERROR(check_fits(frame, in[k].rows == out[k].rows && in[k].columns == out[k].columns &&
                                               in[k].count == in[0].count && out[k].count == in[0].count &&
                                               in[k].rows == in[0].rows));
  }
  HILO_ASSIGN_OR_RETURN(const Batch<int> info, batch_of<int>(result(frame, 4), 0));
  HILO_RETURN_IF_ERROR(check_fits(frame, info.count == in[0].count));
  for (size_t k = 0; k < 4; ++k) copy_unless_same(in[k], out[k]);
  const int leading = out[3].leading();
  for (int64_t i = 0; i < in[0].count; ++i) {
    // JAX's diagonals are all as long as the matrix. The first element of the lower one doesn't exist in LAPACK.
    call(&out[3].rows, &out[3].columns, out[0].item(i) + (out[0].rows > 0 ? 1 : 0), out[1].item(i), out[2].item(i),
         out[3].item(i), &leading, info.item(i));
  }
  return ok_status();
}

Status pivots_to_permutation(const CustomCallFrame& frame) {
  HILO_ASSIGN_OR_RETURN(const Batch<int> pivots, batch_of<int>(operand(frame, 0), 1));
  HILO_ASSIGN_OR_RETURN(const Batch<int> order, batch_of<int>(result(frame, 0), 1));
  HILO_RETURN_IF_ERROR(check_fits(frame, pivots.count == order.count && pivots.rows <= order.rows));
  for (int64_t i = 0; i < order.count; ++i) {
    int* const p = order.item(i);
    for (int k = 0; k < order.rows; ++k) p[k] = k;
    for (int k = 0; k < pivots.rows; ++k) {
      const int other = pivots.item(i)[k];
      if (other >= 0 && other < order.rows) std::swap(p[k], p[other]);
    }
  }
  return ok_status();
}

#define HILO_FACTOR_HANDLERS(T)                     \
  template Status getrf<T>(const CustomCallFrame&); \
  template Status potrf<T>(const CustomCallFrame&); \
  template Status trsm<T>(const CustomCallFrame&);  \
  template Status geqrf<T>(const CustomCallFrame&); \
  template Status geqp3<T>(const CustomCallFrame&); \
  template Status orgqr<T>(const CustomCallFrame&); \
  template Status ormqr<T>(const CustomCallFrame&); \
  template Status gtsv<T>(const CustomCallFrame&);
HILO_FACTOR_HANDLERS(float)
HILO_FACTOR_HANDLERS(double)
HILO_FACTOR_HANDLERS(std::complex<float>)
HILO_FACTOR_HANDLERS(std::complex<double>)

}  // namespace hilo::cpu::lapack
