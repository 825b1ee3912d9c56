// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hilo/backend/cpu/library/products/blas.h"

namespace hilo::cpu {
namespace {

/// A problem and its matrices, followed by padding that must not change.
template <typename T>
struct Case {
  char side, uplo, transposed, diagonal;
  int unknowns, others;
  std::vector<T> a, b;

  int m() const { return side == 'L' ? unknowns : others; }
  int n() const { return side == 'L' ? others : unknowns; }
  int a_leading() const { return unknowns + 3; }
  int b_leading() const { return m() + 2; }

  void fill() {
    std::mt19937 random(static_cast<unsigned>(unknowns * 100 + others));
    std::uniform_real_distribution<double> values(-1, 1);
    a.resize(static_cast<size_t>(a_leading() * unknowns));
    b.resize(static_cast<size_t>(b_leading() * n()));
    for (T& x : a) x = static_cast<T>(values(random) / std::sqrt(unknowns));
    for (int i = 0; i < unknowns; ++i) a[static_cast<size_t>(i * a_leading() + i)] = static_cast<T>(2 + values(random));
    for (T& x : b) x = static_cast<T>(values(random));
  }

  /// op(A)[i, k] of the triangle.
  double entry(int i, int k) const {
    const int row = transposed == 'N' ? i : k, column = transposed == 'N' ? k : i;
    if (row == column && diagonal == 'U') return 1;
    const bool inside = uplo == 'L' ? row >= column : row <= column;
    return inside ? static_cast<double>(a[static_cast<size_t>(column * a_leading() + row)]) : 0;
  }

  /// The greatest difference of op(A) X or X op(A) from B. Checks that the memory after B is unchanged.
  double residue(const std::vector<T>& x) const {
    double most = 0;
    for (int j = 0; j < n(); ++j) {
      for (int i = 0; i < b_leading(); ++i) {
        const auto at = static_cast<size_t>(j * b_leading() + i);
        double sum = 0;
        for (int k = 0; i < m() && k < unknowns; ++k) {
          const int row = side == 'L' ? k : i, column = side == 'L' ? j : k;
          const double factor = side == 'L' ? entry(i, k) : entry(k, j);
          sum += factor * static_cast<double>(x[static_cast<size_t>(column * b_leading() + row)]);
        }
        if (i >= m()) sum = x[at];
        most = std::max(most, std::abs(sum - static_cast<double>(b[at])));
      }
    }
    return most;
  }

  std::vector<T> solved(Isa isa) const {
    std::vector<T> x = b;
    solve_triangular(isa, TriangularProblem<T>{side, uplo, transposed, diagonal, m(), n(), a.data(), a_leading(),
                                               x.data(), b_leading()});
    return x;
  }
};

template <typename T>
void check(double tolerance) {
  for (const Isa isa : supported_isas()) {
    for (char side : {'L', 'R'}) {
      for (char uplo : {'L', 'U'}) {
        for (char transposed : {'N', 'T', 'C'}) {
          for (char diagonal : {'N', 'U'}) {
            for (auto [unknowns, others] : {std::pair(1, 9),
                                            {5, 33},
                                            {8, 1},
                                            {37, 3},
                                            {128, 2},
                                            {129, 2},
                                            {64, 9},
                                            {65, 8},
                                            {130, 1},
                                            {140, 35}}) {
              Case<T> problem{side, uplo, transposed, diagonal, unknowns, others, {}, {}};
              problem.fill();
              EXPECT_LT(problem.residue(problem.solved(isa)), tolerance)
                  << isa_name(isa) << " " << side << uplo << transposed << diagonal << " " << unknowns << ", "
                  << others;
            }
          }
        }
      }
    }
  }
}

TEST(TriangularSolve, SolvesEverySideAndTriangle) {
  ASSERT_NE(blas_symbol("dtrsm_"), nullptr);
  check<float>(2e-5);
  check<double>(1e-13);
}

TEST(TriangularSolve, DividesByTheDiagonalAlone) {
  ASSERT_NE(blas_symbol("dtrsm_"), nullptr);
  for (const Isa isa : supported_isas()) {
    Case<double> problem{'L', 'L', 'N', 'N', 40, 20, {}, {}};
    problem.fill();
    // The other triangle isn't read, and NaN or infinity in a column of B stays in that column.
    for (int c = 0; c < 40; ++c) {
      for (int r = 0; r < c; ++r) problem.a[static_cast<size_t>(c * problem.a_leading() + r)] = std::nan("");
    }
    problem.b[static_cast<size_t>(7 * problem.b_leading() + 11)] = std::numeric_limits<double>::infinity();
    const std::vector<double> x = problem.solved(isa);
    for (int j = 0; j < 20; ++j) {
      for (int i = 0; i < 40; ++i)
        EXPECT_EQ(std::isfinite(x[static_cast<size_t>(j * problem.b_leading() + i)]), j != 7 || i < 11)
            << i << ", " << j;
    }
    problem.a[static_cast<size_t>(3 * problem.a_leading() + 3)] = 0;
    EXPECT_FALSE(std::isfinite(problem.solved(isa)[3])) << "a singular matrix";
  }
}

}  // namespace
}  // namespace hilo::cpu
