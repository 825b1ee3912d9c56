// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/schur.h"

#include <cstring>

#include "hilo/backend/cpu/runtime/eigen.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/schur_steps.h"

namespace hilo::cpu::runtime {
namespace {

/// Copies a matrix, times a factor that makes its computations safe. Returns the factor; 0 unless all are finite.
template <typename T>
RealOf<T> read_scaled(const T* x, const Matrix<T>& to) {
  const RealOf<T> largest = largest_part(x, to.rows * to.columns);
  if (!(largest <= std::numeric_limits<RealOf<T>>::max())) return 0;
  const RealOf<T> scale = safe_scale(largest);
  for (int64_t i = 0; i < to.rows * to.columns; ++i) to.data[i] = scale == 1 ? x[i] : scale * x[i];
  return scale;
}

template <typename T>
void hessenberg(const Call& call, const HessenbergProblem& p, int64_t item) {
  const int64_t n = p.n, less = std::max<int64_t>(n - 1, 0);
  const T* const x = operand<T>(call, 0) + item * n * n;
  const Matrix<T> h = dense(result<T>(call, 1) + item * n * n, n, n);
  T* const factors = result<T>(call, 2) + item * less;
  int32_t& info = result<int32_t>(call, 3)[item];
  if (h.data != x && n > 0) std::memcpy(h.data, x, static_cast<size_t>(n * n) * sizeof(T));
  info = kNotFinite;
  if (!(largest_part(h.data, n * n) <= std::numeric_limits<RealOf<T>>::max())) return;
  Scratch scratch(call);
  T* const v = scratch.take<T>(static_cast<size_t>(n)).data();
  T* const sums = scratch.take<T>(static_cast<size_t>(n)).data();
  reduce_to_hessenberg(h, p.first, p.end, factors, v, sums);
  info = 0;
}

/// The memory of a Schur form.
template <typename T>
struct SchurMemory {
  T *factors, *v, *sums;
  Balance<T> balance;

  SchurMemory(Scratch& scratch, int64_t n) {
    const auto count = static_cast<size_t>(n);
    factors = scratch.take<T>(count).data();
    v = scratch.take<T>(count).data();
    sums = scratch.take<T>(count).data();
    balance.scales = scratch.take<RealOf<T>>(count).data();
    balance.order = scratch.take<int64_t>(count).data();
  }
  static size_t bytes(int64_t n) { return 3 * bytes_of<T>(n) + bytes_of<RealOf<T>>(n) + bytes_of<int64_t>(n); }
};

/// Reduces h, which is balanced. Returns whether that converged.
template <typename T>
bool reduce(const SchurMemory<T>& m, const SchurState<T>& s, const Stop& stop) {
  const auto [first, end, scales, order] = m.balance;
  reduce_to_hessenberg(s.h, first, end, m.factors, m.v, m.sums);
  take_reflections(s.h, s.z, first, end, m.factors, m.v, m.sums);
  return make_schur(s, first, end, stop);
}

/// Whether rows k and k + 1 of a Schur form are the block of a pair of complex eigenvalues.
template <typename T>
bool is_pair(const Matrix<T>& t, int64_t k) {
  return !kIsComplex<T> && k + 1 < t.rows && real(t(k + 1, k)) != 0;
}

/// The imaginary part of the first eigenvalue of a pair.
template <typename R>
R imaginary_of_pair(const Matrix<R>& t, int64_t k) {
  return std::sqrt(std::abs(t(k, k + 1))) * std::sqrt(std::abs(t(k + 1, k)));
}

/// Writes the eigenvalues of a Schur form, divided by a scale: of a real one to two arrays.
template <typename T>
void write_values(const Matrix<T>& t, RealOf<T> scale, T* values, T* imaginary_parts) {
  for (int64_t k = 0; k < t.rows; ++k) {
    values[k] = (1 / scale) * t(k, k);
    if constexpr (!kIsComplex<T>) {
      imaginary_parts[k] = 0;
      if (!is_pair(t, k)) continue;
      const T part = imaginary_of_pair(t, k) / scale;
      values[k + 1] = values[k];
      imaginary_parts[k] = part;
      imaginary_parts[++k] = -part;
    }
  }
}

template <typename T>
int32_t schur(const Call& call, const SchurProblem& p, int64_t item) {
  const int64_t n = p.n;
  constexpr size_t kParts = kIsComplex<T> ? 1 : 2;
  const Matrix<T> t = dense(result<T>(call, 1) + item * n * n, n, n),
                  z = dense(result<T>(call, 2) + item * n * n, n, n);
  T* const values = result<T>(call, 3) + item * n;
  T* const parts = kParts == 2 ? result<T>(call, 4) + item * n : nullptr;
  result<int32_t>(call, 3 + kParts)[item] = 0;
  const RealOf<T> scale = read_scaled(operand<T>(call, 0) + item * n * n, t);
  if (scale == 0) return kNotFinite;
  Scratch scratch(call);
  SchurMemory<T> m(scratch, n);
  permute(t, m.balance);
  std::fill_n(m.balance.scales, n, RealOf<T>(1));
  if (!reduce(m, {t, z, p.has_vectors}, stop_of(call))) return kNotConverged;
  undo_balance(m.balance, z, false);
  write_values(t, scale, values, parts);
  for (int64_t i = 0; i < n * n && scale != 1; ++i) t.data[i] = (1 / scale) * t.data[i];
  return 0;
}

/// A complex Schur form of a real one: t and its basis become triangular by rotations of the blocks of pairs.
template <typename T>
void make_complex(const Matrix<T>& t, const Matrix<T>& z, const Matrix<Complex<RealOf<T>>>& ct,
                  const Matrix<Complex<RealOf<T>>>& cz) {
  using C = Complex<RealOf<T>>;
  for (int64_t i = 0; i < t.rows * t.rows; ++i) {
    if constexpr (kIsComplex<T>) {
      ct.data[i] = t.data[i];
      cz.data[i] = z.data[i];
    } else {
      ct.data[i] = C(t.data[i]);
      cz.data[i] = C(z.data[i]);
    }
  }
  if constexpr (!kIsComplex<T>) {
    for (int64_t k = 0; k < t.rows; ++k) {
      if (!is_pair(t, k)) continue;
      // The first eigenvector of the block, (own, i other), is the first column of the rotation.
      const T b = t(k, k + 1), c = t(k + 1, k), length = std::sqrt(std::abs(b) + std::abs(c));
      const T own = std::sqrt(std::abs(b)) / length;
      const C other(0, std::copysign(std::sqrt(std::abs(c)) / length, b));
      for (int64_t j = k; j < t.rows; ++j) {
        const C x = ct(k, j), y = ct(k + 1, j);
        ct(k, j) = own * x - other * y;
        ct(k + 1, j) = own * y - other * x;
      }
      const auto turn_columns = [&](const Matrix<C>& m, int64_t rows) {
        for (int64_t i = 0; i < rows; ++i) {
          const C x = m(i, k), y = m(i, k + 1);
          m(i, k) = own * x + other * y;
          m(i, k + 1) = own * y + other * x;
        }
      };
      turn_columns(ct, k + 2);
      turn_columns(cz, t.rows);
      const T part = imaginary_of_pair(t, k);
      ct(k, k) = C(t(k, k), part);
      ct(k + 1, k + 1) = C(t(k, k), -part);
      ct(k + 1, k) = C();
      ++k;
    }
  }
}

/// Computes eigenvector k of a triangle, a left one of t's adjoint. Its element k is 1, unless the others are large.
template <typename R>
void triangular_vector(const Matrix<Complex<R>>& t, int64_t k, bool is_left, Complex<R>* x) {
  const int64_t n = t.rows;
  const R least = std::max(std::numeric_limits<R>::epsilon() * size_of(t(k, k)),
                           std::numeric_limits<R>::min() * (static_cast<R>(n) / std::numeric_limits<R>::epsilon()));
  const R limit = std::sqrt(std::numeric_limits<R>::max()) / static_cast<R>(n);
  std::fill_n(x, n, Complex<R>());
  x[k] = Complex<R>(1);
  for (int64_t step = 1; is_left ? k + step < n : step <= k; ++step) {
    const int64_t i = is_left ? k + step : k - step;
    Complex<R> sum;
    for (int64_t j = is_left ? k : i + 1; j < (is_left ? i : k + 1); ++j)
      sum += (is_left ? conjugate(t(j, i)) : t(i, j)) * x[j];
    Complex<R> pivot = t(i, i) - t(k, k);
    if (is_left) pivot = conjugate(pivot);
    if (size_of(pivot) < least) pivot = Complex<R>(least);
    if (size_of(sum) > limit * std::min(size_of(pivot), R(1))) {
      const R factor = limit * std::min(size_of(pivot), R(1)) / size_of(sum);
      for (int64_t j = 0; j < n; ++j) x[j] = factor * x[j];
      sum = factor * sum;
    }
    x[i] = -(sum / pivot);
  }
}

/// Makes a vector's length 1 and its largest element real.
template <typename R>
void normalize(Complex<R>* x, int64_t n) {
  const R length = norm(x, n);
  Complex<R> largest;
  for (int64_t i = 0; i < n; ++i) {
    x[i] = (1 / length) * x[i];
    if (squared(x[i]) > squared(largest)) largest = x[i];
  }
  const Complex<R> phase = (1 / magnitude(largest)) * conjugate(largest);
  for (int64_t i = 0; i < n && largest.im != 0; ++i) x[i] = phase * x[i];
}

/// The memory of eigenvectors.
template <typename T>
struct VectorMemory {
  using C = Complex<RealOf<T>>;
  Matrix<C> t, z;
  C *x, *y;

  VectorMemory(Scratch& scratch, int64_t n) {
    t = dense(scratch.take<C>(static_cast<size_t>(n * n)).data(), n, n);
    z = dense(scratch.take<C>(static_cast<size_t>(n * n)).data(), n, n);
    x = scratch.take<C>(static_cast<size_t>(n)).data();
    y = scratch.take<C>(static_cast<size_t>(n)).data();
  }
  static size_t bytes(int64_t n) { return 2 * bytes_of<C>(n * n) + 2 * bytes_of<C>(n); }
};

/// Computes the vectors from a real or complex Schur form `t`. In a real one, those of real eigenvalues are real, and
/// those of pairs are conjugate.
template <typename T>
void write_vectors(const VectorMemory<T>& m, const Balance<T>& balance, const Matrix<T>& t, bool is_left,
                   const Matrix<Complex<RealOf<T>>>& to) {
  const int64_t n = t.rows;
  for (int64_t k = 0; k < n; ++k) {
    triangular_vector(m.t, k, is_left, m.x);
    const bool is_real = !kIsComplex<T> && !is_pair(t, k);
    for (int64_t i = 0; i < n; ++i) {
      m.y[i] = {};
      for (int64_t j = 0; j < n; ++j) m.y[i] += m.z(i, j) * m.x[j];
      if (is_real) m.y[i].im = 0;
    }
    undo_balance(balance, Matrix<Complex<RealOf<T>>>{m.y, n, 1, 1}, is_left);
    normalize(m.y, n);
    for (int64_t i = 0; i < n; ++i) to(i, k) = m.y[i];
    if (!is_pair(t, k)) continue;
    ++k;
    for (int64_t i = 0; i < n; ++i) to(i, k) = conjugate(m.y[i]);
  }
}

template <typename T>
int32_t general_eigen(const Call& call, const GeneralEigenProblem& p, int64_t item) {
  using C = Complex<RealOf<T>>;
  const int64_t n = p.n;
  constexpr size_t kParts = kIsComplex<T> ? 1 : 2;
  Scratch scratch(call);
  const Matrix<T> t = dense(scratch.take<T>(static_cast<size_t>(n * n)).data(), n, n);
  const Matrix<T> z = dense(scratch.take<T>(static_cast<size_t>(n * n)).data(), n, n);
  SchurMemory<T> m(scratch, n);
  const RealOf<T> scale = read_scaled(operand<T>(call, 0) + item * n * n, t);
  if (scale == 0) return kNotFinite;
  permute(t, m.balance);
  std::fill_n(m.balance.scales, n, RealOf<T>(1));
  scale_rows(t, m.balance);
  const bool has_vectors = p.has_left || p.has_right;
  if (!reduce(m, {t, z, has_vectors}, stop_of(call))) return kNotConverged;
  write_values(t, scale, result<T>(call, 1) + item * n, kParts == 2 ? result<T>(call, 2) + item * n : nullptr);
  if (!has_vectors) return 0;
  const VectorMemory<T> vectors(scratch, n);
  make_complex(t, z, vectors.t, vectors.z);
  for (const bool is_left : {true, false}) {
    if (is_left ? !p.has_left : !p.has_right) continue;
    const Matrix<C> to = dense(result<C>(call, (is_left ? 1 : 2) + kParts) + item * n * n, n, n);
    write_vectors(vectors, m.balance, t, is_left, to);
  }
  return 0;
}

}  // namespace

size_t HessenbergProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return 2 * bytes_of<T>(n); });
}
size_t SchurProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return SchurMemory<T>::bytes(n); });
}
size_t GeneralEigenProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() {
    return 2 * bytes_of<T>(n * n) + SchurMemory<T>::bytes(n) + (has_left || has_right ? VectorMemory<T>::bytes(n) : 0);
  });
}

void hilo_rt_hessenberg(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<HessenbergProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { hessenberg<T>(*call, p, item); });
}
void hilo_rt_schur(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<SchurProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) {
    result<int32_t>(*call, kIsComplex<T> ? 5 : 6)[item] = schur<T>(*call, p, item);
  });
}
void hilo_rt_general_eigen(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<GeneralEigenProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) {
    result<int32_t>(*call, kIsComplex<T> ? 4 : 5)[item] = general_eigen<T>(*call, p, item);
  });
}

}  // namespace hilo::cpu::runtime
