// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/small_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/backend/cpu/library/linalg/lu_blocks.h"
#include "hilo/backend/cpu/library/products/blas.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kCounts[] = {0, 1, 2, 7, 16, 37, 1001};
constexpr char kTriangles[] = {'L', 'U'};

template <typename T>
class SmallMatrices : public testing::Test {
 protected:
  static constexpr T kEpsilon = std::numeric_limits<T>::epsilon(), kNan = std::numeric_limits<T>::quiet_NaN(),
                     kInfinity = std::numeric_limits<T>::infinity();

  static size_t area(int rows, int columns) { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
  static size_t at(int rows, int r, int c) { return area(rows, c) + static_cast<size_t>(r); }

  static std::vector<T> random_matrices(int rows, int columns, int64_t count) {
    std::mt19937 random(static_cast<unsigned>(100 * rows + columns));
    std::uniform_real_distribution<double> values(-1, 1);
    std::vector<T> matrices(area(rows, columns) * static_cast<size_t>(count));
    for (T& value : matrices) value = static_cast<T>(values(random));
    return matrices;
  }

  /// x x' + n for each matrix.
  static std::vector<T> positive_matrices(int n, int64_t count) {
    const std::vector<T> x = random_matrices(n, n, count);
    std::vector<T> matrices(x.size());
    for (size_t m = 0; m < static_cast<size_t>(count); ++m) {
      const T* const from = x.data() + m * area(n, n);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          T sum = i == j ? static_cast<T>(n) : T(0);
          for (int k = 0; k < n; ++k) sum += from[at(n, k, i)] * from[at(n, k, j)];
          matrices[m * area(n, n) + at(n, i, j)] = sum;
        }
      }
    }
    return matrices;
  }

  struct Lu {
    std::vector<T> factors;
    std::vector<int> pivots, info;
    /// NaN counts as equal to NaN.
    bool operator==(const Lu& other) const {
      return pivots == other.pivots && info == other.info && factors.size() == other.factors.size() &&
             (factors.empty() || std::memcmp(factors.data(), other.factors.data(), factors.size() * sizeof(T)) == 0);
    }
  };

  static Lu small_lu(Isa isa, int rows, int columns, const std::vector<T>& matrices, int64_t count) {
    const auto n = static_cast<size_t>(count);
    Lu lu{matrices, std::vector<int>(n * static_cast<size_t>(std::min(rows, columns)), -1), std::vector<int>(n, -1)};
    factor_small_lu(isa, rows, columns, count, lu.factors.data(), lu.pivots.data(), lu.info.data());
    return lu;
  }

  /// Factors one matrix after the other by the panels for larger matrices, or by LAPACK if the ISA has no kernels.
  static Lu lu_one_by_one(Isa isa, int rows, int columns, const std::vector<T>& matrices, int64_t count) {
    static auto* const getrf =
        reinterpret_cast<GetrfRoutine<T>*>(blas_symbol(std::is_same_v<T, float> ? "sgetrf_" : "dgetrf_"));
    const auto steps = static_cast<size_t>(std::min(rows, columns));
    Lu lu{matrices, std::vector<int>(static_cast<size_t>(count) * steps), std::vector<int>(static_cast<size_t>(count))};
    for (size_t m = 0; m < lu.info.size(); ++m)
      lu.info[m] = factor_lu(isa, getrf, rows, columns, lu.factors.data() + m * area(rows, columns), std::max(rows, 1),
                             lu.pivots.data() + m * steps);
    return lu;
  }

  /// Element (i, j) of the factor's lower form.
  static T lower_element(const T* matrix, int n, bool lower, int i, int j) {
    if (i < j) return T(0);
    return lower ? matrix[at(n, j, i)] : matrix[at(n, i, j)];
  }

  static void expect_factor(const T* factor, const T* matrix, int n, bool lower) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        T sum = 0;
        for (int k = 0; k < n; ++k)
          sum += lower_element(factor, n, lower, i, k) * lower_element(factor, n, lower, j, k);
        EXPECT_NEAR(sum, matrix[at(n, i, j)], 20 * n * kEpsilon * static_cast<T>(n)) << n;
        if (lower ? j > i : j < i) {
          EXPECT_EQ(factor[at(n, j, i)], matrix[at(n, j, i)]);
        }
      }
    }
  }

  /// Well-conditioned triangles: random elements, and a diagonal of at least 2. Elements that aren't read are NaN.
  static std::vector<T> triangles(int n, int64_t count, char uplo, bool unit) {
    std::vector<T> a = random_matrices(n, n, count);
    for (size_t m = 0; m < static_cast<size_t>(count); ++m) {
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          T& x = a[m * area(n, n) + at(n, r, c)];
          if (r == c) x = unit ? kNan : x + 3;
          else x = (r > c) == (uplo == 'L') ? x / static_cast<T>(n) : kNan;
        }
      }
    }
    return a;
  }

  /// Element (i, j) of op(A).
  static T coefficient(const TriangularProblem<T>& p, const T* a, int n, int i, int j) {
    if (i == j && p.diagonal == 'U') return T(1);
    const bool is_transposed = p.transposed != 'N';
    if (i != j && (i > j) != ((p.uplo == 'L') != is_transposed)) return T(0);
    return is_transposed ? a[at(n, j, i)] : a[at(n, i, j)];
  }

  /// Expects op(A) X or X op(A) to be B.
  static void expect_solution(const TriangularProblem<T>& p, const T* a, const T* x, const T* b) {
    const int n = p.side == 'L' ? p.m : p.n;
    for (int r = 0; r < p.m; ++r) {
      for (int c = 0; c < p.n; ++c) {
        T sum = 0;
        for (int k = 0; k < n; ++k)
          sum += p.side == 'L' ? coefficient(p, a, n, r, k) * x[at(p.m, k, c)]
                               : x[at(p.m, r, k)] * coefficient(p, a, n, k, c);
        EXPECT_NEAR(sum, b[at(p.m, r, c)], 50 * kEpsilon) << p.side << p.uplo << p.transposed << p.diagonal << n;
      }
    }
  }

  void check_solve(Isa isa, TriangularProblem<T> p, int64_t count) {
    const int n = p.side == 'L' ? p.m : p.n;
    const std::vector<T> a = triangles(n, count, p.uplo, p.diagonal == 'U'), b = random_matrices(p.m, p.n, count);
    std::vector<T> x = b, alone = b;
    p.a = a.data();
    p.b = x.data();
    solve_small(isa, p, count);
    for (size_t m = 0; m < static_cast<size_t>(count); ++m) {
      expect_solution(p, a.data() + m * area(n, n), x.data() + m * area(p.m, p.n), b.data() + m * area(p.m, p.n));
      TriangularProblem<T> one = p;
      one.a = a.data() + m * area(n, n);
      one.b = alone.data() + m * area(p.m, p.n);
      solve_small(isa, one, 1);
    }
    EXPECT_EQ(x, alone);
  }
};

template <typename T>
struct Qr {
  std::vector<T> factors, taus;
  std::unique_ptr<bool[]> is_left;
};

template <typename T>
Qr<T> small_qr(Isa isa, int rows, int columns, const std::vector<T>& matrices, int64_t count) {
  const auto n = static_cast<size_t>(count);
  Qr<T> qr{matrices, std::vector<T>(n * static_cast<size_t>(std::min(rows, columns))), std::make_unique<bool[]>(n)};
  factor_small_qr(isa, rows, columns, count, qr.factors.data(), qr.taus.data(), qr.is_left.get());
  return qr;
}

/// LAPACK's geqr2 or org2r, one matrix after the other.
template <typename T>
void call_lapack(std::string_view name, int rows, int columns, int reflectors, std::vector<T>& matrices,
                 std::vector<T>& taus) {
  const std::string symbol = (std::is_same_v<T, float> ? "s" : "d") + std::string(name) + "_";
  void* const address = blas_symbol(symbol.c_str());
  std::vector<T> work(64);
  int info = 0;
  const auto size = static_cast<size_t>(rows) * static_cast<size_t>(columns);
  for (size_t m = 0; m * size < matrices.size(); ++m) {
    T *const a = matrices.data() + m * size, *const tau = taus.data() + m * static_cast<size_t>(reflectors);
    if (name == "geqr2")
      reinterpret_cast<void (*)(const int*, const int*, T*, const int*, T*, T*, int*)>(address)(
          &rows, &columns, a, &rows, tau, work.data(), &info);
    else
      reinterpret_cast<void (*)(const int*, const int*, const int*, T*, const int*, const T*, T*, int*)>(address)(
          &rows, &columns, &reflectors, a, &rows, tau, work.data(), &info);
  }
}

template <typename T>
void expect_near(const std::vector<T>& got, const std::vector<T>& wanted, T tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], tolerance) << k;
}

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SmallMatrices, Types);

TYPED_TEST(SmallMatrices, LuIsThatOfPanels) {
  for (const Isa isa : supported_isas()) {
    if (vector_bytes(isa) == 16) continue;  // uses LAPACK
    for (int rows = 0; rows <= kLargestSmallLu; ++rows) {
      for (int columns : {0, 1, rows - 1, rows, rows + 3, kLargestSmallLu}) {
        if (columns < 0 || columns > rows) continue;
        const int64_t count = kCounts[(rows + columns) % 7];
        const auto matrices = this->random_matrices(rows, columns, count);
        EXPECT_TRUE(this->small_lu(isa, rows, columns, matrices, count) ==
                    this->lu_one_by_one(isa, rows, columns, matrices, count))
            << isa_name(isa) << " " << rows << " x " << columns;
      }
    }
  }
}

TYPED_TEST(SmallMatrices, LuHasLapacksPivotsAndGivesTheMatrixBack) {
  for (const Isa isa : supported_isas()) {
    for (const auto& [rows, columns] :
         std::initializer_list<std::pair<int, int>>{{1, 1}, {2, 2}, {3, 3}, {3, 7}, {9, 4}, {16, 16}}) {
      for (const int64_t count : kCounts) {
        const auto matrices = this->random_matrices(rows, columns, count);
        const auto lu = this->small_lu(isa, rows, columns, matrices, count);
        EXPECT_EQ(lu.pivots, this->lu_one_by_one(Isa::kSse2, rows, columns, matrices, count).pivots);
        EXPECT_EQ(std::ranges::count(lu.info, 0), count);
        for (size_t m = 0; m < static_cast<size_t>(count); ++m) {
          std::vector<TypeParam> a(matrices.begin() + static_cast<int64_t>(m * this->area(rows, columns)),
                                   matrices.begin() + static_cast<int64_t>((m + 1) * this->area(rows, columns)));
          const TypeParam* const f = lu.factors.data() + m * this->area(rows, columns);
          const int steps = std::min(rows, columns);
          for (int c = 0; c < columns; ++c) {
            for (int k = 0; k < steps; ++k) {
              const int pivot = lu.pivots[m * static_cast<size_t>(steps) + static_cast<size_t>(k)] - 1;
              std::swap(a[this->at(rows, k, c)], a[this->at(rows, pivot, c)]);
            }
            for (int r = 0; r < rows; ++r) {
              TypeParam sum = r <= c ? f[this->at(rows, r, c)] : TypeParam(0);
              for (int k = 0; k < std::min({r, c + 1, steps}); ++k)
                sum += f[this->at(rows, r, k)] * f[this->at(rows, k, c)];
              EXPECT_NEAR(sum, a[this->at(rows, r, c)], 20 * rows * this->kEpsilon);
            }
          }
        }
      }
    }
  }
}

/// Special matrices: singular, with NaN or infinities, all denormal, with equal magnitudes, and others.
TYPED_TEST(SmallMatrices, LuOfOddMatricesIsThatOfPanels) {
  using T = TypeParam;
  constexpr int n = 5;
  constexpr int64_t kCount = 41;
  for (const Isa isa : supported_isas()) {
    if (vector_bytes(isa) == 16) continue;
    auto matrices = this->random_matrices(n, n, kCount);
    const auto matrix = [&](int m) { return matrices.begin() + m * n * n; };
    std::fill_n(matrix(0), n * n, T(0));
    std::fill_n(matrix(3) + n, n, T(0));           // column 1
    std::copy_n(matrix(5), n, matrix(5) + 2 * n);  // column 2 equals column 0
    matrix(8)[1] = this->kNan;
    matrix(13)[3 * n + 2] = this->kInfinity;
    for (int k = 0; k < n * n; ++k) matrix(40)[k] = k % 2 == 0 ? T(1) : T(-1);
    const auto lu = this->small_lu(isa, n, n, matrices, kCount),
               wanted = this->lu_one_by_one(isa, n, n, matrices, kCount);
    EXPECT_EQ(lu.pivots, wanted.pivots) << isa_name(isa);
    EXPECT_EQ(lu.info, wanted.info) << isa_name(isa);
    EXPECT_EQ(lu.info[0], 1);
    EXPECT_EQ(lu.info[3], 2);
    for (size_t k = 0; k < matrices.size(); ++k) {
      if (std::isnan(wanted.factors[k])) {
        EXPECT_TRUE(std::isnan(lu.factors[k]));
      } else {
        EXPECT_EQ(lu.factors[k], wanted.factors[k]);
      }
    }
  }
}

TYPED_TEST(SmallMatrices, LuDividesByDenormals) {
  using T = TypeParam;
  constexpr T kDenormal = std::numeric_limits<T>::denorm_min();
  for (const Isa isa : supported_isas()) {
    std::vector<T> matrices(5 * 40, 4 * kDenormal);
    matrices[3] = -8 * kDenormal;
    const auto lu = this->small_lu(isa, 5, 1, matrices, 40);
    EXPECT_EQ(lu.pivots[0], 4);
    for (size_t r = 1; r < 5; ++r) EXPECT_EQ(lu.factors[r], T(-0.5)) << isa_name(isa);
    for (size_t r = 6; r < 10; ++r) EXPECT_EQ(lu.factors[r], T(1)) << isa_name(isa);
  }
}

TYPED_TEST(SmallMatrices, CholeskyFactorsGiveTheMatricesBack) {
  for (const Isa isa : supported_isas()) {
    for (int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, kLargestSmallCholesky}) {
      for (bool lower : {true, false}) {
        const int64_t count = kCounts[n % 7];
        const auto given = this->positive_matrices(n, count);
        auto factors = given, alone = given;
        std::vector<int> info(static_cast<size_t>(count), -1);
        factor_small_cholesky(isa, n, lower, count, factors.data(), info.data());
        EXPECT_EQ(std::ranges::count(info, 0), count);
        for (size_t m = 0; m < info.size(); ++m) {
          this->expect_factor(factors.data() + m * this->area(n, n), given.data() + m * this->area(n, n), n, lower);
          factor_small_cholesky(isa, n, lower, 1, alone.data() + m * this->area(n, n), &info[m]);
        }
        EXPECT_EQ(factors, alone);
      }
    }
  }
}

TYPED_TEST(SmallMatrices, CholeskySaysWhichMatricesFailAndWhere) {
  constexpr int n = 5;
  for (const Isa isa : supported_isas()) {
    auto matrices = this->positive_matrices(n, 7);
    const auto set = [&](size_t m, int r, int c, TypeParam x) {
      matrices[m * this->area(n, n) + this->at(n, c, r)] = x;
    };
    set(1, 3, 3, -1);
    set(2, 4, 0, this->kNan);
    set(3, 0, 4, this->kNan);  // not read
    set(4, 2, 1, this->kInfinity);
    set(5, 1, 1, this->kInfinity);  // an infinite diagonal can be factored
    set(6, 0, 0, 0);
    std::vector<int> info(7);
    factor_small_cholesky(isa, n, true, 7, matrices.data(), info.data());
    EXPECT_EQ(info, (std::vector<int>{0, 4, 5, 0, 3, 0, 1})) << isa_name(isa);
  }
}

TYPED_TEST(SmallMatrices, QrAndItsProductsAreThoseOfLapack) {
  using T = TypeParam;
  for (const Isa isa : supported_isas()) {
    for (const auto& [rows, columns] : std::initializer_list<std::pair<int, int>>{
             {1, 1}, {2, 1}, {3, 3}, {9, 4}, {4, 9}, {1, 7}, {16, 5}, {15, 14}, {16, 16}}) {
      const int64_t count = kCounts[1 + (rows + columns) % 5];
      const int steps = std::min(rows, columns);
      const auto matrices = this->random_matrices(rows, columns, count);
      Qr<T> qr = small_qr(isa, rows, columns, matrices, count);
      EXPECT_FALSE(std::any_of(qr.is_left.get(), qr.is_left.get() + count, [](bool left) { return left; }));
      std::vector<T> wanted = matrices, taus(qr.taus.size());
      call_lapack<T>("geqr2", rows, columns, steps, wanted, taus);
      const T tolerance = 200 * static_cast<T>(rows) * this->kEpsilon;
      expect_near(qr.factors, wanted, tolerance);
      expect_near(qr.taus, taus, tolerance);
      if (columns > rows) continue;
      for (const int reflectors : {0, steps / 2, steps}) {
        std::vector<T> some;
        for (size_t m = 0; m < static_cast<size_t>(count); ++m)
          some.insert(some.end(), taus.begin() + static_cast<int64_t>(m) * steps,
                      taus.begin() + static_cast<int64_t>(m) * steps + reflectors);
        std::vector<T> product = wanted, products = wanted;
        multiply_small_reflections(isa, rows, columns, reflectors, count, product.data(), some.data());
        call_lapack<T>("org2r", rows, columns, reflectors, products, some);
        expect_near(product, products, tolerance);
      }
    }
  }
}

TYPED_TEST(SmallMatrices, QrOfAMatrixDoesNotDependOnOthers) {
  for (const Isa isa : supported_isas()) {
    const auto matrices = this->random_matrices(7, 5, 37);
    const auto qr = small_qr(isa, 7, 5, matrices, 37);
    for (size_t m = 0; m < 37; ++m) {
      const auto begin = static_cast<int64_t>(m * 35);
      const auto alone = small_qr<TypeParam>(isa, 7, 5, {matrices.begin() + begin, matrices.begin() + begin + 35}, 1);
      EXPECT_TRUE(std::ranges::equal(alone.factors, std::span(qr.factors).subspan(m * 35, 35)));
      EXPECT_TRUE(std::ranges::equal(alone.taus, std::span(qr.taus).subspan(m * 5, 5)));
    }
  }
}

/// Zeros below the diagonal need no reflector, and signs of zeros count. Extreme numbers are left to LAPACK.
TYPED_TEST(SmallMatrices, QrOfOddMatricesIsThatOfLapackOrLeftToIt) {
  using T = TypeParam;
  constexpr T kTiny = std::numeric_limits<T>::min(), kLarge = std::numeric_limits<T>::max() / 8;
  // Two rows, three columns.
  const std::vector<std::array<T, 6>> good = {
      {0, 0, 0, 0, 0, 0},           {-2, 0, 3, -4, 5, 6},   {T(-0.0), 3, 1, 2, 3, 4},
      {0, -3, 1, 2, 3, 4},          {1, kTiny, 2, 3, 4, 5}, {kTiny, 1, 2, 3, 4, 5},
      {-1, 2, 2, -4, kTiny, kTiny}, {kTiny, 0, 1, 1, 1, 1}, {1, 2, 3, 4, kLarge, -1},
  };
  const std::vector<std::array<T, 6>> left = {
      {1, 2, 3, 4, this->kNan, 6}, {1, 0, 3, 4, 5, this->kInfinity}, {kLarge, kLarge, 1, 1, 1, 1},
      {kTiny, kTiny, 1, 1, 1, 1},  {this->kNan, 0, 1, 1, 1, 1},      {1, 0, 1, -this->kInfinity, 1, 1},
  };
  for (const Isa isa : supported_isas()) {
    std::vector<T> matrices;
    for (size_t k = 0; k < std::max(good.size(), left.size()); ++k) {  // in turn
      if (k < good.size()) matrices.insert(matrices.end(), good[k].begin(), good[k].end());
      if (k < left.size()) matrices.insert(matrices.end(), left[k].begin(), left[k].end());
    }
    const size_t count = matrices.size() / 6;
    const Qr<T> qr = small_qr(isa, 2, 3, matrices, static_cast<int64_t>(count));
    std::vector<T> wanted = matrices, taus(qr.taus.size());
    call_lapack<T>("geqr2", 2, 3, 2, wanted, taus);
    for (size_t m = 0; m < count; ++m) {
      const bool is_good = m >= 2 * left.size() || m % 2 == 0;
      EXPECT_EQ(qr.is_left[m], !is_good) << m;
      for (size_t k = m * 6; k < m * 6 + 6; ++k) {
        if (is_good) {
          EXPECT_NEAR(qr.factors[k], wanted[k], 10 * this->kEpsilon * std::max(T(1), std::abs(wanted[k]))) << k;
          EXPECT_EQ(std::signbit(qr.factors[k]), std::signbit(wanted[k])) << k;
        } else {
          EXPECT_EQ(std::memcmp(&qr.factors[k], &matrices[k], sizeof(T)), 0) << k;
        }
      }
      for (size_t k = m * 2; is_good && k < m * 2 + 2; ++k) EXPECT_NEAR(qr.taus[k], taus[k], 10 * this->kEpsilon);
    }
  }
}

TYPED_TEST(SmallMatrices, SolvesOfEverySideTriangleAndSize) {
  size_t kind = 0;
  for (const Isa isa : supported_isas()) {
    for (char side : {'L', 'R'}) {
      for (char uplo : kTriangles) {
        for (char transposed : {'N', 'T', 'C'}) {
          for (char diagonal : {'N', 'U'}) {
            for (int n : {0, 1, 2, 3, 5, 8, 9, kLargestSmallSolve}) {
              const int others = std::array{1, 0, 3, 4, kLargestSmallSolve}[kind % 5];
              const int m = side == 'L' ? n : others, columns = side == 'L' ? others : n;
              this->check_solve(isa, {side, uplo, transposed, diagonal, m, columns, nullptr, n, nullptr, m},
                                kCounts[kind % 6]);
              ++kind;
            }
          }
        }
      }
    }
  }
}

/// A zero diagonal divides by zero. NaN and infinity stay in their matrix and their column of B.
TYPED_TEST(SmallMatrices, SolvesKeepWhatIsNotFiniteWhereItBelongs) {
  using T = TypeParam;
  for (const Isa isa : supported_isas()) {
    // [2 0; 1 d] x = [2 4; 3 5] for three diagonals.
    std::vector<T> a, b;
    for (T d : {T(1), T(0), std::numeric_limits<T>::denorm_min()}) {
      a.insert(a.end(), {T(2), T(1), this->kNan, d});
      b.insert(b.end(), {T(2), T(3), T(4), T(2)});
    }
    b[2] = this->kInfinity;
    solve_small<T>(isa, {'L', 'L', 'N', 'N', 2, 2, a.data(), 2, b.data(), 2}, 3);
    const std::vector<T> wanted = {
        1, 2, this->kInfinity, -this->kInfinity, 1, this->kInfinity, 2, this->kNan, 1, this->kInfinity, 2, 0};
    for (size_t k = 0; k < b.size(); ++k)
      EXPECT_TRUE(b[k] == wanted[k] || (std::isnan(b[k]) && std::isnan(wanted[k])))
          << isa_name(isa) << " " << k << ": " << b[k];
  }
}

TYPED_TEST(SmallMatrices, UseLanesUpToWhatTheFunctionsTake) {
  for (const Isa isa : supported_isas()) {
    EXPECT_TRUE(uses_lanes_for_lu<TypeParam>(isa, 4, 3, 8));
    EXPECT_EQ(uses_lanes_for_lu<TypeParam>(isa, 3, 4, 8), isa == Isa::kSse2);  // too narrow for panels
    EXPECT_EQ(uses_lanes_for_lu<TypeParam>(isa, 3, 3, 1), isa == Isa::kSse2);
    EXPECT_FALSE(uses_lanes_for_lu<TypeParam>(isa, kLargestSmallLu + 1, 1, 8));
    EXPECT_FALSE(uses_lanes_for_lu<TypeParam>(isa, 1, kLargestSmallLu + 1, 8));
    EXPECT_TRUE(uses_lanes_for_cholesky<TypeParam>(isa, 16, 8));
    EXPECT_FALSE(uses_lanes_for_cholesky<TypeParam>(isa, 16, 0));
    EXPECT_FALSE(uses_lanes_for_cholesky<TypeParam>(isa, kLargestSmallCholesky + 1, 8));
    const auto solves = [&](char side, int m, int n) {
      return uses_lanes_for_solve<TypeParam>(isa, {side, 'L', 'N', 'N', m, n, nullptr, 1, nullptr, 1}, 8);
    };
    EXPECT_TRUE(solves('L', kLargestSmallSolve, 4));
    EXPECT_TRUE(solves('R', 4, kLargestSmallSolve));
    EXPECT_FALSE(solves('L', kLargestSmallSolve + 1, 1));
    EXPECT_FALSE(solves('R', 1, kLargestSmallSolve + 1));
  }
}

}  // namespace
}  // namespace hilo::cpu
