// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/singular_values.cc -- Jacobi's method from one side: rotates pairs of columns until all are
// orthogonal. Their norms are the singular values.
#include <bit>
#include <cstring>
#include <utility>

#include "hilo/backend/cpu/runtime/eigen.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/linked_lapack.h"
#include "hilo/backend/cpu/runtime/matrix.h"

namespace hilo::cpu::runtime {
namespace {

constexpr int kMaxSweeps = 60;  // six to ten are usual

/// The memory of a decomposition. A matrix that is wider than high is decomposed as its adjoint.
template <typename T>
struct SvdMemory {
  using R = RealOf<T>;

  Matrix<T> left;   ///< columns of the matrix, one per row; then those of u
  Matrix<T> right;  ///< columns of v, one per row
  R least = 0;      ///< columns of at most this norm are rounding errors: their directions are meaningless
  R* values;
  int64_t* order;

  SvdMemory(const Call& call, const SvdProblem& p) {
    const int64_t longer = std::max(p.rows, p.columns), shorter = std::min(p.rows, p.columns);
    Scratch scratch(call);
    const auto take = [&](int64_t rows, int64_t columns) {
      return dense(scratch.take<T>(static_cast<size_t>(rows * columns)).data(), rows, columns);
    };
    left = take(left_rows(p), longer);
    right = take(shorter, shorter);
    values = scratch.take<R>(static_cast<size_t>(shorter)).data();
    order = scratch.take<int64_t>(static_cast<size_t>(shorter)).data();
  }
  static int64_t left_rows(const SvdProblem& p) {
    return p.is_full ? std::max(p.rows, p.columns) : std::min(p.rows, p.columns);
  }
  static size_t bytes(const SvdProblem& p) {
    const int64_t longer = std::max(p.rows, p.columns), shorter = std::min(p.rows, p.columns);
    return bytes_of<T>(left_rows(p) * longer) + bytes_of<T>(shorter * shorter) + bytes_of<R>(shorter) +
           bytes_of<int64_t>(shorter);
  }
};

/// Returns x^H y.
template <typename T>
T inner_product(const T* x, const T* y, int64_t count) {
  T sum{};
  for (int64_t i = 0; i < count; ++i) sum += conjugate(x[i]) * y[i];
  return sum;
}
template <typename T>
RealOf<T> sum_of_squares(const T* x, int64_t count) {
  RealOf<T> sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += squared(x[i]);
  return sum;
}

/// A rotation of two columns, the second of which is multiplied by `phase` first.
template <typename T>
struct Rotation {
  RealOf<T> cosine, sine;
  T phase;

  void apply(T* x, T* y, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      const T a = x[i], b = phase * y[i];
      x[i] = cosine * a - sine * b;
      y[i] = sine * a + cosine * b;
    }
  }
};

/// Makes two columns orthogonal. Returns whether they weren't.
template <typename T>
bool make_orthogonal(const SvdMemory<T>& m, int64_t i, int64_t j, RealOf<T> tolerance) {
  using R = RealOf<T>;
  const int64_t count = m.left.columns;
  T *const x = m.left.row(i), *const y = m.left.row(j);
  const R a = sum_of_squares(x, count), b = sum_of_squares(y, count);
  const T product = inner_product(x, y, count);
  const R size = magnitude(product);
  if (std::min(a, b) <= m.least * m.least || size <= tolerance * std::sqrt(a) * std::sqrt(b)) return false;
  const R ratio = (b - a) / (2 * size);
  const R tangent = std::copysign(1 / (std::abs(ratio) + std::hypot(R(1), ratio)), ratio);
  const R cosine = 1 / std::hypot(R(1), tangent);
  const Rotation<T> rotation{cosine, cosine * tangent, (1 / size) * conjugate(product)};
  rotation.apply(x, y, count);
  rotation.apply(m.right.row(i), m.right.row(j), m.right.columns);
  return true;
}

/// Returns whether all columns became orthogonal.
template <typename T>
bool make_all_orthogonal(const SvdMemory<T>& m, const Stop& stop) {
  using R = RealOf<T>;
  const int64_t count = m.right.rows;
  const R tolerance = std::numeric_limits<R>::epsilon() * std::sqrt(static_cast<R>(m.left.columns));
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i < count && !stop.raised(); ++i) {
      for (int64_t j = i + 1; j < count; ++j) rotated |= make_orthogonal(m, i, j, tolerance);
    }
    if (!rotated) return true;
  }
  return false;
}

/// Makes row `k` of u a unit vector that is orthogonal to the `known` rows and to those after the shorter side.
template <typename T>
void complete_row(const SvdMemory<T>& m, std::span<const int64_t> known, int64_t k, int64_t& next_axis) {
  const int64_t count = m.left.columns;
  T* const row = m.left.row(k);
  for (; next_axis < count; ++next_axis) {
    std::fill_n(row, count, T());
    row[next_axis] = T(1);
    for (int pass = 0; pass < 2; ++pass) {  // the second removes the rounding errors of the first
      const auto subtract = [&](int64_t other) {
        subtract_row(row, inner_product(m.left.row(other), row, count), m.left.row(other), count);
      };
      for (const int64_t other : known) subtract(other);
      for (int64_t other = m.right.rows; other < k; ++other) subtract(other);
    }
    const RealOf<T> size = norm(row, count);
    if (size * size * 2 * static_cast<RealOf<T>>(count) < 1) continue;  // some axis has at least that part
    for (int64_t i = 0; i < count; ++i) row[i] = (1 / size) * row[i];
    ++next_axis;
    return;
  }
}

/// Divides the columns by their norms, and adds the missing ones. `order` lists columns by descending norm.
template <typename T>
void make_unit(const SvdMemory<T>& m) {
  const int64_t shorter = m.right.rows;
  int64_t next_axis = 0, known = 0;
  while (known < shorter && m.values[m.order[known]] > m.least) {
    const int64_t row = m.order[known++];
    for (int64_t i = 0; i < m.left.columns; ++i) m.left(row, i) = (1 / m.values[row]) * m.left(row, i);
  }
  for (int64_t k = known; k < shorter; ++k) complete_row(m, {m.order, static_cast<size_t>(k)}, m.order[k], next_axis);
  for (int64_t k = shorter; k < m.left.rows; ++k)
    complete_row(m, {m.order, static_cast<size_t>(shorter)}, k, next_axis);
}

template <typename T>
struct SvdResults {
  RealOf<T>* values;
  T *u, *v;
};

/// Row `k` of the sorted columns of u, or of v.
template <typename T>
void write_vectors(const SvdProblem& p, const SvdMemory<T>& m, const SvdResults<T>& to) {
  const bool is_wide = p.rows < p.columns;
  const Matrix<T>& of_u = is_wide ? m.right : m.left;
  const Matrix<T>& of_v = is_wide ? m.left : m.right;
  const auto sorted = [&](int64_t k) { return k < m.right.rows ? m.order[k] : k; };
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t k = 0; k < of_u.rows; ++k) to.u[i * of_u.rows + k] = of_u(sorted(k), i);
  }
  for (int64_t k = 0; k < of_v.rows; ++k) {
    for (int64_t j = 0; j < p.columns; ++j) to.v[k * p.columns + j] = conjugate(of_v(sorted(k), j));
  }
}

/// Returns the power of two that brings numbers of at most that size near 1: squares of rounding errors don't vanish.
template <typename R>
R scale_to_one(R largest) {
  using Bits = std::conditional_t<sizeof(R) == 4, uint32_t, uint64_t>;
  constexpr auto kExponent = std::bit_cast<Bits>(std::numeric_limits<R>::infinity());
  constexpr R kLeast = std::numeric_limits<R>::min();
  if (largest == 0) return 1;
  return 1 / std::clamp(std::bit_cast<R>(std::bit_cast<Bits>(largest) & kExponent), kLeast, 1 / kLeast);
}

template <typename T>
int32_t svd(const SvdProblem& p, SvdMemory<T> m, const T* x, const SvdResults<T>& to, const Stop& stop) {
  using R = RealOf<T>;
  const int64_t shorter = m.right.rows;
  const R largest = largest_part(x, p.rows * p.columns);
  if (!(largest <= std::numeric_limits<R>::max())) return kNotFinite;
  const R scale = scale_to_one(largest);
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t j = 0; j < p.columns; ++j) {
      const T value = scale * x[i * p.columns + j];
      if (p.rows < p.columns) m.left(i, j) = conjugate(value);
      else m.left(j, i) = value;
    }
  }
  for (int64_t k = 0; k < shorter; ++k) m.least = std::max(m.least, norm(m.left.row(k), m.left.columns));
  m.least *= std::numeric_limits<R>::epsilon();
  std::fill_n(m.right.data, shorter * shorter, T());
  for (int64_t k = 0; k < shorter; ++k) m.right(k, k) = T(1);
  if (!make_all_orthogonal(m, stop)) return kNotConverged;
  for (int64_t k = 0; k < shorter; ++k) {
    m.values[k] = norm(m.left.row(k), m.left.columns);
    m.order[k] = k;
  }
  std::sort(m.order, m.order + shorter,
            [&](int64_t i, int64_t j) { return m.values[i] > m.values[j] || (m.values[i] == m.values[j] && i < j); });
  for (int64_t k = 0; k < shorter; ++k) to.values[k] = m.values[m.order[k]] / scale;
  if (!p.has_vectors) return 0;
  make_unit(m);
  write_vectors(p, m, to);
  return 0;
}

/// The workspaces of LAPACK, and a copy of the matrix.
template <typename T>
struct SvdWork {
  T *copy, *work;
  RealOf<T>* reals;
  int* integers;

  SvdWork(Scratch scratch, const SvdProblem& p) {
    const auto take = [&]<typename E>(E*& to, int64_t count) {
      to = scratch.take<E>(static_cast<size_t>(count)).data();
    };
    take(copy, p.rows * p.columns);
    take(work, size(p));
    take(reals, size(p));
    take(integers, 8 * std::min(p.rows, p.columns));
  }
  static int64_t size(const SvdProblem& p) {
    const int64_t shorter = std::min(p.rows, p.columns), longer = std::max(p.rows, p.columns);
    return 5 * shorter * shorter + 2 * shorter * longer + (8 + kLinkedBlock) * longer;
  }
  static size_t bytes(const SvdProblem& p) {
    if (!may_be_linked(p.rows, p.columns)) return 0;
    return bytes_of<T>(p.rows * p.columns) + bytes_of<T>(size(p)) + bytes_of<RealOf<T>>(size(p)) +
           bytes_of<int>(8 * std::min(p.rows, p.columns));
  }
};

/// Computes by LAPACK. It sees the transpose, whose u and v^H are v^T and conj(u): in memory they are v^H and u.
template <typename T>
int32_t svd_linked(const SvdProblem& p, const SvdWork<T>& w, const T* x, const SvdResults<T>& to) {
  const int rows = static_cast<int>(p.columns), columns = static_cast<int>(p.rows), least = std::min(rows, columns);
  const int leading = p.is_full ? columns : least, size = static_cast<int>(SvdWork<T>::size(p));
  const char* const mode = !p.has_vectors ? "N" : p.is_full ? "A" : "S";
  std::memcpy(w.copy, x, static_cast<size_t>(p.rows * p.columns) * sizeof(T));
  const auto gesdd = linked_lapack<T>().gesdd;
  int info = 0;
  if constexpr (kIsComplex<T>)
    gesdd(mode, &rows, &columns, w.copy, &rows, to.values, to.v, &rows, to.u, &leading, w.work, &size, w.reals,
          w.integers, &info);
  else
    gesdd(mode, &rows, &columns, w.copy, &rows, to.values, to.v, &rows, to.u, &leading, w.work, &size, w.integers,
          &info);
  return info;
}

}  // namespace

size_t SvdProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return std::max(SvdMemory<T>::bytes(*this), SvdWork<T>::bytes(*this)); });
}

void hilo_rt_svd(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<SvdProblem>(*call);
  const int64_t size = p.rows * p.columns, shorter = std::min(p.rows, p.columns);
  const int64_t u_columns = p.is_full ? p.rows : shorter, v_rows = p.is_full ? p.columns : shorter;
  const int64_t u_size = p.has_vectors ? p.rows * u_columns : 0, v_size = p.has_vectors ? v_rows * p.columns : 0;
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) {
    const T* const x = operand<T>(*call, 0) + item * size;
    T* const out = result<T>(*call, 1) + item * size;
    const SvdResults<T> to{result<RealOf<T>>(*call, 2) + item * shorter, result<T>(*call, 3) + item * u_size,
                           result<T>(*call, 4) + item * v_size};
    const bool is_linked = linked_lapack<T>().gesdd != nullptr && fits_linked(x, p.rows, p.columns);
    result<int32_t>(*call, 5)[item] = is_linked ? svd_linked(p, SvdWork<T>(Scratch(*call), p), x, to)
                                                : svd(p, SvdMemory<T>(*call, p), x, to, stop_of(*call));
    if (out != x && size > 0) std::memcpy(out, x, static_cast<size_t>(size) * sizeof(T));
  });
}

}  // namespace hilo::cpu::runtime
