// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/eigen.h"

#include "tests/backend/cpu/runtime/matrix_check.h"

namespace hilo::cpu::runtime {
namespace {

template <typename T>
void expect_eigh(Dense<T> x, double size = 1) {
  using R = RealOf<T>;
  const int64_t n = x.rows;
  Dense<T> vectors(n, n), scaled(n, n);
  std::vector<R> values(static_cast<size_t>(n));
  int32_t info = -1;
  const EighProblem p{kTypeOf<T>, n, true, true};
  call_within(Routine::kEigh, bytes_of_problem(p), {x.data.data(), vectors.data.data(), values.data(), &info}, 1,
              p.scratch_bytes());
  ASSERT_EQ(info, 0);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) scaled(i, k) = values[static_cast<size_t>(k)] * vectors(i, k);
  }
  expect_near(scaled * adjoint(vectors), x, size);
  expect_near(adjoint(vectors) * vectors, identity<T>(n));
}

template <typename T>
Dense<T> hermitian(int64_t n) {
  const Dense<T> a = random_matrix<T>(n, n, static_cast<unsigned>(n) + 1), b = adjoint(a);
  Dense<T> x(n, n);
  for (size_t k = 0; k < x.data.size(); ++k) x.data[k] = a.data[k] + b.data[k];
  return x;
}

TEST(RuntimeEigen, VectorsAndValuesGiveTheMatrix) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {0, 1, 2, 3, 8, 31, 50}) expect_eigh(hermitian<T>(n), 4);
  });
}

TEST(RuntimeEigen, HandlesEqualValuesAndExtremeSizes) {
  for_linalg_types([]<typename T>() {
    using R = RealOf<T>;
    expect_eigh(Dense<T>(5, 5));
    expect_eigh(identity<T>(5));
    for (const R size : {std::numeric_limits<R>::min() * 16, std::numeric_limits<R>::max() / 64}) {
      Dense<T> x = hermitian<T>(6);
      for (T& element : x.data) element = size * element;
      expect_eigh(x, 4 * static_cast<double>(size));
    }
  });
}

TEST(RuntimeEigen, HandlesHardMatrices) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {2, 5, 16, 33}) {
      for (const auto& [name, matrix] : hard_matrices<T>(n, n)) {
        SCOPED_TRACE(name);
        Dense<T> x = matrix;
        const Dense<T> other = adjoint(matrix);
        for (size_t k = 0; k < x.data.size(); ++k) x.data[k] += other.data[k];
        expect_eigh(x, 4);
      }
    }
  });
}

/// The diagonals and reflections of a matrix give the matrix.
template <typename T>
void expect_tridiagonal(Dense<T> x, bool lower) {
  using R = RealOf<T>;
  const int64_t n = x.rows;
  Dense<T> out(n, n), basis = identity<T>(n), form(n, n);
  std::vector<R> diagonal(static_cast<size_t>(n)), beside(static_cast<size_t>(n));
  std::vector<T> factors(static_cast<size_t>(n));
  int32_t info = -1;
  const TridiagonalProblem p{kTypeOf<T>, n, lower};
  call_within(Routine::kTridiagonal, bytes_of_problem(p),
              {x.data.data(), out.data.data(), diagonal.data(), beside.data(), factors.data(), &info}, 1,
              p.scratch_bytes());
  ASSERT_EQ(info, 0);
  for (int64_t i = 0; i < n; ++i) {
    form(i, i) = T(diagonal[static_cast<size_t>(i)]);
    if (i + 1 < n) form(i, i + 1) = form(i + 1, i) = T(beside[static_cast<size_t>(i)]);
  }
  for (int64_t step = 0; step + 1 < n; ++step) {  // q = h0 h1 ..., or ... h1 h0 for an upper triangle
    const int64_t k = lower ? step : n - 2 - step;
    Dense<T> v(n, 1);
    v(lower ? k + 1 : k, 0) = T(1);
    for (int64_t i = lower ? k + 2 : 0; i < (lower ? n : k); ++i) v(i, 0) = out(i, lower ? k : k + 1);
    const Dense<T> product = basis * v * adjoint(v);
    for (size_t i = 0; i < basis.data.size(); ++i) basis.data[i] -= factors[static_cast<size_t>(k)] * product.data[i];
  }
  expect_near(basis * form * adjoint(basis), x, 4);
}

TEST(RuntimeEigen, TridiagonalFormsAreSimilar) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {1, 2, 3, 9, 30}) {
      for (const bool lower : {false, true}) expect_tridiagonal(hermitian<T>(n), lower);
    }
  });
}

TEST(RuntimeEigen, NumbersThatAreNotFiniteHaveInfo) {
  std::vector<double> x = {1, 0, NAN, 1}, vectors(4), values(2);
  int32_t info = 0;
  const EighProblem lower{ElementType::kF64, 2, true, true}, upper{ElementType::kF64, 2, false, true};
  call_within(Routine::kEigh, bytes_of_problem(lower), {x.data(), vectors.data(), values.data(), &info}, 1,
              lower.scratch_bytes());
  EXPECT_EQ(info, kNotFinite);
  call_within(Routine::kEigh, bytes_of_problem(upper), {x.data(), vectors.data(), values.data(), &info}, 1,
              upper.scratch_bytes());
  EXPECT_EQ(info, 0);  // that triangle isn't read
}

}  // namespace
}  // namespace hilo::cpu::runtime
