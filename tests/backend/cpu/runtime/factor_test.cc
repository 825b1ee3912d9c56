// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/factor.h"

#include "tests/backend/cpu/runtime/matrix_check.h"

namespace hilo::cpu::runtime {
namespace {

template <typename T>
Dense<T> positive_matrix(int64_t n) {
  const Dense<T> a = random_matrix<T>(n, n, static_cast<unsigned>(n));
  Dense<T> b = a * adjoint(a);
  for (int64_t i = 0; i < n; ++i) b(i, i) += T(1);
  return b;
}

TEST(RuntimeFactor, CholeskyGivesTheMatrix) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {0, 1, 2, 7, 33, 50}) {
      for (const bool lower : {false, true}) {
        Dense<T> x = positive_matrix<T>(n), factor(n, n);
        const CholeskyProblem p{kTypeOf<T>, n, lower, false};
        call_within(Routine::kCholesky, bytes_of_problem(p), {x.data.data(), factor.data.data()}, 1, p.scratch_bytes());
        expect_near(lower ? factor * adjoint(factor) : adjoint(factor) * factor, x, static_cast<double>(n));
      }
    }
  });
}

TEST(RuntimeFactor, CholeskyOfOtherMatricesIsNaNOrHasInfo) {
  std::vector<double> x = {1, 2, 2, 1}, factor(4);
  int32_t info = -1;
  const CholeskyProblem p{ElementType::kF64, 2, true, false}, with_info{ElementType::kF64, 2, true, true};
  call_within(Routine::kCholesky, bytes_of_problem(p), {x.data(), factor.data()}, 1, p.scratch_bytes());
  for (const double f : factor) EXPECT_TRUE(std::isnan(f));
  call_within(Routine::kCholesky, bytes_of_problem(with_info), {x.data(), factor.data(), &info}, 1, p.scratch_bytes());
  EXPECT_EQ(info, 2);
}

/// Returns info.
template <typename T>
int32_t expect_lu(Dense<T> x) {
  const int64_t rows = x.rows, columns = x.columns, least = std::min(rows, columns);
  Dense<T> factors(rows, columns), l(rows, least), u(least, columns);
  std::vector<int32_t> pivots(static_cast<size_t>(least));
  int32_t info = -1;
  const LuProblem p{kTypeOf<T>, rows, columns};
  call_within(Routine::kLu, bytes_of_problem(p), {x.data.data(), factors.data.data(), pivots.data(), &info}, 1,
              p.scratch_bytes());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      if (i > j) l(i, j) = factors(i, j);
      else u(i, j) = factors(i, j);
      EXPECT_LE(i > j ? magnitude(factors(i, j)) : RealOf<T>(0), RealOf<T>(1.5));
    }
  }
  for (int64_t i = 0; i < least; ++i) l(i, i) = T(1);
  for (size_t k = 0; k < pivots.size(); ++k) {
    for (int64_t j = 0; j < columns; ++j) std::swap(x(static_cast<int64_t>(k), j), x(pivots[k] - 1, j));
  }
  expect_near(l * u, x, 4);
  return info;
}

TEST(RuntimeFactor, LuGivesTheRowsInTheOrderOfPivots) {
  for_linalg_types([]<typename T>() {
    for (const auto& [rows, columns] :
         {std::pair<int64_t, int64_t>{1, 1}, {5, 5}, {9, 4}, {4, 9}, {50, 60}, {60, 50}}) {
      EXPECT_EQ(expect_lu(random_matrix<T>(rows, columns, 3)), 0);
      for (const auto& [name, matrix] : hard_matrices<T>(rows, columns)) {
        SCOPED_TRACE(name);
        expect_lu(matrix);
      }
    }
  });
}

TEST(RuntimeFactor, LuOfSingularMatricesHasInfo) {
  std::vector<float> x = {1, 2, 2, 4}, factors(4);
  std::vector<int32_t> pivots(2);
  int32_t info = -1;
  call_within(Routine::kLu, bytes_of_problem(LuProblem{ElementType::kF32, 2, 2}),
              {x.data(), factors.data(), pivots.data(), &info}, 1, 0);
  EXPECT_EQ(info, 2);
}

template <typename T>
void expect_qr(Dense<T> x) {
  const int64_t rows = x.rows, columns = x.columns, least = std::min(rows, columns);
  Dense<T> r(rows, columns), c = identity<T>(rows), all(rows, rows);
  std::vector<T> factors(static_cast<size_t>(least));
  const QrProblem p{kTypeOf<T>, rows, columns};
  call_within(Routine::kQr, bytes_of_problem(p), {x.data.data(), r.data.data(), factors.data()}, 1, p.scratch_bytes());
  Dense<T> known(rows, least), q(rows, least), upper(least, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < least; ++j) known(i, j) = r(i, j);
  }
  for (int64_t i = 0; i < least; ++i) {
    for (int64_t j = i; j < columns; ++j) upper(i, j) = r(i, j);
  }
  const ReflectionsProblem product{kTypeOf<T>, rows, least, least};
  call_within(Routine::kReflections, bytes_of_problem(product), {known.data.data(), factors.data(), q.data.data()}, 1,
              product.scratch_bytes());
  expect_near(q * upper, x, 2);
  expect_near(adjoint(q) * q, identity<T>(least));
  for (const bool left : {false, true}) {
    for (const bool is_adjoint : {false, true}) {
      const ApplyReflectionsProblem apply{kTypeOf<T>, rows, rows, least, least, left, is_adjoint};
      call_within(Routine::kApplyReflections, bytes_of_problem(apply),
                  {known.data.data(), factors.data(), c.data.data(), all.data.data()}, 1, apply.scratch_bytes());
      const Dense<T> whole = is_adjoint ? adjoint(all) : all;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < least; ++j)
          EXPECT_LE(magnitude(whole(i, j) - q(i, j)), 4000 * std::numeric_limits<RealOf<T>>::epsilon());
      }
    }
  }
}

TEST(RuntimeFactor, QrGivesTheMatrix) {
  for_linalg_types([]<typename T>() {
    for (const auto& [rows, columns] :
         {std::pair<int64_t, int64_t>{1, 1}, {6, 6}, {9, 4}, {4, 9}, {50, 60}, {60, 50}}) {
      expect_qr(random_matrix<T>(rows, columns, 5));
      if (rows > 9) continue;
      for (const auto& [name, matrix] : hard_matrices<T>(rows, columns)) {
        SCOPED_TRACE(name);
        expect_qr(matrix);
      }
    }
  });
}

/// A column with NaN below its first element: nothing that depends on it is a number.
TEST(RuntimeFactor, QrSpreadsNaN) {
  for_linalg_types([]<typename T>() {
    for (const int64_t column : {0, 1}) {
      Dense<T> x = random_matrix<T>(4, 3, 2), r(4, 3);
      for (int64_t i = column + 1; i < 4; ++i) x(i, column) = not_a_number<T>();
      std::vector<T> factors(3);
      const QrProblem p{kTypeOf<T>, 4, 3};
      call_within(Routine::kQr, bytes_of_problem(p), {x.data.data(), r.data.data(), factors.data()}, 1,
                  p.scratch_bytes());
      for (int64_t j = column; j < 3; ++j) EXPECT_FALSE(is_finite(r(column, j))) << column << ", " << j;
      for (int64_t j = 0; j < column; ++j) EXPECT_TRUE(is_finite(r(0, j))) << j;
    }
  });
}

TEST(RuntimeFactor, QrOfExtremeNumbersIsThatOfScaledOnes) {
  for_linalg_types([]<typename T>() {
    using R = RealOf<T>;
    Dense<T> x = random_matrix<T>(5, 3, 2), r(5, 3), scaled(5, 3);
    std::vector<T> factors(3), others(3);
    const QrProblem p{kTypeOf<T>, 5, 3};
    call_within(Routine::kQr, bytes_of_problem(p), {x.data.data(), r.data.data(), factors.data()}, 1,
                p.scratch_bytes());
    for (const R size : {std::numeric_limits<R>::min(), std::numeric_limits<R>::max() / 1024}) {
      Dense<T> y = x;
      for (T& element : y.data) element = size * element;
      call_within(Routine::kQr, bytes_of_problem(p), {y.data.data(), scaled.data.data(), others.data()}, 1,
                  p.scratch_bytes());
      for (size_t k = 0; k < 3; ++k) EXPECT_LE(magnitude(factors[k] - others[k]), R(1e-4));
    }
  });
}

TEST(RuntimeFactor, ExchangesGiveAPermutation) {
  std::vector<int32_t> pivots = {2, 2, 2}, order(4);
  call_within(Routine::kPermutation, bytes_of_problem(PermutationProblem{3, 4}), {pivots.data(), order.data()}, 1, 0);
  EXPECT_EQ(order, (std::vector<int32_t>{2, 0, 1, 3}));
}

}  // namespace
}  // namespace hilo::cpu::runtime
