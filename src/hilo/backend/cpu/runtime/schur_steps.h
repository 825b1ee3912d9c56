// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/schur_steps.h -- the steps to a Schur form: balancing, Hessenberg form, implicit QR steps. A real
// matrix has steps with two shifts, so that it stays real. Deflation and shifts are those of LAPACK's xLAHQR, because
// they decide the order of the eigenvalues.
#pragma once

#include <array>
#include <utility>

#include "hilo/backend/cpu/runtime/matrix.h"

namespace hilo::cpu::runtime {

/// |re| + |im|.
template <typename T>
RealOf<T> size_of(const T& x) {
  return std::abs(real(x)) + std::abs(imaginary(x));
}

/// Rows and columns [first, end) are those that aren't triangular. `order` has the exchange of each other row, and the
/// factor by which each of these rows was multiplied is in `scales`.
template <typename T>
struct Balance {
  int64_t first = 0, end = 0;
  RealOf<T>* scales;
  int64_t* order;
};

/// Exchanges rows i and j, and columns.
template <typename T>
void exchange(const Matrix<T>& a, int64_t i, int64_t j) {
  if (i == j) return;
  std::swap_ranges(a.row(i), a.row(i) + a.columns, a.row(j));
  for (int64_t r = 0; r < a.rows; ++r) std::swap(a(r, i), a(r, j));
}

/// Moves eigenvalues that are seen without a computation to both ends of the diagonal.
template <typename T>
void permute(const Matrix<T>& a, Balance<T>& b) {
  b.first = 0;
  b.end = a.rows;
  const auto is_alone = [&](int64_t k, bool is_row) {
    for (int64_t j = b.first; j < b.end; ++j) {
      const T& x = is_row ? a(k, j) : a(j, k);
      if (j != k && (real(x) != 0 || imaginary(x) != 0)) return false;
    }
    return true;
  };
  for (int64_t k = b.end; k-- > 0;) {
    if (!is_alone(k, true)) continue;
    b.order[--b.end] = k;
    exchange(a, k, b.end);
    k = b.end;
  }
  for (int64_t k = b.first; k < b.end; ++k) {
    if (!is_alone(k, false)) continue;
    b.order[b.first] = k;
    exchange(a, k, b.first);
    k = b.first++;
  }
}

/// Multiplies rows and divides columns by powers of two until their norms are alike.
template <typename T>
void scale_rows(const Matrix<T>& a, Balance<T>& b) {
  using R = RealOf<T>;
  constexpr R kLeast = std::numeric_limits<R>::min(), kWorthwhile = R(0.95);
  constexpr R kMost = std::numeric_limits<R>::epsilon() / kLeast;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t k = b.first; k < b.end; ++k) {
      R column = 0, row = 0;
      for (int64_t j = b.first; j < b.end; ++j) {
        column = std::hypot(column, magnitude(a(j, k)));
        row = std::hypot(row, magnitude(a(k, j)));
      }
      if (column == 0 || row == 0) continue;
      const R sum = column + row;
      R factor = 1;
      for (; column < row / 2 && factor < kMost && row > kLeast; factor *= 2, column *= 2) row /= 2;
      for (; column / 2 >= row && factor > 1 / kMost && column > kLeast; factor /= 2, column /= 2) row *= 2;
      if (factor == 1 || column + row >= kWorthwhile * sum) continue;
      changed = true;
      b.scales[k] *= factor;
      for (int64_t j = 0; j < a.columns; ++j) a(k, j) = (1 / factor) * a(k, j);
      for (int64_t j = 0; j < a.rows; ++j) a(j, k) = factor * a(j, k);
    }
  }
}

/// Transforms vectors of the balanced matrix, the columns of v, to those of the matrix; left ones by the inverse.
template <typename T, typename V>
void undo_balance(const Balance<T>& b, const Matrix<V>& v, bool is_left) {
  for (int64_t k = b.first; k < b.end; ++k) {
    const RealOf<T> scale = is_left ? 1 / b.scales[k] : b.scales[k];
    for (int64_t j = 0; j < v.columns && scale != 1; ++j) v(k, j) = scale * v(k, j);
  }
  const auto swap_rows = [&](int64_t i) {
    if (b.order[i] != i) std::swap_ranges(v.row(i), v.row(i) + v.columns, v.row(b.order[i]));
  };
  for (int64_t i = b.first; i-- > 0;) swap_rows(i);
  for (int64_t i = b.end; i < v.rows; ++i) swap_rows(i);
}

/// Computes the Hessenberg form. Column k keeps reflection k below its first subdiagonal element. `v` and `sums` have
/// n elements.
template <typename T>
void reduce_to_hessenberg(const Matrix<T>& a, int64_t first, int64_t end, T* factors, T* v, T* sums) {
  const int64_t n = a.rows;
  std::fill_n(factors, std::max<int64_t>(n - 1, 0), T());
  for (int64_t k = first; k + 1 < end; ++k) {
    const int64_t count = end - k - 1;
    for (int64_t i = 0; i < count; ++i) v[i] = a(k + 1 + i, k);
    const Reflection<T> r = reflection_of(v, count);
    factors[k] = r.factor;
    reflect_columns(Matrix<T>{a.data + k + 1, end, count, a.stride}, r.factor, v);
    reflect(Matrix<T>{a.row(k + 1) + k + 1, count, n - k - 1, a.stride}, conjugate(r.factor), v, sums);
    a(k + 1, k) = T(r.beta);
    for (int64_t i = 1; i < count; ++i) a(k + 1 + i, k) = v[i];
  }
}

/// Computes z, the product of the reflections, and sets those in h to zero.
template <typename T>
void take_reflections(const Matrix<T>& h, const Matrix<T>& z, int64_t first, int64_t end, const T* factors, T* v,
                      T* sums) {
  const int64_t n = h.rows;
  std::fill_n(z.data, n * n, T());
  for (int64_t k = 0; k < n; ++k) z(k, k) = T(1);
  for (int64_t k = end - 1; k-- > first;) {
    const int64_t count = end - k - 1;
    v[0] = T(1);
    for (int64_t i = 1; i < count; ++i) v[i] = std::exchange(h(k + 1 + i, k), T());
    reflect(Matrix<T>{z.row(k + 1) + k + 1, count, count, z.stride}, factors[k], v, sums);
  }
}

/// A matrix on its way to its Schur form, h, and the basis z.
template <typename T>
struct SchurState {
  using R = RealOf<T>;

  Matrix<T> h, z;
  bool has_vectors = false;  ///< whether z is computed

  /// Whether h(k, k - 1) can be set to zero.
  bool is_small(int64_t k) const {
    constexpr R kUlp = std::numeric_limits<R>::epsilon();
    const R least = std::numeric_limits<R>::min() * (static_cast<R>(h.rows) / kUlp);
    const R below = size_of(h(k, k - 1)), above = size_of(h(k - 1, k));
    if (below <= least) return true;
    R sum = size_of(h(k - 1, k - 1)) + size_of(h(k, k));
    if (sum == 0) {
      if (k >= 2) sum += std::abs(real(h(k - 1, k - 2)));
      if (k + 1 < h.rows) sum += std::abs(real(h(k + 1, k)));
    }
    if (below > kUlp * sum) return false;
    const R most = std::max(below, above), least_of = std::min(below, above);
    const R own = size_of(h(k, k)), difference = size_of(h(k - 1, k - 1) - h(k, k));
    const R large = std::max(own, difference), small = std::min(own, difference), scale = large + most;
    return least_of * (most / scale) <= std::max(least, kUlp * (small * (large / scale)));
  }

  /// Computes q^H h q and z q for the reflection q = I - factor v v^H of rows [at, at + count). In these rows, elements
  /// of h before column `from` are zero; in these columns, those from row `to` on.
  void reflect_both(int64_t at, int64_t count, const T& factor, const T* v, int64_t from, int64_t to) const {
    const T left = conjugate(factor);
    for (int64_t j = from; j < h.columns; ++j) {
      T sum{};
      for (int64_t i = 0; i < count; ++i) sum += conjugate(v[i]) * h(at + i, j);
      for (int64_t i = 0; i < count; ++i) h(at + i, j) -= left * v[i] * sum;
    }
    reflect_columns(Matrix<T>{h.data + at, to, count, h.stride}, factor, v);
    if (has_vectors) reflect_columns(Matrix<T>{z.data + at, z.rows, count, z.stride}, factor, v);
  }
};

/// The first column of the shifted matrix, scaled: where a step begins. A real matrix has three elements.
template <typename T>
inline constexpr int64_t kBulge = kIsComplex<T> ? 2 : 3;
template <typename T>
using FirstColumn = std::array<T, 3>;

/// The shifts of a step: of a real matrix a pair of conjugate or equal numbers; of a complex one `re` alone.
template <typename T>
struct Shifts {
  T re{}, im{};
};

/// The shifts of a real block of two rows: its eigenvalues, or twice the real one that is nearer to the last element.
template <typename R>
Shifts<R> shifts_of(R a, R b, R c, R d) {
  const R scale = std::abs(a) + std::abs(b) + std::abs(c) + std::abs(d);
  if (scale == 0) return {};
  a /= scale, b /= scale, c /= scale, d /= scale;
  const R half = (a + d) / 2, determinant = (a - half) * (d - half) - b * c, root = std::sqrt(std::abs(determinant));
  if (determinant >= 0) return {half * scale, root * scale};
  const R one = half + root, other = half - root;
  return {(std::abs(one - d) <= std::abs(other - d) ? one : other) * scale, 0};
}

/// The square root with a real part of at least 0.
template <typename R>
Complex<R> square_root(const Complex<R>& x) {
  const R size = magnitude(x);
  if (size == 0) return {};
  const R large = std::sqrt((size + std::abs(x.re)) / 2), small = std::abs(x.im) / (2 * large);
  return {x.re >= 0 ? large : small, std::copysign(x.re >= 0 ? small : large, x.im)};
}

/// The eigenvalue of a complex block of two rows that is nearer to the last element.
template <typename R>
Complex<R> shift_of(const Complex<R>& a, const Complex<R>& b, const Complex<R>& c, const Complex<R>& d) {
  const R off = std::sqrt(size_of(b)) * std::sqrt(size_of(c));
  if (off == 0) return d;
  const Complex<R> half = R(0.5) * (a - d);
  const R scale = std::max(off, size_of(half)), inverse = 1 / scale;
  const Complex<R> x = inverse * half, product = (inverse * b) * (inverse * c);
  Complex<R> y = square_root(x * x + product);
  if (x.re * y.re + x.im * y.im < 0) y = -y;
  return d - scale * (product / (x + y));
}

/// The shifts for rows [first, last] of a matrix; other ones after ten and twenty steps without success.
template <typename T>
Shifts<T> choose_shifts(const Matrix<T>& h, int64_t first, int64_t last, int step) {
  using R = RealOf<T>;
  if (step == 10 || step == 20) {
    const int64_t at = step == 10 ? first : last;
    if constexpr (kIsComplex<T>) {
      const R size = R(0.75) * std::abs(real(step == 10 ? h(first + 1, first) : h(last, last - 1)));
      return {h(at, at) + T(size), {}};
    } else {
      const R size = step == 10 ? std::abs(h(first + 1, first)) + std::abs(h(first + 2, first + 1))
                                : std::abs(h(last, last - 1)) + std::abs(h(last - 1, last - 2));
      const R diagonal = R(0.75) * size + h(at, at);
      return shifts_of(diagonal, R(-0.4375) * size, size, diagonal);
    }
  }
  const T a = h(last - 1, last - 1), b = h(last - 1, last), c = h(last, last - 1), d = h(last, last);
  if constexpr (kIsComplex<T>) return {shift_of(a, b, c, d), {}};
  else return shifts_of(a, b, c, d);
}

template <typename T>
FirstColumn<T> first_column(const Matrix<T>& h, int64_t m, const Shifts<T>& shifts) {
  using R = RealOf<T>;
  if constexpr (kIsComplex<T>) {
    const T difference = h(m, m) - shifts.re;
    const R scale = size_of(difference) + size_of(h(m + 1, m));
    return {(1 / scale) * difference, (1 / scale) * h(m + 1, m), T()};
  } else {
    const R difference = h(m, m) - shifts.re;
    R scale = std::abs(difference) + std::abs(shifts.im) + std::abs(h(m + 1, m));
    const R below = h(m + 1, m) / scale;
    FirstColumn<R> v = {below * h(m, m + 1) + difference * (difference / scale) + shifts.im * (shifts.im / scale),
                        below * (h(m, m) + h(m + 1, m + 1) - 2 * shifts.re), below * h(m + 2, m + 1)};
    scale = std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
    for (R& x : v) x /= scale;
    return v;
  }
}

/// Whether a step may begin at row m, because what it neglects is a rounding error.
template <typename T>
bool may_begin(const Matrix<T>& h, int64_t m, const FirstColumn<T>& v) {
  using R = RealOf<T>;
  R around = size_of(h(m, m)) + size_of(h(m + 1, m + 1));
  if constexpr (!kIsComplex<T>) around += size_of(h(m - 1, m - 1));
  return size_of(h(m, m - 1)) * (size_of(v[1]) + size_of(v[2])) <=
         std::numeric_limits<R>::epsilon() * size_of(v[0]) * around;
}

/// One QR step on rows [first, last].
template <typename T>
void schur_step(const SchurState<T>& s, int64_t first, int64_t last, int step) {
  const Matrix<T>& h = s.h;
  const Shifts<T> shifts = choose_shifts(h, first, last, step);
  int64_t begin = last + 1 - kBulge<T>;
  FirstColumn<T> v = first_column(h, begin, shifts);
  while (begin > first && !may_begin(h, begin, v)) v = first_column(h, --begin, shifts);
  for (int64_t k = begin; k < last; ++k) {
    const int64_t count = std::min(kBulge<T>, last - k + 1);
    for (int64_t i = 0; i < count && k > begin; ++i) v[static_cast<size_t>(i)] = h(k + i, k - 1);
    const Reflection<T> r = reflection_of(v.data(), count);
    if (k > begin) {
      h(k, k - 1) = T(r.beta);
      for (int64_t i = 1; i < count; ++i) h(k + i, k - 1) = T();
    } else if (begin > first) {
      h(k, k - 1) = h(k, k - 1) - conjugate(r.factor) * h(k, k - 1);
    }
    s.reflect_both(k, count, r.factor, v.data(), k, std::min(k + count + 1, last + 1));
  }
}

/// A real block of two rows and the rotation that led to it.
template <typename R>
struct Block {
  R a, b, c, d;
  R cosine = 1, sine = 0;

  void turn(R own, R other) {
    const R turned = cosine * own - sine * other;
    sine = sine * own + cosine * other;
    cosine = turned;
  }
};

/// Makes a block with real eigenvalues that aren't nearly equal a triangle. Returns false for other ones.
template <typename R>
bool separate(Block<R>& x) {
  const R half = (x.a - x.d) / 2, large = std::max(std::abs(x.b), std::abs(x.c));
  const R small = std::min(std::abs(x.b), std::abs(x.c)) * std::copysign(R(1), x.b) * std::copysign(R(1), x.c);
  const R scale = std::max(std::abs(half), large), discriminant = half / scale * half + large / scale * small;
  if (discriminant < 4 * std::numeric_limits<R>::epsilon() * scale) return false;
  const R root = half + std::copysign(std::sqrt(scale) * std::sqrt(discriminant), half);
  const R length = std::hypot(x.c, root);
  x.a = x.d + root;
  x.d -= large / root * small;
  x.turn(root / length, x.c / length);
  x.b -= x.c;
  x.c = 0;
  return true;
}

/// Makes the diagonal elements equal.
template <typename R>
void equalize(Block<R>& x) {
  if (x.a == x.d) return;
  const R sum = x.b + x.c, difference = x.a - x.d, length = std::hypot(sum, difference);
  const R own = std::sqrt((1 + std::abs(sum) / length) / 2);
  const R other = std::copysign(R(1), -sum) * (difference / length / (2 * own));
  const R aa = x.a * own + x.b * other, bb = x.b * own - x.a * other;
  const R cc = x.c * own + x.d * other, dd = x.d * own - x.c * other;
  x.b = bb * own + dd * other;
  x.c = cc * own - aa * other;
  x.a = x.d = (aa * own + cc * other + (dd * own - bb * other)) / 2;
  x.turn(own, other);
}

/// Makes a block with equal diagonal elements a triangle, if its eigenvalues are real.
template <typename R>
void split(Block<R>& x) {
  if (x.c == 0 || (x.b != 0 && (x.b > 0) != (x.c > 0))) return;
  const R root_b = std::sqrt(std::abs(x.b)), root_c = std::sqrt(std::abs(x.c));
  const R length = std::sqrt(std::abs(x.b) + std::abs(x.c));
  x.turn(root_b / length, std::copysign(root_c / length, x.b));
  x.a += root_b * root_c;
  x.d -= root_b * root_c;
  x.b -= x.c;
  x.c = 0;
}

/// Makes the block of rows k and k + 1 of a real matrix a triangle, or its diagonal elements equal.
template <typename R>
void standardize(const SchurState<R>& s, int64_t k) {
  const Matrix<R>& h = s.h;
  Block<R> x{h(k, k), h(k, k + 1), h(k + 1, k), h(k + 1, k + 1)};
  if (x.c == 0) return;
  if (!separate(x)) {
    equalize(x);
    split(x);
  }
  for (int64_t j = k; j < h.columns; ++j) {
    const R upper = h(k, j), lower = h(k + 1, j);
    h(k, j) = x.cosine * upper + x.sine * lower;
    h(k + 1, j) = x.cosine * lower - x.sine * upper;
  }
  const auto turn_columns = [&](const Matrix<R>& m, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
      const R left = m(i, k), right = m(i, k + 1);
      m(i, k) = x.cosine * left + x.sine * right;
      m(i, k + 1) = x.cosine * right - x.sine * left;
    }
  };
  turn_columns(h, k + 2);
  if (s.has_vectors) turn_columns(s.z, s.z.rows);
  h(k, k) = x.a, h(k, k + 1) = x.b, h(k + 1, k) = x.c, h(k + 1, k + 1) = x.d;
}

/// Reduces rows [first, end) of a Hessenberg matrix. Returns whether that converged.
template <typename T>
bool make_schur(const SchurState<T>& s, int64_t first, int64_t end, const Stop& stop) {
  const int64_t limit = 30 * std::max<int64_t>(10, end - first);
  for (int64_t last = end - 1; last >= first;) {
    int64_t block = last;
    for (int64_t step = 0;; ++step) {
      block = last;
      while (block > first && !s.is_small(block)) --block;
      if (block > first) s.h(block, block - 1) = T();
      if (block > last + 1 - kBulge<T>) break;
      if (step == limit || stop.raised()) return false;
      schur_step(s, block, last, static_cast<int>(step % 30));
    }
    if constexpr (!kIsComplex<T>) {
      if (block < last) standardize(s, block);
    }
    last = block - 1;
  }
  return true;
}

}  // namespace hilo::cpu::runtime
