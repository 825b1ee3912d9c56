// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/matrix.h -- what the functions of linear algebra share: numbers, row-major matrices, reflections.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// A complex number. Its products have no branches for NaN, unlike those of std::complex, so that loops become vectors.
template <typename R>
struct Complex {
  R re{}, im{};

  Complex() = default;
  Complex(R real, R imaginary = 0) : re(real), im(imaginary) {}  // NOLINT: as a real number converts
  Complex operator-() const { return {-re, -im}; }
  Complex& operator+=(const Complex& b) { return *this = *this + b; }
  Complex& operator-=(const Complex& b) { return *this = *this - b; }
  friend Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(const Complex& a, const Complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator*(R a, const Complex& b) { return {a * b.re, a * b.im}; }
  /// Divides by the larger part first: the square of a large number would overflow.
  friend Complex operator/(const Complex& a, const Complex& b) {
    if (std::abs(b.re) >= std::abs(b.im)) {
      const R ratio = b.im / b.re, size = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
    }
    const R ratio = b.re / b.im, size = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
  }
};

/// float of Complex<float>.
template <typename T>
struct RealPart {
  using Type = T;
};
template <typename R>
struct RealPart<Complex<R>> {
  using Type = R;
};
template <typename T>
using RealOf = typename RealPart<T>::Type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, RealOf<T>>;

template <typename R>
R real(R x) {
  return x;
}
template <typename R>
R real(const Complex<R>& x) {
  return x.re;
}
template <typename R>
R imaginary(R) {
  return 0;
}
template <typename R>
R imaginary(const Complex<R>& x) {
  return x.im;
}
template <typename R>
R conjugate(R x) {
  return x;
}
template <typename R>
Complex<R> conjugate(const Complex<R>& x) {
  return {x.re, -x.im};
}
template <typename R>
R magnitude(R x) {
  return std::abs(x);
}
template <typename R>
R magnitude(const Complex<R>& x) {
  return std::hypot(x.re, x.im);
}
template <typename R>
R squared(R x) {
  return x * x;
}
template <typename R>
R squared(const Complex<R>& x) {
  return x.re * x.re + x.im * x.im;
}
template <typename T>
bool is_finite(const T& x) {
  return std::abs(real(x)) <= std::numeric_limits<RealOf<T>>::max() &&
         std::abs(imaginary(x)) <= std::numeric_limits<RealOf<T>>::max();
}

/// Calls visit.operator()<T>() for the types of linear algebra. Returns false for other types.
template <typename Visit>
bool visit_linalg(ElementType type, const Visit& visit) {
  switch (type) {  // NOLINT: partial on purpose
    case ElementType::kF32: visit.template operator()<float>(); return true;
    case ElementType::kF64: visit.template operator()<double>(); return true;
    case ElementType::kC64: visit.template operator()<Complex<float>>(); return true;
    case ElementType::kC128: visit.template operator()<Complex<double>>(); return true;
    default: return false;
  }
}

/// Rows in memory, `stride` elements apart.
template <typename T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0, columns = 0, stride = 0;

  T* row(int64_t i) const { return data + i * stride; }
  T& operator()(int64_t i, int64_t j) const { return data[i * stride + j]; }
  /// The part below and right of an element.
  Matrix from(int64_t i, int64_t j) const { return {data + i * stride + j, rows - i, columns - j, stride}; }
};

template <typename T>
Matrix<T> dense(T* data, int64_t rows, int64_t columns) {
  return {data, rows, columns, columns};
}

/// Computes to[j] -= factor * from[j].
template <typename T>
void subtract_row(T* to, const T& factor, const T* from, int64_t count) {
  for (int64_t j = 0; j < count; ++j) to[j] -= factor * from[j];
}

/// Returns a factor that moves numbers of at most that size to where their squares neither overflow nor vanish; 1 for
/// most sizes.
template <typename R>
R safe_scale(R largest) {
  const R low = std::sqrt(std::numeric_limits<R>::min()) / std::numeric_limits<R>::epsilon(), high = 1 / low;
  if (largest > 0 && largest < low) return std::min(low / largest, std::numeric_limits<R>::max());
  return largest > high ? high / largest : R(1);
}

/// Returns the largest real or imaginary part; NaN if there is one.
template <typename T>
RealOf<T> largest_part(const T* x, int64_t count) {
  RealOf<T> largest = 0;
  bool has_nan = false;
  for (int64_t i = 0; i < count; ++i) {
    const RealOf<T> re = std::abs(real(x[i])), im = std::abs(imaginary(x[i]));
    has_nan |= re != re || im != im;
    largest = std::max({largest, re, im});
  }
  return has_nan ? std::numeric_limits<RealOf<T>>::quiet_NaN() : largest;
}

/// Returns the square root of the sum of squares, which can't overflow.
template <typename T>
RealOf<T> norm(const T* x, int64_t count) {
  const RealOf<T> largest = largest_part(x, count);
  if (largest == 0) return 0;
  const RealOf<T> scale = std::min(1 / largest, std::numeric_limits<RealOf<T>>::max());
  RealOf<T> sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += squared(scale * x[i]);
  return std::sqrt(sum) / scale;
}

/// A reflection I - factor v v^H whose adjoint maps x to (beta, 0, ..., 0), as LAPACK's xLARFG. v replaces x; its first
/// element is 1.
template <typename T>
struct Reflection {
  T factor{};
  RealOf<T> beta = 0;
};
template <typename T>
Reflection<T> reflection_of(T* x, int64_t count) {
  using R = RealOf<T>;
  const T alpha = x[0];
  x[0] = T(1);
  if (largest_part(x + 1, count - 1) == 0 && imaginary(alpha) == 0) return {T(), real(alpha)};
  // All is computed from the scaled numbers: the norm of denormal ones has few bits.
  const R scale = safe_scale(std::max(largest_part(&alpha, 1), largest_part(x + 1, count - 1)));
  for (int64_t i = 1; i < count; ++i) x[i] = scale * x[i];
  const T first = scale * alpha;
  const R beta = -std::copysign(std::hypot(magnitude(first), norm(x + 1, count - 1)), real(first));
  const T inverse = T(1) / (first - T(beta));
  for (int64_t i = 1; i < count; ++i) x[i] = inverse * x[i];
  if constexpr (kIsComplex<T>) return {T((beta - first.re) / beta, -first.im / beta), beta / scale};
  else return {(beta - first) / beta, beta / scale};
}

/// Computes a = (I - factor v v^H) a. `sums` has a's columns.
template <typename T>
void reflect(const Matrix<T>& a, const T& factor, const T* v, T* sums) {
  std::fill_n(sums, a.columns, T());
  for (int64_t i = 0; i < a.rows; ++i) {
    const T weight = -conjugate(v[i]);
    subtract_row(sums, weight, a.row(i), a.columns);
  }
  for (int64_t i = 0; i < a.rows; ++i) subtract_row(a.row(i), factor * v[i], sums, a.columns);
}

/// Computes a = a (I - factor v v^H).
template <typename T>
void reflect_columns(const Matrix<T>& a, const T& factor, const T* v) {
  for (int64_t i = 0; i < a.rows; ++i) {
    T sum{};
    for (int64_t j = 0; j < a.columns; ++j) sum += a(i, j) * v[j];
    sum = factor * sum;
    for (int64_t j = 0; j < a.columns; ++j) a(i, j) -= sum * conjugate(v[j]);
  }
}

/// Copies column `j` below row `i`.
template <typename T>
void copy_column(const Matrix<T>& a, int64_t i, int64_t j, T* to) {
  for (int64_t r = i; r < a.rows; ++r) to[r - i] = a(r, j);
}

template <typename T>
T not_a_number() {
  constexpr RealOf<T> kNan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  if constexpr (kIsComplex<T>) return {kNan, kNan};
  else return kNan;
}

template <typename T>
size_t bytes_of(int64_t count) {
  return Scratch::bytes_for<T>(static_cast<size_t>(count));
}

template <typename T>
const T* operand(const Call& call, size_t place) {
  return static_cast<const T*>(call.buffers[place]);
}
template <typename T>
T* result(const Call& call, size_t place) {
  return static_cast<T*>(call.buffers[place]);
}

/// Calls run.operator()<T>(item) for the units of a call.
template <typename Run>
void for_items(const Call& call, ElementType type, int64_t begin, int64_t end, const Run& run) {
  const Stop stop = stop_of(call);
  visit_linalg(type, [&]<typename T>() {
    for (int64_t item = begin; item < end && !stop.raised(); ++item) run.template operator()<T>(item);
  });
}

/// Returns what bytes.operator()<T>() returns for a type.
template <typename Bytes>
size_t scratch_of(ElementType type, const Bytes& bytes) {
  size_t sum = 0;
  visit_linalg(type, [&]<typename T>() { sum = bytes.template operator()<T>(); });
  return sum;
}

}  // namespace hilo::cpu::runtime
