// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/factor.h"

#include <cstring>
#include <utility>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/linked_lapack.h"
#include "hilo/backend/cpu/runtime/matrix.h"

namespace hilo::cpu::runtime {
namespace {

/// Factors the upper triangle, row by row. Returns the row that fails, from 1, or 0.
template <typename T>
int factor_upper(const Matrix<T>& u) {
  using R = RealOf<T>;
  for (int64_t k = 0; k < u.rows; ++k) {
    const R pivot = real(u(k, k));
    if (!(pivot > 0)) return static_cast<int>(k + 1);
    const R root = std::sqrt(pivot), inverse = 1 / root;
    u(k, k) = T(root);
    for (int64_t j = k + 1; j < u.columns; ++j) u(k, j) = inverse * u(k, j);
    for (int64_t i = k + 1; i < u.rows; ++i)
      subtract_row(u.row(i) + i, conjugate(u(k, i)), u.row(k) + i, u.columns - i);
  }
  return 0;
}

/// factor_upper, by LAPACK if it is linked. It sees the transpose: the lower triangle of the conjugate matrix.
template <typename T>
int factor(const Matrix<T>& u) {
  const auto potrf = linked_lapack<T>().potrf;
  if (potrf == nullptr || !fits_linked(u.data, u.rows, u.columns)) return factor_upper(u);
  const int n = static_cast<int>(u.rows);
  int info = 0;
  potrf("L", &n, u.data, &n, &info);
  return info;
}

template <typename T>
void cholesky(const Call& call, const CholeskyProblem& p, int64_t item) {
  const int64_t n = p.n;
  const Matrix<const T> x = dense(operand<T>(call, 0) + item * n * n, n, n);
  const Matrix<T> to = dense(result<T>(call, 1) + item * n * n, n, n);
  const Matrix<T> u = dense(Scratch(call).take<T>(static_cast<size_t>(n * n)).data(), n, n);
  for (int64_t i = 0; i < n; ++i) {
    std::fill_n(u.row(i), i, T());
    for (int64_t j = i; j < n; ++j) u(i, j) = p.lower ? conjugate(x(j, i)) : x(i, j);
  }
  const int info = factor(u);
  const bool is_nan = info != 0 && !p.has_info;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const bool inside = p.lower ? j <= i : j >= i;
      if (is_nan) to(i, j) = not_a_number<T>();
      else if (inside) to(i, j) = p.lower ? conjugate(u(j, i)) : u(i, j);
      else to(i, j) = p.has_info ? x(i, j) : T();
    }
  }
  if (p.has_info) result<int32_t>(call, 2)[item] = info;
}

/// The columns of a matrix, which LAPACK wants, and memory for its blocks.
template <typename T>
struct ByColumns {
  T *columns, *work;
  int rows, count, work_size;

  /// Returns null columns unless LAPACK has the routine and may have the matrix.
  ByColumns(const Call& call, const Matrix<T>& a, bool is_linked) : columns(nullptr), work(nullptr) {
    if (!is_linked || !fits_linked(a.data, a.rows, a.columns)) return;
    rows = static_cast<int>(a.rows);
    count = static_cast<int>(a.columns);
    work_size = std::max(rows, count) * static_cast<int>(kLinkedBlock);
    Scratch scratch(call);
    columns = scratch.take<T>(static_cast<size_t>(a.rows * a.columns)).data();
    work = scratch.take<T>(static_cast<size_t>(work_size)).data();
    copy_transposed(a, columns);
  }
  void copy_to(const Matrix<T>& a) const { copy_transposed(dense(columns, a.columns, a.rows), a.data); }
  static size_t bytes(int64_t rows, int64_t columns) {
    if (!may_be_linked(rows, columns)) return 0;
    return bytes_of<T>(rows * columns) + bytes_of<T>(std::max(rows, columns) * kLinkedBlock);
  }
};

template <typename T>
void lu(const Call& call, const LuProblem& p, int64_t item) {
  const int64_t size = p.rows * p.columns, least = std::min(p.rows, p.columns);
  const Matrix<T> a = dense(result<T>(call, 1) + item * size, p.rows, p.columns);
  if (call.buffers[0] != call.buffers[1] && size > 0)
    std::memcpy(a.data, operand<T>(call, 0) + item * size, static_cast<size_t>(size) * sizeof(T));
  int32_t* const pivots = result<int32_t>(call, 2) + item * least;
  int32_t& info = result<int32_t>(call, 3)[item];
  info = 0;
  const auto getrf = linked_lapack<T>().getrf;
  if (const ByColumns<T> linked(call, a, getrf != nullptr); linked.columns != nullptr) {
    getrf(&linked.rows, &linked.count, linked.columns, &linked.rows, pivots, &info);
    return linked.copy_to(a);
  }
  for (int64_t k = 0; k < least; ++k) {
    int64_t pivot = k;
    RealOf<T> largest = -1;
    for (int64_t i = k; i < p.rows; ++i) {
      const RealOf<T> size_of = std::abs(real(a(i, k))) + std::abs(imaginary(a(i, k)));
      if (!(size_of <= largest)) {  // a NaN is selected, and is in all that follows
        largest = size_of;
        pivot = i;
      }
      if (size_of != size_of) break;
    }
    pivots[k] = static_cast<int32_t>(pivot + 1);
    if (pivot != k) std::swap_ranges(a.row(k), a.row(k) + p.columns, a.row(pivot));
    if (largest == 0) {
      if (info == 0) info = static_cast<int32_t>(k + 1);
      continue;
    }
    for (int64_t i = k + 1; i < p.rows; ++i) {
      a(i, k) = a(i, k) / a(k, k);
      subtract_row(a.row(i) + k + 1, a(i, k), a.row(k) + k + 1, p.columns - k - 1);
    }
  }
}

template <typename T>
void qr(const Call& call, const QrProblem& p, int64_t item) {
  const int64_t size = p.rows * p.columns, least = std::min(p.rows, p.columns);
  const Matrix<T> a = dense(result<T>(call, 1) + item * size, p.rows, p.columns);
  if (call.buffers[0] != call.buffers[1] && size > 0)
    std::memcpy(a.data, operand<T>(call, 0) + item * size, static_cast<size_t>(size) * sizeof(T));
  T* const factors = result<T>(call, 2) + item * least;
  const auto geqrf = linked_lapack<T>().geqrf;
  if (const ByColumns<T> linked(call, a, geqrf != nullptr); linked.columns != nullptr) {
    int info = 0;
    geqrf(&linked.rows, &linked.count, linked.columns, &linked.rows, factors, linked.work, &linked.work_size, &info);
    return linked.copy_to(a);
  }
  Scratch scratch(call);
  T* const v = scratch.take<T>(static_cast<size_t>(p.rows)).data();
  T* const sums = scratch.take<T>(static_cast<size_t>(p.columns)).data();
  for (int64_t k = 0; k < least; ++k) {
    copy_column(a, k, k, v);
    const Reflection<T> r = reflection_of(v, p.rows - k);
    factors[k] = r.factor;
    reflect(a.from(k, k + 1), conjugate(r.factor), v, sums);
    a(k, k) = T(r.beta);
    for (int64_t i = k + 1; i < p.rows; ++i) a(i, k) = v[i - k];
  }
}

template <typename T>
void reflections(const Call& call, const ReflectionsProblem& p, int64_t item) {
  const int64_t size = p.rows * p.columns;
  const T* const factors = operand<T>(call, 1) + item * p.count;
  const Matrix<T> to = dense(result<T>(call, 2) + item * size, p.rows, p.columns);
  const auto orgqr = linked_lapack<T>().orgqr;
  const bool is_linked = orgqr != nullptr && p.rows >= p.columns && p.count >= kLinkedMin;
  if (is_linked && call.buffers[0] != call.buffers[2])
    std::memcpy(to.data, operand<T>(call, 0) + item * size, static_cast<size_t>(size) * sizeof(T));
  if (const ByColumns<T> linked(call, to, is_linked); linked.columns != nullptr) {
    const int count = static_cast<int>(p.count);
    int info = 0;
    orgqr(&linked.rows, &linked.count, &count, linked.columns, &linked.rows, factors, linked.work, &linked.work_size,
          &info);
    return linked.copy_to(to);
  }
  Scratch scratch(call);
  const Matrix<T> known = dense(scratch.take<T>(static_cast<size_t>(size)).data(), p.rows, p.columns);
  T* const v = scratch.take<T>(static_cast<size_t>(p.rows)).data();
  T* const sums = scratch.take<T>(static_cast<size_t>(p.columns)).data();
  if (size > 0) std::memcpy(known.data, operand<T>(call, 0) + item * size, static_cast<size_t>(size) * sizeof(T));
  const Matrix<T>& q = to;
  std::fill_n(q.data, size, T());
  for (int64_t k = 0; k < std::min(p.rows, p.columns); ++k) q(k, k) = T(1);
  for (int64_t k = p.count; k-- > 0;) {
    copy_column(known, k, k, v);
    v[0] = T(1);
    reflect(q.from(k, k), factors[k], v, sums);
  }
}

template <typename T>
void apply_reflections(const Call& call, const ApplyReflectionsProblem& p, int64_t item) {
  const int64_t size = p.rows * p.columns;
  const Matrix<const T> known{operand<T>(call, 0) + item * p.order() * p.stride, p.order(), p.stride, p.stride};
  const T* const factors = operand<T>(call, 1) + item * p.count;
  const Matrix<T> c = dense(result<T>(call, 3) + item * size, p.rows, p.columns);
  if (call.buffers[2] != call.buffers[3] && size > 0)
    std::memcpy(c.data, operand<T>(call, 2) + item * size, static_cast<size_t>(size) * sizeof(T));
  Scratch scratch(call);
  T* const v = scratch.take<T>(static_cast<size_t>(p.order())).data();
  T* const sums = scratch.take<T>(static_cast<size_t>(p.columns)).data();
  // q = H0 H1 ...; q c applies the last one first.
  const bool from_the_first = p.left == p.adjoint;
  for (int64_t step = 0; step < p.count; ++step) {
    const int64_t k = from_the_first ? step : p.count - 1 - step;
    v[0] = T(1);
    for (int64_t i = k + 1; i < p.order(); ++i) v[i - k] = known(i, k);
    const T factor = p.adjoint ? conjugate(factors[k]) : factors[k];
    if (p.left) reflect(c.from(k, 0), factor, v, sums);
    else reflect_columns(c.from(0, k), factor, v);
  }
}

}  // namespace

size_t CholeskyProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return bytes_of<T>(n * n); });
}
size_t LuProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return ByColumns<T>::bytes(rows, columns); });
}
size_t QrProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() {
    return std::max(bytes_of<T>(rows) + bytes_of<T>(columns), ByColumns<T>::bytes(rows, columns));
  });
}
size_t ReflectionsProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() {
    return std::max(bytes_of<T>(rows * columns) + bytes_of<T>(rows) + bytes_of<T>(columns),
                    ByColumns<T>::bytes(rows, columns));
  });
}
size_t ApplyReflectionsProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return bytes_of<T>(order()) + bytes_of<T>(columns); });
}

void hilo_rt_cholesky(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<CholeskyProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { cholesky<T>(*call, p, item); });
}
void hilo_rt_lu(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<LuProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { lu<T>(*call, p, item); });
}
void hilo_rt_qr(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<QrProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { qr<T>(*call, p, item); });
}
void hilo_rt_reflections(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<ReflectionsProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { reflections<T>(*call, p, item); });
}
void hilo_rt_apply_reflections(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<ApplyReflectionsProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { apply_reflections<T>(*call, p, item); });
}

void hilo_rt_permutation(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<PermutationProblem>(*call);
  for (int64_t item = begin; item < end; ++item) {
    const int32_t* const pivots = operand<int32_t>(*call, 0) + item * p.pivots;
    int32_t* const order = result<int32_t>(*call, 1) + item * p.rows;
    for (int64_t k = 0; k < p.rows; ++k) order[k] = static_cast<int32_t>(k);
    for (int64_t k = 0; k < p.pivots; ++k) {
      if (pivots[k] >= 0 && pivots[k] < p.rows) std::swap(order[k], order[pivots[k]]);
    }
  }
}

}  // namespace hilo::cpu::runtime
