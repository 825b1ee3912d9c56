// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/eigen.cc -- Hermitian matrices: Householder's reduction to a tridiagonal matrix, then implicit QR
// steps with Wilkinson's shift.
#include "hilo/backend/cpu/runtime/eigen.h"

#include <cstring>
#include <utility>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/linked_lapack.h"
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
  Scratch behind;  ///< the memory after these

  EighMemory(const Call& call, int64_t n) : behind(call) {
    Scratch& scratch = behind;
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

/// The workspaces of LAPACK, behind the other memory.
template <typename T>
struct EighWork {
  static int64_t size(int64_t n) { return 2 * n * n + (6 + kLinkedBlock) * n + 1; }
  static int64_t integers(int64_t n) { return 5 * n + 3; }
  static size_t bytes(int64_t n) {
    if (!may_be_linked(n, n)) return 0;
    return bytes_of<T>(size(n)) + bytes_of<RealOf<T>>(size(n)) + bytes_of<int>(integers(n));
  }
};

/// Computes by LAPACK the values and vectors of the matrix in `m`, whose transpose it sees: the conjugate matrix.
template <typename T>
int32_t eigh_linked(const EighProblem& p, const EighMemory<T>& m, Scratch work, T* vectors, RealOf<T>* values) {
  const int n = static_cast<int>(p.n), size = static_cast<int>(EighWork<T>::size(p.n)),
            integers = static_cast<int>(EighWork<T>::integers(p.n));
  const char* const mode = p.has_vectors ? "V" : "N";
  T* const space = work.take<T>(static_cast<size_t>(size)).data();
  [[maybe_unused]] auto* const reals = work.take<RealOf<T>>(static_cast<size_t>(size)).data();
  int* const numbers = work.take<int>(static_cast<size_t>(integers)).data();
  const auto syevd = linked_lapack<T>().syevd;
  int info = 0;
  if constexpr (kIsComplex<T>)
    syevd(mode, "L", &n, m.a.data, &n, values, space, &size, reals, &size, numbers, &integers, &info);
  else syevd(mode, "L", &n, m.a.data, &n, values, space, &size, numbers, &integers, &info);
  for (int64_t i = 0; i < p.n && p.has_vectors; ++i) {
    for (int64_t k = 0; k < p.n; ++k) vectors[i * p.n + k] = conjugate(m.a(k, i));
  }
  return info;
}

template <typename T>
int32_t eigh(const EighProblem& p, const EighMemory<T>& m, const T* x, T* vectors, RealOf<T>* values) {
  using R = RealOf<T>;
  const int64_t n = p.n;
  const R largest = read_triangle(x, p.lower, m.a);
  if (largest > std::numeric_limits<R>::max()) return kNotFinite;
  if (linked_lapack<T>().syevd != nullptr && fits_linked(m.a.data, n, n))
    return eigh_linked(p, m, m.behind, vectors, values);
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

/// The results of a reduction.
template <typename T>
struct Tridiagonal {
  T* matrix;
  RealOf<T>*diagonal, *beside;
  T* factors;
};

/// An upper triangle is reduced from its last row on, as LAPACK does: it is the lower triangle in the opposite order.
template <typename T>
int32_t tridiagonal(const TridiagonalProblem& p, const EighMemory<T>& m, const T* x, const Tridiagonal<T>& to) {
  const int64_t n = p.n;
  const bool is_finite = read_triangle(x, p.lower, m.a) <= std::numeric_limits<RealOf<T>>::max();
  if (to.matrix != x && n > 0) std::memcpy(to.matrix, x, static_cast<size_t>(n * n) * sizeof(T));
  if (!is_finite) return kNotFinite;
  if (!p.lower) std::reverse(m.a.data, m.a.data + n * n);
  make_tridiagonal(m);
  const auto place = [&](int64_t k) { return p.lower ? k : n - 1 - k; };
  for (int64_t k = 0; k < n; ++k) {
    to.diagonal[place(k)] = m.diagonal[k];
    to.matrix[place(k) * n + place(k)] = T(m.diagonal[k]);
    if (k + 1 == n) break;
    const int64_t beside = std::min(place(k), place(k + 1));
    to.beside[beside] = m.beside[k];
    to.factors[beside] = m.factors[k];
    to.matrix[place(k + 1) * n + place(k)] = T(m.beside[k]);
    for (int64_t i = k + 2; i < n; ++i) to.matrix[place(i) * n + place(k)] = m.a(i, k);
  }
  return 0;
}

}  // namespace

size_t EighProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return EighMemory<T>::bytes(n) + EighWork<T>::bytes(n); });
}
size_t TridiagonalProblem::scratch_bytes() const {
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

void hilo_rt_tridiagonal(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<TridiagonalProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) {
    const int64_t n = p.n, less = std::max<int64_t>(n - 1, 0);
    const Tridiagonal<T> to{result<T>(*call, 1) + item * n * n, result<RealOf<T>>(*call, 2) + item * n,
                            result<RealOf<T>>(*call, 3) + item * less, result<T>(*call, 4) + item * less};
    result<int32_t>(*call, 5)[item] = tridiagonal(p, EighMemory<T>(*call, n), operand<T>(*call, 0) + item * n * n, to);
  });
}

}  // namespace hilo::cpu::runtime
