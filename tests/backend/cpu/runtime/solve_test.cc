// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/solve.h"

#include "tests/backend/cpu/runtime/matrix_check.h"

namespace hilo::cpu::runtime {
namespace {

/// The triangle of op(a), as a matrix.
template <typename T>
Dense<T> triangle(const Dense<T>& a, const TriangularSolveProblem& p) {
  Dense<T> full(a.rows, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.rows; ++j) {
      T value = (p.lower ? j <= i : j >= i) ? a(i, j) : T();
      if (i == j && p.unit_diagonal) value = T(1);
      full(p.transposed ? j : i, p.transposed ? i : j) = p.conjugated ? conjugate(value) : value;
    }
  }
  return full;
}

TEST(RuntimeSolve, TriangularSystemsOfAllForms) {
  for_linalg_types([]<typename T>() {
    for (int form = 0; form < 64; ++form) {
      const int64_t rows = form < 32 ? 7 : 77, columns = form < 32 ? 5 : 55, n = (form & 1) != 0 ? rows : columns;
      const TriangularSolveProblem p{
          kTypeOf<T>,      rows, columns, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0,
          (form & 16) != 0};
      Dense<T> a = random_matrix<T>(n, n, 4), b = random_matrix<T>(rows, columns, 6), x(rows, columns);
      for (T& element : a.data) element = (5 / static_cast<RealOf<T>>(n)) * element;
      for (int64_t i = 0; i < n; ++i) a(i, i) = T(RealOf<T>(3));
      call_within(Routine::kTriangularSolve, bytes_of_problem(p), {a.data.data(), b.data.data(), x.data.data()}, 1, 0);
      expect_near(p.left ? triangle(a, p) * x : x * triangle(a, p), b, p.unit_diagonal ? 1000 : 4);
    }
  });
}

TEST(RuntimeSolve, TridiagonalSystems) {
  for_linalg_types([]<typename T>() {
    for (const int64_t n : {1, 2, 9}) {
      for (const bool perturbed : {false, true}) {
        Dense<T> lower = random_matrix<T>(1, n, 1), middle = random_matrix<T>(1, n, 2),
                 upper = random_matrix<T>(1, n, 3);
        Dense<T> b = random_matrix<T>(n, 3, 4), x(n, 3), a(n, n);
        for (T& d : middle.data) d = d + T(RealOf<T>(3));
        for (int64_t i = 0; i < n; ++i) {
          a(i, i) = middle(0, i);
          if (i > 0) a(i, i - 1) = lower(0, i);
          if (i + 1 < n) a(i, i + 1) = upper(0, i);
        }
        std::vector<std::vector<T>> rest(3, std::vector<T>(static_cast<size_t>(n)));
        int32_t info = -1;
        std::vector<void*> buffers = {lower.data.data(), middle.data.data(), upper.data.data(), b.data.data()};
        if (!perturbed) buffers.insert(buffers.end(), {rest[0].data(), rest[1].data(), rest[2].data()});
        buffers.push_back(x.data.data());
        if (!perturbed) buffers.push_back(&info);
        const TridiagonalSolveProblem p{kTypeOf<T>, n, 3, perturbed};
        call_within(Routine::kTridiagonalSolve, bytes_of_problem(p), buffers, 1, p.scratch_bytes());
        expect_near(a * x, b, 4);
        EXPECT_EQ(info, perturbed ? -1 : 0);
      }
    }
  });
}

}  // namespace
}  // namespace hilo::cpu::runtime
