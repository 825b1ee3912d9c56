// SPDX-License-Identifier: Apache-2.0
// Derivatives of eigh and svd at equal, tiny and huge values. Expected are derivatives of matrix functions, computed by
// divided differences.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "hilo/base/flags.h"
#include "hilo/lax/decompositions.h"
#include "hilo/lax/matrix.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::lax {
namespace {

using LongNumber = std::complex<long double>;
using Numbers = std::vector<long double>;

struct Matrix {
  size_t rows, columns;
  std::vector<LongNumber> values;
  Matrix(size_t m, size_t n) : rows(m), columns(n), values(m * n) {}
  LongNumber& operator()(size_t i, size_t j) { return values[i * columns + j]; }
  const LongNumber& operator()(size_t i, size_t j) const { return values[i * columns + j]; }
};

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t k = 0; k < a.columns; ++k)
      for (size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}
Matrix adjoint(const Matrix& a) {
  Matrix b(a.columns, a.rows);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < a.columns; ++j) b(j, i) = std::conj(a(i, j));
  return b;
}
Matrix part(const Matrix& a, size_t row, size_t column, size_t m, size_t n) {
  Matrix b(m, n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) b(i, j) = a(row + i, column + j);
  return b;
}

std::mt19937_64& engine() {
  static std::mt19937_64 generator(41);
  return generator;
}
Matrix random_matrix(size_t m, size_t n, bool complex) {
  std::normal_distribution<double> normal;
  Matrix a(m, n);
  for (LongNumber& x : a.values) x = {normal(engine()), complex ? normal(engine()) : 0};
  return a;
}
Matrix random_hermitian(size_t n, bool complex) {
  Matrix a = random_matrix(n, n, complex), b = adjoint(a);
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i] = (a.values[i] + b.values[i]) / 2.0L;
  return a;
}
/// A matrix with orthonormal columns, by Gram-Schmidt, applied twice.
Matrix random_unitary(size_t m, size_t n, bool complex) {
  Matrix q = random_matrix(m, n, complex);
  for (size_t j = 0; j < n; ++j) {
    for (int again = 0; again < 2; ++again) {
      for (size_t k = 0; k < j; ++k) {
        LongNumber dot = 0;
        for (size_t i = 0; i < m; ++i) dot += std::conj(q(i, k)) * q(i, j);
        for (size_t i = 0; i < m; ++i) q(i, j) -= dot * q(i, k);
      }
    }
    long double length = 0;
    for (size_t i = 0; i < m; ++i) length += std::norm(q(i, j));
    for (size_t i = 0; i < m; ++i) q(i, j) /= std::sqrt(length);
  }
  return q;
}

/// A real function with its derivatives. Applied to a matrix it is V f(w) V^H.
using Spectral = std::function<long double(long double x, int order)>;

long double divided(const Spectral& f, long double x, long double y) {
  return x == y ? f(x, 1) : (f(x, 0) - f(y, 0)) / (x - y);
}
long double divided(const Spectral& f, long double x, long double y, long double z) {
  if (x == z) return x == y ? f(x, 2) / 2 : (f(x, 1) - divided(f, x, y)) / (x - y);
  return (divided(f, x, y) - divided(f, y, z)) / (x - z);
}
/// The value, D f[H] and D^2 f[H, E] of V diag(w) V^H.
struct Derivatives {
  Matrix value, first, second;
};
Derivatives derivatives(const Spectral& f, const Matrix& v, const Numbers& w, const Matrix& h, const Matrix& e) {
  const size_t n = w.size();
  const Matrix hv = times(times(adjoint(v), h), v), ev = times(times(adjoint(v), e), v);
  Matrix value(n, n), first(n, n), second(n, n);
  for (size_t i = 0; i < n; ++i) {
    value(i, i) = f(w[i], 0);
    for (size_t j = 0; j < n; ++j) {
      first(i, j) = divided(f, w[i], w[j]) * hv(i, j);
      for (size_t k = 0; k < n; ++k)
        second(i, j) += divided(f, w[i], w[k], w[j]) * (hv(i, k) * ev(k, j) + ev(i, k) * hv(k, j));
    }
  }
  const auto back = [&](const Matrix& x) { return times(times(v, x), adjoint(v)); };
  return {back(value), back(first), back(second)};
}

Array array_of(const Matrix& a, ElementType type) {
  std::vector<std::complex<double>> values(a.values.begin(), a.values.end());
  const Array x = Array::from_vector(values, {static_cast<int64_t>(a.rows), static_cast<int64_t>(a.columns)});
  return numpy::astype(is_complex(type) ? x : numpy::real(x), type);
}

void expect_near(const Array& got, const Matrix& right, double tolerance, const std::string& what,
                 long double floor = 0) {
  const auto a = numpy::astype(got, ElementType::kC128).to_vector<std::complex<double>>();
  ASSERT_EQ(a.size(), right.values.size()) << what;
  long double greatest = 0, worst = 0;
  for (const LongNumber& x : right.values) greatest = std::max(greatest, std::abs(x));
  for (size_t i = 0; i < a.size(); ++i) {
    const long double apart = std::abs(LongNumber(a[i]) - right.values[i]);
    worst = apart > worst || std::isnan(apart) ? apart : worst;
  }
  EXPECT_TRUE(worst <= tolerance * std::max(greatest, floor))
      << what << ": " << worst / greatest << " of the greatest, " << greatest;
}

/// Re sum(conj(weights) f(a)), whose gradient is the conjugate of D f[weights].
using OfMatrix = std::function<Array(const Array&)>;
auto weighted(const OfMatrix& f, const Array& weights) {
  return [=](const Array& a) {
    const Array parts = numpy::conj(weights) * f(a);
    return numpy::sum(is_complex(parts.dtype()) ? numpy::real(parts) : parts);
  };
}

struct Case {
  std::string what;
  OfMatrix f;
  Matrix a, value, weights, gradient, direction, second;  ///< D f[weights], D^2 f[weights, direction]
  long double floor = 0;                                  ///< Smaller second derivatives count as this value.
};

/// Checks value, gradient and second derivatives, in forward and reverse mode: eager, jitted and under vmap.
void check(const Case& c, ElementType type, double tolerance, bool second) {
  SCOPED_TRACE(c.what);
  const Array a = array_of(c.a, type), e = array_of(c.direction, type);
  const auto loss = weighted(c.f, array_of(c.weights, type));
  const auto slope = [&](const Array& x) { return numpy::conj(grad(loss)(x)); };
  expect_near(c.f(a), c.value, tolerance, "value");
  expect_near(slope(a), c.gradient, tolerance, "reverse");
  const Array two = numpy::stack({a, a});
  expect_near(vmap(slope)(two)(1), c.gradient, tolerance, "reverse, mapped");
  if (!second) return;
  const auto along = [&](const Array& x) { return jvp(slope, std::tuple(x), std::tuple(e)).second; };
  expect_near(along(a), c.second, tolerance, "forward over reverse", c.floor);
  expect_near(vmap(along)(two)(1), c.second, tolerance, "forward over reverse, mapped", c.floor);
  const auto dot = [&](const Array& x) {
    const Array parts = numpy::conj(e) * slope(x);
    return numpy::sum(is_complex(parts.dtype()) ? numpy::real(parts) : parts);
  };
  expect_near(numpy::conj(jit(grad(dot))(a)), c.second, tolerance, "reverse over reverse", c.floor);
}

/// Checks directional derivatives: D f[direction] and D^2 f[direction, direction].
void check_forward(const OfMatrix& f, const Matrix& a, const Matrix& h, const Derivatives& right, ElementType type,
                   double tolerance, bool second, long double floor = 0) {
  const Array x = array_of(a, type), e = array_of(h, type);
  const auto along = [&](const Array& y) { return jvp(f, std::tuple(y), std::tuple(e)).second; };
  expect_near(along(x), right.first, tolerance, "forward");
  if (second)
    expect_near(jvp(along, std::tuple(x), std::tuple(e)).second, right.second, tolerance, "forward over forward",
                floor);
}

class Spectra : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(config().update("jax_enable_x64", true).ok()); }
  void TearDown() override { ASSERT_TRUE(config().update("jax_enable_x64", false).ok()); }
};

/// The projector onto the space of the last `count` of n values.
OfMatrix projector(int64_t count) {
  return [=](const Array& a) {
    const linalg::EighResult f = linalg::eigh(a);
    const int64_t n = a.shape(-1);
    const Array v = matrix::column_range(f.v, n - count, count);
    return matrix::product(v, matrix::adjoint(v));
  };
}
Spectral above(long double bound) {
  return [=](long double x, int order) -> long double { return order == 0 && x > bound ? 1 : 0; };
}

struct Spectrum {
  Numbers values;
  int64_t count;  ///< the last `count` values are a group
  long double bound;
};
const std::vector<Spectrum> kSpectra = {{{1, 1}, 2, 0.5L},
                                        {{1, 2}, 1, 1.5L},
                                        {{1, 1, 2}, 1, 1.5L},
                                        {{1, 2, 2}, 2, 1.5L},
                                        {{0, 0, 0, 3}, 1, 1},
                                        {{-1, -1, 1, 1}, 2, 0},
                                        {{1, 1, 1, 1}, 4, 0},
                                        {{1, 2, 2, 2, 5, 5}, 2, 3},
                                        {{-3, 0, 0, 1, 1, 4}, 3, .5},
                                        {{1, 1.25, 1.5, 1.75, 2, 2}, 4, 1.375L}};

TEST_F(Spectra, ProjectorsOfGroups) {
  for (const Spectrum& spectrum : kSpectra) {
    for (ElementType type : {ElementType::kF64, ElementType::kC128, ElementType::kF32}) {
      for (long double scale : {1.0L, 1e-300L, 1e300L, 1e-150L, 1e150L, 1e-30L, 1e30L}) {
        const bool narrow = type == ElementType::kF32;
        if (narrow && (scale < 1e-31L || scale > 1e31L)) continue;
        const size_t n = spectrum.values.size();
        const bool complex = is_complex(type);
        Numbers w = spectrum.values;
        for (long double& x : w) x *= scale;
        const Matrix v = random_unitary(n, n, complex), h = random_hermitian(n, complex),
                     e = random_hermitian(n, complex);
        const Spectral f = above(spectrum.bound * scale),
                       same = [](long double x, int order) -> long double { return order == 0 ? x : order == 1; };
        const Derivatives at = derivatives(f, v, w, h, e);
        const Matrix a = derivatives(same, v, w, h, e).value;
        const bool second = narrow ? scale == 1 : scale > 1e-200L && scale < 1e200L;
        const double tolerance = narrow ? 1e-4 : 1e-10;
        Case c{"n " + std::to_string(n) + " scale " + std::to_string(std::log10(scale)) + (complex ? " complex" : ""),
               projector(spectrum.count),
               a,
               at.value,
               h,
               at.first,
               e,
               at.second};
        check(c, type, tolerance, second);
        check_forward(c.f, a, h, derivatives(f, v, w, h, h), type, tolerance, second);
      }
    }
  }
}

/// Embeds A = U diag(s) V^H in [0 A; A^H 0], whose eigenvalues are s, -s and zeros.
struct Dilation {
  Matrix a, v;
  Numbers w;
};
Dilation dilation(size_t m, size_t n, const Numbers& s, bool complex) {
  const Matrix u = random_unitary(m, m, complex), v = random_unitary(n, n, complex);
  Dilation d{Matrix(m, n), Matrix(m + n, m + n), Numbers(m + n)};
  const long double half = std::sqrt(0.5L);
  size_t column = 0;
  for (size_t k = 0; k < s.size(); ++k) {
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) d.a(i, j) += s[k] * u(i, k) * std::conj(v(j, k));
    for (int sign : {1, -1}) {
      for (size_t i = 0; i < m; ++i) d.v(i, column) = half * u(i, k);
      for (size_t j = 0; j < n; ++j) d.v(m + j, column) = half * sign * v(j, k);
      d.w[column++] = sign * s[k];
    }
  }
  for (size_t k = s.size(); k < m; ++k, ++column)
    for (size_t i = 0; i < m; ++i) d.v(i, column) = u(i, k);
  for (size_t k = s.size(); k < n; ++k, ++column)
    for (size_t j = 0; j < n; ++j) d.v(m + j, column) = v(j, k);
  return d;
}
Matrix dilated(const Matrix& h) {
  Matrix x(h.rows + h.columns, h.rows + h.columns);
  for (size_t i = 0; i < h.rows; ++i) {
    for (size_t j = 0; j < h.columns; ++j) {
      x(i, h.rows + j) = h(i, j);
      x(h.rows + j, i) = std::conj(h(i, j));
    }
  }
  return x;
}
/// `x` [m, m] in the corner of an n x n matrix of zeros.
Matrix in_corner(const Matrix& x, size_t n) {
  Matrix y(n, n);
  for (size_t i = 0; i < x.rows; ++i)
    for (size_t j = 0; j < x.columns; ++j) y(i, j) = x(i, j);
  return y;
}

/// U V^H of the first `count` singular values. For all of them it is the unitary factor of the polar decomposition.
OfMatrix polar(int64_t count) {
  return [=](const Array& a) {
    const std::vector<Array> f = linalg::svd(a, false, true);
    return matrix::product(matrix::column_range(f[0], 0, count), matrix::row_range(f[2], 0, count));
  };
}
/// U U^H of the first `count` singular values, or V V^H.
OfMatrix left_projector(int64_t count) {
  return [=](const Array& a) {
    const Array u = matrix::column_range(linalg::svd(a, false, true)[0], 0, count);
    return matrix::product(u, matrix::adjoint(u));
  };
}

struct Singular {
  size_t m, n;
  Numbers values;
  int64_t count;  ///< the first `count` values are a group
  long double bound;
};
const std::vector<Singular> kSingular = {{2, 2, {1, 1}, 2, .5},   {3, 3, {2, 1, 1}, 1, 1.5},  {3, 3, {2, 2, 1}, 2, 1.5},
                                         {4, 2, {1, 1}, 2, .5},   {2, 4, {3, 1}, 1, 2},       {4, 3, {2, 2, 0}, 2, 1},
                                         {3, 4, {2, 0, 0}, 1, 1}, {4, 4, {3, 3, 1, 1}, 2, 2}, {3, 3, {2, 2, 0}, 2, .5},
                                         {5, 3, {2, 1, 1}, 3, .5}};

TEST_F(Spectra, SingularVectorsOfGroups) {
  for (const Singular& singular : kSingular) {
    for (ElementType type : {ElementType::kF64, ElementType::kC128}) {
      for (long double scale : {1.0L, 1e-300L, 1e300L, 1e-140L, 1e140L}) {
        const size_t m = singular.m, n = singular.n;
        const bool complex = is_complex(type), second = scale > 1e-200L && scale < 1e200L;
        Numbers s = singular.values;
        for (long double& x : s) x *= scale;
        const Dilation d = dilation(m, n, s, complex);
        const Matrix h = random_matrix(m, n, complex), e = random_matrix(m, n, complex),
                     p = random_hermitian(m, complex);
        const long double bound = singular.bound * scale;
        const Spectral sign = [=](long double x, int order) -> long double {
          return order == 0 && std::abs(x) > bound ? (x > 0 ? 1 : -1) : 0;
        };
        const Spectral size = [=](long double x, int order) -> long double {
          return order == 0 && std::abs(x) > bound;
        };
        const auto corner = [&](const Matrix& x) { return part(x, 0, m, m, n); };
        const std::string what =
            std::to_string(m) + " x " + std::to_string(n) + " scale " + std::to_string(std::log10(scale));
        const Derivatives at = derivatives(sign, d.v, d.w, dilated(h), dilated(e));
        check(
            {what + " polar", polar(singular.count), d.a, corner(at.value), h, corner(at.first), e, corner(at.second)},
            type, 1e-10, second);
        const Derivatives along = derivatives(sign, d.v, d.w, dilated(h), dilated(h));
        check_forward(polar(singular.count), d.a, h, {corner(along.value), corner(along.first), corner(along.second)},
                      type, 1e-10, second);
        if (static_cast<size_t>(singular.count) == std::min(m, n)) {
          const auto nuclear = [](const Array& x) { return numpy::sum(linalg::svd(x, false, false)[0]); };
          const auto slope = [&](const Array& x) { return numpy::conj(grad(nuclear)(x)); };
          const Derivatives norm = derivatives(sign, d.v, d.w, dilated(e), dilated(e));
          const Array a = array_of(d.a, type);
          expect_near(slope(a), corner(norm.value), 1e-10, what + " nuclear norm");
          expect_near(jvp(slope, std::tuple(a), std::tuple(array_of(e, type))).second, corner(norm.first), 1e-10,
                      what + " nuclear norm, second");
        }
        if (static_cast<size_t>(singular.count) == m) continue;  // the projector onto the whole space
        Derivatives left = derivatives(size, d.v, d.w, in_corner(p, m + n), dilated(e));
        for (LongNumber& x : left.first.values) x *= 2;
        for (LongNumber& x : left.second.values) x *= 2;
        check({what + " left", left_projector(singular.count), d.a, part(left.value, 0, 0, m, m), p, corner(left.first),
               e, corner(left.second)},
              type, 1e-10, second);
      }
    }
  }
}

/// A scalar function with its derivatives, as a function of arrays.
struct Function {
  std::string name;
  std::function<Array(const Array&)> of_array;
  Spectral of_number;
};
const std::vector<Function>& functions() {
  using L = long double;
  static const std::vector<Function> kFunctions = {
      {"identity", [](const Array& x) { return x; }, [](L x, int k) { return k == 0 ? x : L(k == 1); }},
      {"square", [](const Array& x) { return x * x; },
       [](L x, int k) {
         return k == 0 ? x * x : k == 1 ? 2 * x : k == 2 ? 2 : 0;
       }},
      {"exp", [](const Array& x) { return numpy::exp(x); }, [](L x, int) { return std::exp(x); }},
      {"expm1", [](const Array& x) { return numpy::expm1(x); },
       [](L x, int k) { return k == 0 ? std::expm1(x) : std::exp(x); }},
      {"sin", [](const Array& x) { return numpy::sin(x); },
       [](L x, int k) { return k == 0   ? std::sin(x)
                               : k == 1 ? std::cos(x)
                                        : -std::sin(x); }},
      {"inverse", [](const Array& x) { return 1 / (x + 5); },
       [](L x, int k) { return k == 0   ? 1 / (x + 5)
                               : k == 1 ? -1 / ((x + 5) * (x + 5))
                                        : 2 / std::pow(x + 5, 3); }},
      {"root", [](const Array& x) { return numpy::sqrt(x + 5); },
       [](L x, int k) {
         return k == 0 ? std::sqrt(x + 5) : k == 1 ? 0.5L / std::sqrt(x + 5) : -0.25L * std::pow(x + 5, -1.5L);
       }},
      {"log", [](const Array& x) { return numpy::log(x + 5); },
       [](L x, int k) { return k == 0   ? std::log(x + 5)
                               : k == 1 ? 1 / (x + 5)
                                        : -1 / ((x + 5) * (x + 5)); }},
      {"part above", [](const Array& x) { return numpy::where(x > 0.4, x * x * x, 0 * x); },
       [](L x, int k) {
         return x <= 0.4L ? 0 : k == 0 ? x * x * x : k == 1 ? 3 * x * x : 6 * x;
       }},
  };
  return kFunctions;
}

using OfSpectrum = std::function<Array(const Array& v, const Array& w, const Function& f)>;
/// V f(w) V^H as programs write it. A form that needs a root of f(w) receives w itself, so it works for one function
/// only.
struct Form {
  std::string name;
  OfSpectrum of;
};
Array row(const Array& w) { return numpy::expand_dims(w, {-2}); }
Array column(const Array& w) { return numpy::expand_dims(w, {-1}); }
const std::vector<Form>& forms() {
  using matrix::adjoint;
  static const std::vector<Form> kForms = {
      {"columns scaled", [](auto& v, auto& w, auto& f) { return numpy::matmul(v * row(f.of_array(w)), adjoint(v)); }},
      {"rows scaled", [](auto& v, auto& w, auto& f) { return numpy::matmul(v, column(f.of_array(w)) * adjoint(v)); }},
      {"diag",
       [](auto& v, auto& w, auto& f) {
         return numpy::matmul(numpy::matmul(v, matrix::diagonal_matrix(numpy::astype(f.of_array(w), v.dtype()))),
                              adjoint(v));
       }},
      {"diag first",
       [](auto& v, auto& w, auto& f) {
         const Array d = numpy::identity(w.shape(-1), w.dtype()) * row(f.of_array(w));
         return numpy::matmul(v, numpy::matmul(numpy::astype(d, v.dtype()), adjoint(v)));
       }},
      {"einsum", [](auto& v, auto& w,
                    auto& f) { return numpy::einsum("...ij,...j,...kj->...ik", {v, f.of_array(w), numpy::conj(v)}); }},
      {"of a vector at a time",
       [](auto& v, auto& w, auto& f) {
         const Array x = numpy::identity(w.shape(-1), v.dtype());
         const Array seen = vmap([](const Array& u, const Array& e) { return numpy::matmul(adjoint(u), e); },
                                 {.in_axes = std::tuple(nullptr, 0), .out_axes = -1})(v, x);
         return numpy::matmul(v, column(f.of_array(w)) * seen);
       }},
      {"two factors",
       [](auto& v, auto& w, auto& f) {  // f = (f / g) g
         const Array g = numpy::exp(0.1 * w);
         return numpy::matmul(v * row(f.of_array(w) / g), adjoint(v * row(g)));
       }},
      {"one vector after the other",
       [](auto& v, auto& w, auto& f) {
         const Array values = f.of_array(w);
         Array sum = numpy::zeros_like(v);
         for (int64_t j = 0; j < w.shape(-1); ++j) {
           const Array u = matrix::column_range(v, j, 1);
           sum =
               sum + numpy::take(values, numpy::array(j), {.axis = -1}).reshape({1, 1}) * numpy::matmul(u, adjoint(u));
         }
         return sum;
       }},
  };
  return kForms;
}

struct Random {
  Matrix v, h, e;
  Random(size_t n, bool complex)
      : v(random_unitary(n, n, complex)), h(random_hermitian(n, complex)), e(random_hermitian(n, complex)) {}
};
const Spectral kSame = [](long double x, int order) -> long double { return order == 0 ? x : order == 1; };

TEST_F(Spectra, FunctionsOfMatrices) {
  for (const Spectrum& spectrum : kSpectra) {
    for (ElementType type : {ElementType::kF64, ElementType::kC128}) {
      const size_t n = spectrum.values.size();
      const bool complex = is_complex(type);
      const Random r(n, complex);
      const Matrix a = derivatives(kSame, r.v, spectrum.values, r.h, r.e).value;
      for (size_t i = 0; i < forms().size() * functions().size(); ++i) {
        const Form& form = forms()[i % forms().size()];
        const Function& f = functions()[i / forms().size()];
        // Tests all forms of one function, all functions in one form, and every seventh of the other combinations.
        if (i / forms().size() != 2 && i % forms().size() != 0 && (i + n) % 7 != 0) continue;
        const Derivatives at = derivatives(f.of_number, r.v, spectrum.values, r.h, r.e);
        const OfMatrix of = [&](const Array& x) {
          const linalg::EighResult s = linalg::eigh(x);
          return form.of(s.v, s.w, f);
        };
        const std::string what = form.name + " " + f.name + " n " + std::to_string(n) + (complex ? " complex" : "");
        if (form.name == "one vector after the other") {  // does not support batches
          const auto slope = [&](const Array& x) { return numpy::conj(grad(weighted(of, array_of(r.h, type)))(x)); };
          expect_near(slope(array_of(a, type)), at.first, 1e-10, what);
          continue;
        }
        check({what, of, a, at.value, r.h, at.first, r.e, at.second, 1}, type, 1e-10, true);
        check_forward(of, a, r.h, derivatives(f.of_number, r.v, spectrum.values, r.h, r.h), type, 1e-10, true, 1);
      }
    }
  }
}

/// Calls and checkpoints between eigh and its consumers, and a loss that depends only on a function of the matrix.
TEST_F(Spectra, BehindCalls) {
  const Numbers w = {1, 1, 1, 3};
  const Random r(4, false);
  const Function& f = functions()[2];
  const Derivatives at = derivatives(f.of_number, r.v, w, r.h, r.e);
  const Array a = array_of(derivatives(kSame, r.v, w, r.h, r.e).value, ElementType::kF64);
  const Array h = array_of(r.h, ElementType::kF64), e = array_of(r.e, ElementType::kF64);
  const auto decompose = jit([](const Array& x) {
    const linalg::EighResult s = linalg::eigh(x);
    return std::pair(s.v, s.w);
  });
  const auto compose = jit([](const Array& v, const Array& w) { return numpy::matmul(v * numpy::exp(w), v.T()); });
  const auto loss = [&](const Array& x) {
    const auto [v, w] = decompose(x);
    return numpy::sum(h * compose(v, w));
  };
  const auto saved = checkpoint([&](const Array& x) { return loss(x); });
  for (const OfMatrix& of : {OfMatrix(loss), OfMatrix(jit(loss)), OfMatrix(saved)}) {
    const auto slope = [&](const Array& x) { return grad(of)(x); };
    expect_near(slope(a), at.first, 1e-10, "reverse");
    expect_near(jit(slope)(a), at.first, 1e-10, "reverse, jitted");
    const Array rows = hessian(of)(a).reshape({16, 16});
    expect_near(numpy::matmul(rows, e.reshape({16})).reshape({4, 4}), at.second, 1e-10, "hessian");
    expect_near(jit(grad([&](const Array& x) { return numpy::sum(e * slope(x)); }))(a), at.second, 1e-10,
                "grad of grad");
  }
}

/// A vector in a group of equal values has no finite derivative. Vectors of distinct values have one, and so have the
/// values.
TEST_F(Spectra, OneVectorOfAGroup) {
  const Random r(4, false);
  const Array a = array_of(derivatives(kSame, r.v, {1, 1, 2, 3}, r.h, r.e).value, ElementType::kF64);
  const Array h = array_of(r.h, ElementType::kF64);
  const auto all_finite = [&](const OfMatrix& loss) {
    const Array gradient = grad(loss)(a), jitted = jit(grad(loss))(a);
    const bool finite = numpy::all(numpy::isfinite(gradient)).item<bool>();
    EXPECT_EQ(numpy::all(numpy::isfinite(jitted)).item<bool>(), finite);
    return finite;
  };
  const auto vector_of = [](int64_t j) {
    return [j](const Array& x) { return matrix::column_range(linalg::eigh(x).v, j, 1); };
  };
  const auto left = [](int64_t j) {
    return [j](const Array& x) { return matrix::column_range(linalg::svd(x, true, true)[0], j, 1); };
  };
  const auto component = [&](const auto& of) {
    return [&h, of](const Array& x) {
      const Array u = of(x);
      return numpy::sum(h * numpy::matmul(u, u.T()));
    };
  };
  EXPECT_FALSE(all_finite(component(vector_of(0))));
  EXPECT_FALSE(all_finite(component(vector_of(1))));
  EXPECT_TRUE(all_finite(component(vector_of(2))));
  EXPECT_TRUE(all_finite(component(vector_of(3))));
  EXPECT_TRUE(all_finite(component(left(0))));
  EXPECT_FALSE(all_finite(component(left(3))));
  EXPECT_TRUE(all_finite([](const Array& x) { return linalg::eigh(x).w(0); }));
}

/// Sums of functions of the eigenvalues. Their gradient is f'(A), a function of the matrix itself.
TEST_F(Spectra, SumsOfFunctionsOfValues) {
  for (const Spectrum& spectrum : kSpectra) {
    for (ElementType type : {ElementType::kF64, ElementType::kC128}) {
      const size_t n = spectrum.values.size();
      const Random r(n, is_complex(type));
      const Array a = array_of(derivatives(kSame, r.v, spectrum.values, r.h, r.e).value, type);
      const Array e = array_of(r.e, type);
      for (const Function& f : functions()) {
        const Spectral slope_of_number = [&](long double x, int order) { return f.of_number(x, order + 1); };
        const Derivatives at = derivatives(slope_of_number, r.v, spectrum.values, r.e, r.e);
        const auto sum = [&](const Array& x) { return numpy::sum(f.of_array(linalg::eigh(x).w)); };
        const auto slope = [&](const Array& x) { return numpy::conj(grad(sum)(x)); };
        expect_near(slope(a), at.value, 1e-10, f.name);
        if (f.name == "identity") continue;  // no second derivative
        expect_near(jvp(slope, std::tuple(a), std::tuple(e)).second, at.first, 1e-10,
                    f.name + ", forward over reverse");
        const auto along = [&](const Array& x) {
          const Array parts = numpy::conj(e) * slope(x);
          return numpy::sum(is_complex(type) ? numpy::real(parts) : parts);
        };
        expect_near(numpy::conj(jit(grad(along))(a)), at.first, 1e-10, f.name + ", reverse over reverse");
      }
    }
  }
}

/// An odd function of singular values is combined with U and V^H, an even one with the vectors of one side.
struct OfSingular {
  Function f;
  bool odd;
};
const std::vector<OfSingular>& functions_of_singular() {
  using L = long double;
  static const std::vector<OfSingular> kFunctions = {
      {functions()[0], true},
      {{"cube", [](const Array& x) { return x * x * x; },
        [](L x, int k) { return k == 0   ? x * x * x
                                : k == 1 ? 3 * x * x
                                : k == 2 ? 6 * x
                                         : 6; }},
       true},
      {{"sin", [](const Array& x) { return numpy::sin(x); },
        [](L x, int k) { return k % 2 == 0 ? (k == 0 ? 1 : -1) * std::sin(x) : (k == 1 ? 1 : -1) * std::cos(x); }},
       true},
      {functions()[1], false},
      {{"1 - cos", [](const Array& x) { return 1 - numpy::cos(x); },
        [](L x, int k) {
          return k == 0 ? 1 - std::cos(x) : k == 1 ? std::sin(x) : k == 2 ? std::cos(x) : -std::sin(x);
        }},
       false},
  };
  return kFunctions;
}

TEST_F(Spectra, FunctionsOfSingularValues) {
  for (const Singular& singular : kSingular) {
    for (ElementType type : {ElementType::kF64, ElementType::kC128}) {
      const size_t m = singular.m, n = singular.n;
      const bool complex = is_complex(type), square = m == n, full = singular.values.back() != 0;
      const Dilation d = dilation(m, n, singular.values, complex);
      const Matrix h = random_matrix(m, n, complex), e = random_matrix(m, n, complex), p = random_hermitian(m, complex);
      const auto corner = [&](const Matrix& x) { return part(x, 0, m, m, n); };
      for (const OfSingular& each : functions_of_singular()) {
        const Function& f = each.f;
        const std::string what = f.name + " " + std::to_string(m) + " x " + std::to_string(n);
        const OfMatrix of = [&](const Array& x) {
          const std::vector<Array> s = linalg::svd(x, false, true);
          return numpy::matmul(s[0] * row(f.of_array(s[1])), each.odd ? s[2] : matrix::adjoint(s[0]));
        };
        if (each.odd) {
          const Derivatives at = derivatives(f.of_number, d.v, d.w, dilated(h), dilated(e));
          check({what, of, d.a, corner(at.value), h, corner(at.first), e, corner(at.second), 1}, type, 1e-10, true);
          const Derivatives along = derivatives(f.of_number, d.v, d.w, dilated(h), dilated(h));
          check_forward(of, d.a, h, {corner(along.value), corner(along.first), corner(along.second)}, type, 1e-10, true,
                        1);
          continue;
        }
        Derivatives at = derivatives(f.of_number, d.v, d.w, in_corner(p, m + n), dilated(e));
        for (LongNumber& x : at.first.values) x *= 2;
        for (LongNumber& x : at.second.values) x *= 2;
        const Matrix value = derivatives(f.of_number, d.v, d.w, dilated(e), dilated(e)).value;
        check({what, of, d.a, part(value, 0, 0, m, m), p, corner(at.first), e, corner(at.second), 1}, type, 1e-10,
              square || full);
        // The sum of an even function of the values. Its gradient is an odd function.
        const Spectral slope_of_number = [&](long double x, int order) { return f.of_number(x, order + 1); };
        const Derivatives sum = derivatives(slope_of_number, d.v, d.w, dilated(e), dilated(e));
        const auto slope = [&](const Array& x) {
          return numpy::conj(
              grad([&](const Array& y) { return numpy::sum(f.of_array(linalg::svd(y, false, false)[0])); })(x));
        };
        const Array a = array_of(d.a, type);
        expect_near(slope(a), corner(sum.value), 1e-10, what + " sum");
        expect_near(jvp(slope, std::tuple(a), std::tuple(array_of(e, type))).second, corner(sum.first), 1e-10,
                    what + " sum, second");
      }
    }
  }
}

}  // namespace
}  // namespace hilo::lax
