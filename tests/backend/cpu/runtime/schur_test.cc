// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/schur.h"

#include "hilo/backend/cpu/runtime/eigen.h"
#include "hilo/backend/cpu/runtime/factor.h"
#include "tests/backend/cpu/runtime/matrix_check.h"

namespace hilo::cpu::runtime {
namespace {

/// Eigenvalues, and vectors in columns.
template <typename T>
struct Eigen {
  using C = Complex<RealOf<T>>;
  std::vector<C> values;
  Dense<C> left, right;
};

template <typename T>
Eigen<T> eigen_of(Dense<T> x) {
  using C = Complex<RealOf<T>>;
  const int64_t n = x.rows;
  std::vector<T> re(static_cast<size_t>(n)), im(static_cast<size_t>(n));
  Eigen<T> e{{}, Dense<C>(n, n), Dense<C>(n, n)};
  int32_t info = -1;
  const GeneralEigenProblem p{kTypeOf<T>, n, true, true};
  std::vector<void*> buffers = {x.data.data(), re.data()};
  if (!kIsComplex<T>) buffers.push_back(im.data());
  for (void* buffer :
       {static_cast<void*>(e.left.data.data()), static_cast<void*>(e.right.data.data()), static_cast<void*>(&info)})
    buffers.push_back(buffer);
  call_within(Routine::kGeneralEigen, bytes_of_problem(p), buffers, 1, p.scratch_bytes());
  EXPECT_EQ(info, 0);
  for (size_t k = 0; k < re.size(); ++k) e.values.push_back(C(real(re[k]), real(im[k]) + imaginary(re[k])));
  return e;
}

template <typename T>
Dense<Complex<RealOf<T>>> complex_of(const Dense<T>& x) {
  Dense<Complex<RealOf<T>>> y(x.rows, x.columns);
  for (size_t k = 0; k < x.data.size(); ++k) y.data[k] = {real(x.data[k]), imaginary(x.data[k])};
  return y;
}

/// Expects x v = v diag(values) and unit columns.
template <typename C>
void expect_vectors(const Dense<C>& x, const Dense<C>& v, const std::vector<C>& values, double size) {
  Dense<C> scaled = v;
  for (int64_t i = 0; i < v.rows; ++i) {
    for (int64_t k = 0; k < v.columns; ++k) scaled(i, k) = values[static_cast<size_t>(k)] * v(i, k);
  }
  expect_near(x * v, scaled, size);
  const Dense<C> squares = adjoint(v) * v;
  for (int64_t k = 0; k < v.columns; ++k) EXPECT_NEAR(squares(k, k).re, 1, 1e-4);
}

template <typename T>
void expect_eigen(const Dense<T>& x, double size) {
  const Eigen<T> e = eigen_of(x);
  expect_vectors(complex_of(x), e.right, e.values, size);
  auto conjugates = e.values;
  for (auto& value : conjugates) value = conjugate(value);
  expect_vectors(adjoint(complex_of(x)), e.left, conjugates, size);
  if (kIsComplex<T>) return;
  for (int64_t k = 0; k < x.rows; ++k) {
    const auto& value = e.values[static_cast<size_t>(k)];
    if (value.im > 0) {
      EXPECT_TRUE(e.values[static_cast<size_t>(k + 1)].im == -value.im);
    }
    for (int64_t i = 0; i < x.rows && value.im == 0; ++i) EXPECT_EQ(e.right(i, k).im, 0);
  }
}

template <typename T>
void expect_schur(Dense<T> x, double size) {
  using R = RealOf<T>;
  const int64_t n = x.rows;
  Dense<T> t(n, n), z(n, n);
  std::vector<T> re(static_cast<size_t>(n)), im(static_cast<size_t>(n));
  int32_t info = -1, selected = -1;
  const SchurProblem p{kTypeOf<T>, n, true};
  std::vector<void*> buffers = {x.data.data(), t.data.data(), z.data.data(), re.data()};
  if (!kIsComplex<T>) buffers.push_back(im.data());
  buffers.push_back(&selected);
  buffers.push_back(&info);
  call_within(Routine::kSchur, bytes_of_problem(p), buffers, 1, p.scratch_bytes());
  ASSERT_EQ(info, 0);
  expect_near(z * t * adjoint(z), x, size);
  expect_near(adjoint(z) * z, identity<T>(n));
  for (int64_t i = 0; i < n; ++i) {
    EXPECT_EQ(magnitude(re[static_cast<size_t>(i)] - t(i, i)), R(0));
    for (int64_t j = 0; j + 1 < i; ++j) EXPECT_EQ(magnitude(t(i, j)), R(0));
    if (i == 0 || magnitude(t(i, i - 1)) == 0) continue;
    ASSERT_FALSE(kIsComplex<T>);
    EXPECT_EQ(real(t(i, i)), real(t(i - 1, i - 1)));
    EXPECT_NE(real(t(i, i - 1)) < 0, real(t(i - 1, i)) < 0);
    if (i + 1 < n) {
      EXPECT_EQ(real(t(i + 1, i)), 0);
    }
  }
}

TEST(RuntimeSchur, VectorsAndValuesGiveTheMatrix) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {0, 1, 2, 3, 8, 31}) {
      expect_eigen(random_matrix<T>(n, n, 5), 4);
      expect_schur(random_matrix<T>(n, n, 5), 4);
    }
  });
}

TEST(RuntimeSchur, HandlesHardMatrices) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {2, 3, 7, 16, 40}) {
      for (const auto& [name, matrix] : hard_matrices<T>(n, n)) {
        SCOPED_TRACE(name);
        expect_schur(matrix, 4);
        const bool is_graded = name == "graded columns" || name == "tiny columns";
        if (!is_graded) expect_eigen(matrix, 4);  // the factors of balancing are too large there, as LAPACK's
      }
    }
  });
}

TEST(RuntimeSchur, HandlesExtremeSizes) {
  for_linalg_types([]<typename T>() {
    using R = RealOf<T>;
    for (const R size : {std::numeric_limits<R>::min() * 16, std::numeric_limits<R>::max() / 64}) {
      Dense<T> x = random_matrix<T>(6, 6, 3);
      for (T& element : x.data) element = size * element;
      expect_eigen(x, 4 * static_cast<double>(size));
      expect_schur(x, 4 * static_cast<double>(size));
    }
  });
}

TEST(RuntimeSchur, EigenvaluesOfTrianglesAreTheirDiagonals) {
  Dense<double> x = random_matrix<double>(7, 7, 2);
  for (int64_t i = 0; i < 7; ++i) {
    for (int64_t j = i + 1; j < 7; ++j) x(i, j) = 0;
  }
  const Eigen<double> e = eigen_of(x);
  std::vector<double> values, wanted;
  for (size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(e.values[k].im, 0);
    values.push_back(e.values[k].re);
    wanted.push_back(x(static_cast<int64_t>(k), static_cast<int64_t>(k)));
  }
  std::ranges::sort(values);
  std::ranges::sort(wanted);
  EXPECT_EQ(values, wanted);
}

TEST(RuntimeSchur, NumbersThatAreNotFiniteHaveInfo) {
  Dense<double> x = identity<double>(3), t(3, 3), z(3, 3);
  x(2, 0) = NAN;
  std::vector<double> re(3), im(3);
  int32_t selected = 0, info = 0;
  const SchurProblem p{ElementType::kF64, 3, true};
  call_within(Routine::kSchur, bytes_of_problem(p),
              {x.data.data(), t.data.data(), z.data.data(), re.data(), im.data(), &selected, &info}, 1,
              p.scratch_bytes());
  EXPECT_EQ(info, kNotFinite);
}

TEST(RuntimeSchur, HessenbergFormsAreSimilar) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {1, 2, 5, 20}) {
      Dense<T> x = random_matrix<T>(n, n, 4), h(n, n), all(n, n), one = identity<T>(n);
      std::vector<T> factors(static_cast<size_t>(n));
      int32_t info = -1;
      const HessenbergProblem p{kTypeOf<T>, n, 0, n};
      call_within(Routine::kHessenberg, bytes_of_problem(p), {x.data.data(), h.data.data(), factors.data(), &info}, 1,
                  p.scratch_bytes());
      ASSERT_EQ(info, 0);
      Dense<T> known(n, n), form(n, n);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (i <= j + 1) form(i, j) = h(i, j);
          if (i > 0 && j + 1 < n) known(i - 1, j) = h(i, j);  // reflections without the first row
        }
      }
      const ReflectionsProblem product{kTypeOf<T>, n, n, n - 1};
      Dense<T> q(n, n), basis = identity<T>(n);
      call_within(Routine::kReflections, bytes_of_problem(product), {known.data.data(), factors.data(), q.data.data()},
                  1, product.scratch_bytes());
      for (int64_t i = 1; i < n; ++i) {
        for (int64_t j = 1; j < n; ++j) basis(i, j) = q(i - 1, j - 1);
      }
      expect_near(basis * form * adjoint(basis), x, 4);
    }
  });
}

}  // namespace
}  // namespace hilo::cpu::runtime
