// SPDX-License-Identifier: Apache-2.0
#include "tests/backend/cpu/runtime/matrix_check.h"

#include "hilo/backend/cpu/runtime/eigen.h"

namespace hilo::cpu::runtime {
namespace {

template <typename T>
void expect_svd(Dense<T> x, bool is_full, double size = 1) {
  using R = RealOf<T>;
  const int64_t least = std::min(x.rows, x.columns);
  Dense<T> out(x.rows, x.columns), u(x.rows, is_full ? x.rows : least), v(is_full ? x.columns : least, x.columns);
  std::vector<R> values(static_cast<size_t>(least));
  int32_t info = -1;
  const SvdProblem p{kTypeOf<T>, x.rows, x.columns, true, is_full};
  call_within(Routine::kSvd, bytes_of_problem(p),
              {x.data.data(), out.data.data(), values.data(), u.data.data(), v.data.data(), &info}, 1,
              p.scratch_bytes());
  ASSERT_EQ(info, 0);
  EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
  Dense<T> scaled(x.rows, v.rows);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t k = 0; k < least; ++k) scaled(i, k) = values[static_cast<size_t>(k)] * u(i, k);
  }
  expect_near(scaled * v, x, size);
  expect_near(adjoint(u) * u, identity<T>(u.columns));
  expect_near(v * adjoint(v), identity<T>(v.rows));
}

TEST(RuntimeSvd, VectorsAndValuesGiveTheMatrix) {
  for_linalg_types([]<typename T>() {
    for (const auto& [rows, columns] :
         {std::pair<int64_t, int64_t>{1, 1}, {6, 6}, {9, 4}, {4, 9}, {30, 20}, {1, 5}, {50, 60}, {60, 50}}) {
      for (const bool is_full : {false, true}) expect_svd(random_matrix<T>(rows, columns, 9), is_full, 4);
    }
  });
}

TEST(RuntimeSvd, HandlesRankDeficientMatrices) {
  for_linalg_types([]<typename T>() {
    for (const bool is_full : {false, true}) {
      expect_svd(Dense<T>(5, 3), is_full);
      expect_svd(random_matrix<T>(8, 2, 1) * random_matrix<T>(2, 6, 2), is_full, 4);
      Dense<T> ones(4, 7);
      for (T& x : ones.data) x = T(1);
      expect_svd(ones, is_full, 4);
    }
  });
}

TEST(RuntimeSvd, HandlesHardMatrices) {
  for_linalg_types([]<typename T>() {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{2, 2}, {5, 5}, {16, 16}, {33, 17}, {12, 40}}) {
      for (const auto& [name, matrix] : hard_matrices<T>(rows, columns)) {
        SCOPED_TRACE(name);
        expect_svd(matrix, rows < 30, 4);
      }
    }
  });
}

TEST(RuntimeSvd, HandlesExtremeSizes) {
  for_linalg_types([]<typename T>() {
    using R = RealOf<T>;
    for (const R size : {std::numeric_limits<R>::min() * 16, std::numeric_limits<R>::max() / 64}) {
      for (auto [name, matrix] : hard_matrices<T>(6, 5)) {
        SCOPED_TRACE(name);
        for (T& element : matrix.data) element = size * element;
        expect_svd(matrix, true, 4 * static_cast<double>(size));
      }
    }
  });
}

TEST(RuntimeSvd, NumbersThatAreNotFiniteHaveInfo) {
  std::vector<float> x = {1, INFINITY}, out(2), values(1), u(4), v(1);
  int32_t info = 0;
  const SvdProblem p{ElementType::kF32, 2, 1, false, false};
  call_within(Routine::kSvd, bytes_of_problem(p), {x.data(), out.data(), values.data(), u.data(), v.data(), &info}, 1,
              p.scratch_bytes());
  EXPECT_EQ(info, kNotFinite);
}

}  // namespace
}  // namespace hilo::cpu::runtime
