// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/eigen.cc -- Hermitian matrices: Householder's reduction to a tridiagonal matrix, then implicit QR
// steps with Wilkinson's shift.
#include "hilo/backend/cpu/runtime/eigen.h"

#include <cstring>
#include <utility>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/matrix.h"

namespace hilo::cpu::runtime {
namespace {

constexpr int kMaxSteps = 40;  // QR steps per eigenvalue; two or three are usual

/// The memory of a decomposition.
template <typename T>
struct EighMemory {
  using R = RealOf<T>;

  Matrix<T> a, rows;  ///< the matrix; eigenvectors, one per row
  T *v, *w, *factors;
  R *diagonal, *beside;
  int64_t* order;

  EighMemory(const Call& call, int64_t n) {
    Scratch scratch(call);
    const auto count = static_cast<size_t>(n);
    a = dense(scratch.take<T>(count * count).data(), n, n);
    rows = dense(scratch.take<T>(count * count).data(), n, n);
    v = scratch.take<T>(count).data();
    w = scratch.take<T>(count).data();
    factors = scratch.take<T>(count).data();
    diagonal = scratch.take<R>(count).data();
    beside = scratch.take<R>(count).data();
    order = scratch.take<int64_t>(count).data();
  }
  static size_t bytes(int64_t n) {
    return 2 * bytes_of<T>(n * n) + 3 * bytes_of<T>(n) + 2 * bytes_of<R>(n) + bytes_of<int64_t>(n);
  }
};

/// Computes b = h^H b h for the reflection h = I - factor v v^H: b - v w^H - w v^H.
template <typename T>
void reflect_both(const Matrix<T>& b, const T& factor, const T* v, T* w) {
  using R = RealOf<T>;
  T product{};
  for (int64_t i = 0; i < b.rows; ++i) {
    T sum{};
    for (int64_t j = 0; j < b.columns; ++j) sum += b(i, j) * v[j];
    w[i] = factor * sum;
    product += conjugate(w[i]) * v[i];
  }
  const T share = T(R(-0.5)) * factor * product;
  for (int64_t i = 0; i < b.rows; ++i) w[i] += share * v[i];
  for (int64_t i = 0; i < b.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) b(i, j) -= v[i] * conjugate(w[j]) + w[i] * conjugate(v[j]);
  }
}

/// Reduces the matrix to diagonals. Column k keeps reflection k below the diagonal.
template <typename T>
void make_tridiagonal(const EighMemory<T>& m) {
  const int64_t n = m.a.rows;
  for (int64_t k = 0; k + 1 < n; ++k) {
    copy_column(m.a, k + 1, k, m.v);
    const Reflection<T> r = reflection_of(m.v, n - k - 1);
    m.factors[k] = r.factor;
    m.beside[k] = r.beta;
    if (magnitude(r.factor) != 0) reflect_both(m.a.from(k + 1, k + 1), r.factor, m.v, m.w);
    for (int64_t i = k + 1; i < n; ++i) m.a(i, k) = m.v[i - k - 1];
  }
  for (int64_t k = 0; k < n; ++k) m.diagonal[k] = real(m.a(k, k));
}

/// Computes the transpose of the product of the reflections.
template <typename T>
void make_rows(const EighMemory<T>& m) {
  const int64_t n = m.a.rows;
  std::fill_n(m.rows.data, n * n, T());
  for (int64_t k = 0; k < n; ++k) m.rows(k, k) = T(1);
  for (int64_t k = n - 1; k-- > 0;) {
    copy_column(m.a, k + 1, k, m.v);
    reflect(m.rows.from(k + 1, k + 1), m.factors[k], m.v, m.w);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) std::swap(m.rows(i, j), m.rows(j, i));
  }
}

template <typename R, typename T>
void rotate(T* a, T* b, R cosine, R sine, int64_t count) {
  for (int64_t j = 0; j < count; ++j) {
    const T x = a[j], y = b[j];
    a[j] = cosine * x + sine * y;
    b[j] = cosine * y - sine * x;
  }
}

/// One QR step on rows [first, last] of the tridiagonal matrix.
template <typename T>
void qr_step(const EighMemory<T>& m, int64_t first, int64_t last, bool has_vectors) {
  using R = RealOf<T>;
  R *const d = m.diagonal, *const e = m.beside;
  const R half = (d[last - 1] - d[last]) / 2, off = e[last - 1];
  const R shift = d[last] - off * (off / (half + std::copysign(std::hypot(half, off), half)));
  R x = d[first] - shift, z = e[first];
  for (int64_t k = first; k < last; ++k) {
    const R length = std::hypot(x, z), cosine = length == 0 ? R(1) : x / length, sine = length == 0 ? R(0) : z / length;
    if (k > first) e[k - 1] = length;
    const R upper = d[k], lower = d[k + 1], side = e[k];
    const R cross = 2 * cosine * sine * side;
    d[k] = cosine * cosine * upper + cross + sine * sine * lower;
    d[k + 1] = sine * sine * upper - cross + cosine * cosine * lower;
    e[k] = cosine * sine * (lower - upper) + (cosine * cosine - sine * sine) * side;
    if (k + 1 < last) {
      x = e[k];
      z = sine * e[k + 1];
      e[k + 1] *= cosine;
    }
    if (has_vectors) rotate(m.rows.row(k), m.rows.row(k + 1), cosine, sine, m.rows.columns);
  }
}

/// Diagonalizes the tridiagonal matrix. Returns whether that converged.
template <typename T>
bool make_diagonal(const EighMemory<T>& m, bool has_vectors) {
  using R = RealOf<T>;
  R *const d = m.diagonal, *const e = m.beside;
  const auto is_small = [&](int64_t k) {
    return std::abs(e[k]) <= std::numeric_limits<R>::epsilon() * (std::abs(d[k]) + std::abs(d[k + 1])) ||
           std::abs(e[k]) < std::numeric_limits<R>::min();
  };
  int64_t last = m.a.rows - 1, steps = kMaxSteps * m.a.rows;
  while (last > 0) {
    if (is_small(last - 1)) {
      --last;
      continue;
    }
    int64_t first = last - 1;
    while (first > 0 && !is_small(first - 1)) --first;
    if (steps-- == 0) return false;
    qr_step(m, first, last, has_vectors);
  }
  return true;
}

/// Reads the triangle. Returns the largest number in it; infinity if not all are finite.
template <typename T>
RealOf<T> read_triangle(const T* x, bool lower, const Matrix<T>& a) {
  using R = RealOf<T>;
  R largest = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T value = lower ? x[i * a.rows + j] : conjugate(x[j * a.rows + i]);
      if (i == j) value = T(real(value));
      if (!is_finite(value)) return std::numeric_limits<R>::infinity();
      a(i, j) = value;
      a(j, i) = conjugate(value);
      largest = std::max({largest, std::abs(real(value)), std::abs(imaginary(value))});
    }
  }
  return largest;
}

template <typename T>
int32_t eigh(const EighProblem& p, const EighMemory<T>& m, const T* x, T* vectors, RealOf<T>* values) {
  using R = RealOf<T>;
  const int64_t n = p.n;
  const R largest = read_triangle(x, p.lower, m.a);
  if (largest > std::numeric_limits<R>::max()) return kNotFinite;
  const R scale = safe_scale(largest);
  if (scale != 1) {
    for (int64_t i = 0; i < n * n; ++i) m.a.data[i] = scale * m.a.data[i];
  }
  make_tridiagonal(m);
  if (p.has_vectors) make_rows(m);
  if (!make_diagonal(m, p.has_vectors)) return kNotConverged;
  for (int64_t k = 0; k < n; ++k) m.order[k] = k;
  std::sort(m.order, m.order + n, [&](int64_t i, int64_t j) {
    return m.diagonal[i] < m.diagonal[j] || (m.diagonal[i] == m.diagonal[j] && i < j);
  });
  for (int64_t k = 0; k < n; ++k) values[k] = m.diagonal[m.order[k]] / scale;
  for (int64_t i = 0; i < n && p.has_vectors; ++i) {
    for (int64_t k = 0; k < n; ++k) vectors[i * n + k] = m.rows(m.order[k], i);
  }
  return 0;
}

}  // namespace

size_t EighProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return EighMemory<T>::bytes(n); });
}

void hilo_rt_eigh(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<EighProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) {
    result<int32_t>(*call, 3)[item] =
        eigh(p, EighMemory<T>(*call, p.n), operand<T>(*call, 0) + item * p.n * p.n,
             result<T>(*call, 1) + item * p.n * p.n, result<RealOf<T>>(*call, 2) + item * p.n);
  });
}

}  // namespace hilo::cpu::runtime
