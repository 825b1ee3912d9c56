// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/direct.h"

#include <gtest/gtest.h>

#include <random>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/scipy/sparse/transforms.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/x64.h"

namespace hilo::scipy::sparse::linalg {
namespace {

double apart(const Array& x, const Array& y) {
  if (!std::ranges::equal(x.shape(), y.shape())) return 1e300;
  if (x.size() == 0) return 0;
  return numpy::max(numpy::abs(x - y)).item<double>();
}
bool all_nan(const Array& x) { return numpy::all(numpy::isnan(x)).item<bool>(); }

struct Matrix {
  SparsityPattern pattern;
  std::vector<double> values;

  Array data() const { return numpy::array(values); }
  BCOO bcoo() const {
    std::vector<int32_t> pairs;
    for (const auto& [row, column] : pattern.entries)
      pairs.insert(pairs.end(), {static_cast<int32_t>(row), static_cast<int32_t>(column)});
    const Array indices = pairs.empty() ? numpy::zeros({0, 2}, int32) : numpy::array(pairs).reshape({-1, 2});
    const Array elements = values.empty() ? numpy::zeros({0}, float64) : data();
    return BCOO({elements, indices}, {.shape = {pattern.rows, pattern.columns}});
  }
  Array dense() const { return bcoo().todense(); }
};

enum class Form { kFull, kBanded, kArrow, kTriangular, kZeroDiagonal, kSymmetric, kPositive, kSaddle };
constexpr Form kForms[] = {Form::kFull,         Form::kBanded,    Form::kArrow,    Form::kTriangular,
                           Form::kZeroDiagonal, Form::kSymmetric, Form::kPositive, Form::kSaddle};

bool is_stored(Form form, int64_t i, int64_t j, int64_t n, std::mt19937& random) {
  const bool rarely = random() % 8 == 0;
  switch (form) {
    case Form::kFull: return true;
    case Form::kBanded: return std::abs(i - j) <= 2;
    case Form::kArrow: return i == j || i == 0 || j == 0;
    case Form::kTriangular: return i == j || (i > j && rarely);
    case Form::kZeroDiagonal: return (i + 1) % n == j || rarely;  // a cycle, which has to be found
    case Form::kSymmetric:
    case Form::kPositive: return i == j || rarely;
    case Form::kSaddle: return j >= n - n / 3 ? i < n - n / 3 && (i == j - (n - n / 3) || rarely) : i == j || rarely;
  }
  return false;
}

/// A random matrix. Symmetric forms have the upper triangle of what is_stored() says, mirrored.
Matrix sample(Form form, int64_t n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const bool symmetric = form == Form::kSymmetric || form == Form::kPositive || form == Form::kSaddle;
  Matrix m{{n, n, {}}, {}};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = symmetric ? i : 0; j < n; ++j) {
      if (!is_stored(form, i, j, n, random)) continue;
      const bool heavy = i == j && (form == Form::kPositive || form == Form::kSymmetric || form == Form::kSaddle);
      const double value =
          normal(random) +
          (heavy ? (form == Form::kSymmetric && i % 2 == 1 ? -1.0 : 1.0) * (4.0 + static_cast<double>(n)) : 0);
      m.pattern.entries.emplace_back(i, j);
      m.values.push_back(value);
      if (!symmetric || i == j) continue;
      m.pattern.entries.emplace_back(j, i);
      m.values.push_back(value);
    }
  }
  return m;
}

std::vector<Factorization> kinds_of(Form form) {
  if (form == Form::kPositive) return {Factorization::kLu, Factorization::kLdl, Factorization::kCholesky};
  if (form == Form::kSymmetric) return {Factorization::kLu, Factorization::kLdl};
  return {Factorization::kLu};
}

TEST(Direct, SolvesAsDenseSolversDo) {
  const X64Scope wide;
  std::mt19937 random(1);
  for (Form form : kForms) {
    for (int64_t n : {1, 2, 3, 7, 20, 45}) {
      const Matrix m = sample(form, n, random);
      const Array dense = m.dense(), b = numpy::cos(numpy::arange(0.0, static_cast<double>(3 * n))).reshape({n, 3});
      const double scale = 1 + numpy::max(numpy::abs(numpy::linalg::inv(dense))).item<double>();
      for (Factorization kind : kinds_of(form)) {
        const Factors factors = analyze(m.pattern, {.factorization = kind}).factor(m.data());
        const std::string what = std::to_string(static_cast<int>(form)) + " " + std::to_string(n);
        EXPECT_LT(apart(factors.solve(b), numpy::linalg::solve(dense, b)), 1e-11 * scale * scale) << what;
        EXPECT_LT(apart(factors.solve(b(all, 0)), numpy::linalg::solve(dense, b(all, 0))), 1e-11 * scale * scale)
            << what;
        EXPECT_LT(apart(factors.solve(b, {.trans = 'T'}), numpy::linalg::solve(dense.T(), b)), 1e-11 * scale * scale)
            << what;
        EXPECT_EQ(factors.info().item<int>(), 0);
      }
    }
  }
}

TEST(Direct, TakesEveryKindOfSparseMatrix) {
  const BCOO a = BCOO::fromdense(numpy::array({{4.0f, 1.0f, 0.0f}, {1.0f, 3.0f, 1.0f}, {0.0f, 1.0f, 5.0f}}));
  const Array b = numpy::array({6.0f, 10.0f, 17.0f}), x = numpy::array({1.0f, 2.0f, 3.0f});
  const auto f = [](Array v) { return v * v; };
  EXPECT_LT(apart(spsolve(a, b), x), 1e-5);
  EXPECT_LT(apart(spsolve(BCSR::from_bcoo(a), b), x), 1e-5);
  EXPECT_LT(apart(splu(a).solve(b), x), 1e-5);
  EXPECT_LT(apart(cholesky(a).solve(b), x), 1e-5);
  EXPECT_LT(apart(factorized(a)(b), x), 1e-5);
  EXPECT_LT(apart(spsolve(sparse_jacfwd(f, SparsityPattern::banded(3, 3, 0))(x), b), b / (2 * x)), 1e-5);
  EXPECT_EQ(splu(a).shape(), (numpy::Shape{3, 3}));
  EXPECT_GE(splu(a).nnz(), 7);
}

TEST(Direct, EmptyAndPaddedMatrices) {
  EXPECT_EQ(spsolve(empty({0, 0}), numpy::zeros({0})).size(), 0);
  EXPECT_EQ(spsolve(empty({0, 0}), numpy::zeros({0, 2})).size(), 0);
  EXPECT_EQ(spsolve(eye(3), numpy::zeros({3, 0})).size(), 0);
  EXPECT_EQ(spsolve(eye(1) * 4.0f, numpy::array({2.0f})).item<float>(), 0.5f);
  const BCOO padded = BCOO::fromdense(numpy::array({{2.0f, 0.0f}, {0.0f, 4.0f}}), {.nse = 5});
  EXPECT_LT(apart(spsolve(padded, numpy::array({2.0f, 4.0f})), numpy::ones({2})), 1e-6);
  EXPECT_LT(apart(spsolve(eye(2) + eye(2), numpy::array({2.0f, 4.0f})), numpy::array({1.0f, 2.0f})), 1e-6);
}

TEST(Direct, ConvertsTypes) {
  const X64Scope wide;
  const BCOO integers({numpy::array({2, 4}), numpy::array({{0, 0}, {1, 1}})}, {.shape = {2, 2}});
  EXPECT_EQ(spsolve(integers, numpy::ones({2}, float32)).dtype(), float32);
  EXPECT_EQ(spsolve(integers, numpy::ones({2}, float64)).dtype(), float64);
  EXPECT_LT(apart(spsolve(integers, numpy::ones({2}, float64)), numpy::array({0.5, 0.25})), 1e-15);
  EXPECT_EQ(spsolve(integers.astype(float64), numpy::ones({2}, float32)).dtype(), float64);
}

TEST(Direct, DerivativesAreThoseOfTheEquation) {
  const X64Scope wide;
  std::mt19937 random(2);
  for (Form form : {Form::kBanded, Form::kZeroDiagonal, Form::kSaddle}) {
    const Matrix m = sample(form, 6, random);
    const Symbolic symbolic = analyze(m.pattern);
    for (char trans : {'N', 'T'}) {
      const auto f = [&](const Array& data, const Array& b) { return symbolic.solve(data, b, {.trans = trans}); };
      const Array b = numpy::sin(numpy::arange(1.0, 13.0)).reshape({6, 2});
      expect_derivatives(f, std::tuple(m.data() + 0.0, b), Modes::kBoth, 1e-4);
    }
  }
}

TEST(Direct, GradientsAreThoseOfDenseSolversOnThePattern) {
  const X64Scope wide;
  std::mt19937 random(3);
  for (Factorization kind : {Factorization::kLu, Factorization::kLdl, Factorization::kCholesky}) {
    const Matrix m = sample(Form::kPositive, 15, random);
    const Symbolic symbolic = analyze(m.pattern, {.factorization = kind});
    const Array b = numpy::cos(numpy::arange(0.0, 15.0)), indices = m.bcoo().indices;
    const auto of_dense = [&](const Array& a) { return numpy::sum(numpy::square(numpy::linalg::solve(a, b))); };
    const auto of_data = [&](const Array& data) { return numpy::sum(numpy::square(symbolic.solve(data, b))); };
    const Array wanted = bcoo_extract(m.bcoo(), hilo::grad(of_dense)(m.dense()));
    EXPECT_LT(apart(hilo::grad(of_data)(m.data()), wanted), 1e-10);
    EXPECT_LT(apart(jit(hilo::grad(of_data))(m.data()), wanted), 1e-10);
    const auto of_matrix = [&](const BCOO& a) { return numpy::sum(numpy::square(symbolic.solve(a.data, b))); };
    EXPECT_LT(apart(sparse::grad(of_matrix)(m.bcoo()).data, wanted), 1e-10);
  }
}

TEST(Direct, BatchesAreLoops) {
  const X64Scope wide;
  std::mt19937 random(4);
  for (int64_t count : {1, 3, 8, 21}) {
    for (Form form : {Form::kBanded, Form::kZeroDiagonal, Form::kTriangular}) {
      const Matrix m = sample(form, 9, random);
      const Symbolic symbolic = analyze(m.pattern);
      const Array steps = 1 + 0.1 * numpy::arange(0.0, static_cast<double>(count));
      const Array datas = numpy::expand_dims(m.data(), 0) * numpy::expand_dims(steps, 1);
      const Array bs = numpy::sin(numpy::arange(0.0, static_cast<double>(9 * count))).reshape({count, 9});
      const auto solve = [&](const Array& data, const Array& b) { return symbolic.solve(data, b); };
      std::vector<Array> loop, of_one_matrix, of_one_side;
      for (int64_t k = 0; k < count; ++k) {
        loop.push_back(solve(datas[k], bs[k]));
        of_one_matrix.push_back(solve(datas[0], bs[k]));
        of_one_side.push_back(solve(datas[k], bs[0]));
      }
      const double scale = 1e-10 * (1 + numpy::max(numpy::abs(numpy::stack(loop))).item<double>());
      EXPECT_LT(apart(vmap(solve)(datas, bs), numpy::stack(loop)), scale);
      EXPECT_LT(apart(jit(vmap(solve))(datas, bs), numpy::stack(loop)), scale);
      EXPECT_LT(apart(vmap(solve, {.in_axes = {kNoAxis, 0}})(datas[0], bs), numpy::stack(of_one_matrix)), scale);
      EXPECT_LT(apart(vmap(solve, {.in_axes = {0, kNoAxis}})(datas, bs[0]), numpy::stack(of_one_side)), scale);
      const auto loss = [&](const Array& data, const Array& b) { return numpy::sum(numpy::square(solve(data, b))); };
      std::vector<Array> slopes;
      for (int64_t k = 0; k < count; ++k) slopes.push_back(hilo::grad(loss)(datas[k], bs[k]));
      const double slope_scale = 1e-9 * (1 + numpy::max(numpy::abs(numpy::stack(slopes))).item<double>());
      EXPECT_LT(apart(jit(vmap(hilo::grad(loss)))(datas, bs), numpy::stack(slopes)), slope_scale);
    }
  }
}

TEST(Direct, BatchesOfBatches) {
  const X64Scope wide;
  std::mt19937 random(5);
  const Matrix m = sample(Form::kBanded, 7, random);
  const Symbolic symbolic = analyze(m.pattern);
  const Array datas = numpy::stack({m.data(), 2 * m.data()});
  const Array bs = numpy::sin(numpy::arange(0.0, 42.0)).reshape({2, 3, 7});
  const auto one = [&](const Array& data, const Array& b) { return symbolic.solve(data, b); };
  const auto sides = [&](const Array& data, const Array& b) { return vmap(one, {.in_axes = {kNoAxis, 0}})(data, b); };
  const Array all_at_once = jit(vmap(sides))(datas, bs);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) EXPECT_LT(apart(all_at_once(i, j), one(datas[i], bs(i, j))), 1e-11);
  }
  const auto scanned = vmap(vmap(one, {.in_axes = {kNoAxis, 0}}), {.in_axes = {0, kNoAxis}})(datas, bs[0]);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) EXPECT_LT(apart(scanned(i, j), one(datas[i], bs(0, j))), 1e-11);
  }
}

TEST(Direct, FactorsOnceForManyRightSides) {
  const Symbolic symbolic = analyze(SparsityPattern::banded(4, 4, 1));
  const auto f = [&](const Array& data, const Array& b) {
    const Factors factors = symbolic.factor(data);
    return factors.solve(b) + factors.solve(2 * b, {.trans = 'T'});
  };
  const Array data = numpy::array({4.0f, 1.0f, 1.0f, 4.0f, 1.0f, 1.0f, 4.0f, 1.0f, 1.0f, 4.0f});
  EXPECT_LT(apart(jit(f)(data, numpy::ones({4})), f(data, numpy::ones({4}))), 1e-6);
}

TEST(Direct, SingularMatricesSaySo) {
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const Array b = numpy::ones({2});
  const BCOO singular = BCOO::fromdense(numpy::array({{1.0f, 2.0f}, {2.0f, 4.0f}}));
  EXPECT_TRUE(contains(message([&] { spsolve(singular, b); }), "the matrix is singular: column"));
  const Symbolic symbolic = analyze(singular);
  const auto solve = [&](const Array& data) { return symbolic.solve(data, b); };
  EXPECT_TRUE(all_nan(jit(solve)(singular.data)));
  const auto info = [&](const Array& data) { return symbolic.factor(data).info(); };
  EXPECT_NE(jit(info)(singular.data).item<int>(), 0);
  EXPECT_EQ(jit(info)(numpy::array({1.0f, 0.0f, 0.0f, 1.0f})).item<int>(), 0);
  // In a batch, only the singular one is NaN.
  const Array both = vmap(solve)(numpy::stack({singular.data, numpy::array({1.0f, 0.0f, 0.0f, 2.0f})}));
  EXPECT_TRUE(all_nan(both[0]));
  EXPECT_LT(apart(both[1], numpy::array({1.0f, 0.5f})), 1e-6);

  const BCOO indefinite = BCOO::fromdense(numpy::array({{1.0f, 2.0f}, {2.0f, 1.0f}}));
  EXPECT_TRUE(
      contains(message([&] { cholesky(indefinite); }), "the matrix is not positive definite: the pivot of column"));
  const Symbolic positive = analyze(indefinite, {.factorization = Factorization::kCholesky});
  EXPECT_TRUE(all_nan(jit([&](const Array& data) { return positive.solve(data, b); })(indefinite.data)));
  EXPECT_TRUE(contains(message([&] { spsolve(empty({2, 2}), b); }),
                       "the matrix is structurally singular: whatever the values, column"));
}

/// A grid with free boundaries has constant vectors in its kernel, but no row or column of zeros.
TEST(Direct, SingularMatricesWithoutZeroPivotsSaySo) {
  const X64Scope wide;
  constexpr int64_t kSide = 12;
  Matrix m{{kSide * kSide, kSide * kSide, {}}, {}};
  for (int64_t k = 0; k < kSide * kSide; ++k) {
    double sum = 0;
    const auto link = [&](int64_t other, bool exists) {
      if (!exists) return;
      m.pattern.entries.emplace_back(k, other);
      m.values.push_back(-1.1);
      sum += 1.1;
    };
    link(k - 1, k % kSide > 0);
    link(k + 1, k % kSide < kSide - 1);
    link(k - kSide, k >= kSide);
    link(k + kSide, k + kSide < kSide * kSide);
    m.pattern.entries.emplace_back(k, k);
    m.values.push_back(sum);
  }
  EXPECT_THROW(splu(m.bcoo()), Error);
}

TEST(Direct, SmallPivotsAreRefined) {
  const X64Scope wide;
  // Without exchanges beyond dense blocks, the pivot 1e-20 loses all digits.
  std::mt19937 random(6);
  for (int trial = 0; trial < 20; ++trial) {
    Matrix m = sample(Form::kBanded, 40, random);
    for (size_t e = 0; e < m.values.size(); ++e) {
      if (m.pattern.entries[e].first == m.pattern.entries[e].second) m.values[e] = e % 3 == 0 ? 1e-20 : 1e-9;
    }
    const Array b = numpy::ones({40}, float64);
    const Array x = analyze(m.pattern).solve(m.data(), b);
    const Array residual = numpy::matmul(m.dense(), x) - b;
    EXPECT_LT(numpy::max(numpy::abs(residual)).item<double>(), 1e-8 * (1 + numpy::max(numpy::abs(x)).item<double>()))
        << trial;
    // With a sample, pivots are chosen by size.
    const Array chosen = analyze(m.pattern, {.sample = m.data()}).solve(m.data(), b);
    EXPECT_LT(apart(chosen, numpy::linalg::solve(m.dense(), b)), 1e-7 * (1 + numpy::max(numpy::abs(x)).item<double>()))
        << trial;
  }
}

TEST(Direct, ScalesOfRowsDontMatter) {
  const X64Scope wide;
  std::mt19937 random(7);
  const Matrix m = sample(Form::kBanded, 30, random);
  const Array b = numpy::ones({30}, float64), x = spsolve(m.bcoo(), b);
  const Array scale = numpy::exp2(20 * numpy::round(numpy::sin(numpy::arange(0.0, 30.0)) * 10));
  const Array rows = m.bcoo().indices(all, 0);
  EXPECT_LT(apart(analyze(m.pattern).solve(m.data() * numpy::take(scale, rows), b * scale), x),
            1e-9 * (1 + numpy::max(numpy::abs(x)).item<double>()));
}

TEST(Direct, NanAndInfinityReachTheSolution) {
  const Symbolic symbolic = analyze(SparsityPattern::banded(3, 3, 1));
  const Array data = numpy::array({2.0f, 1.0f, 1.0f, 2.0f, 1.0f, 1.0f, 2.0f});
  for (float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const Array x = symbolic.solve(data.at(3).set(special), numpy::ones({3}));
    EXPECT_TRUE(numpy::any(numpy::logical_or(numpy::isnan(x), x == 0)).item<bool>());
    EXPECT_TRUE(
        numpy::any(numpy::logical_not(numpy::isfinite(symbolic.solve(data, numpy::ones({3}).at(0).set(special)))))
            .item<bool>());
  }
  const Array tiny = symbolic.solve(data * 1e-40f, numpy::ones({3}) * 1e-40f);  // denormal
  EXPECT_LT(apart(tiny, symbolic.solve(data, numpy::ones({3}))), 1e-3);
}

TEST(Direct, RefusesWhatDoesntFit) {
  const BCOO a = eye(3);
  EXPECT_THROW(spsolve(BCOO::fromdense(numpy::ones({2, 3})), numpy::ones({2})), Error);
  EXPECT_THROW(spsolve(a, numpy::ones({4})), Error);
  EXPECT_THROW(spsolve(a, numpy::ones({3, 1, 1})), Error);
  EXPECT_THROW(splu(a).solve(numpy::ones({3}), {.trans = 'X'}), Error);
  EXPECT_THROW(analyze(a).factor(numpy::ones({2})), Error);
  EXPECT_THROW(analyze(a, {.sample = numpy::ones({2})}), Error);
  EXPECT_THROW(spsolve(a.astype(complex64), numpy::ones({3})), Error);
  EXPECT_THROW(splu(BCOO::fromdense(numpy::ones({2, 2, 2}), {.n_batch = 1})), Error);
  EXPECT_THROW(
      analyze(BCOO::fromdense(numpy::array({{1.0f, 1.0f}, {0.0f, 1.0f}})), {.factorization = Factorization::kCholesky}),
      Error);
  // Traced indices.
  EXPECT_THROW(jit([](const BCOO& m, const Array& b) { return spsolve(m, b); })(a, numpy::ones({3})), Error);
}

TEST(Direct, ElementsMayBeTracedWithKnownIndices) {
  const BCOO a = BCOO::fromdense(numpy::array({{4.0f, 1.0f}, {2.0f, 3.0f}}));
  const auto f = [&](const Array& data, const Array& b) { return spsolve(a.with_data(data), b); };
  EXPECT_LT(apart(jit(f)(a.data, numpy::array({6.0f, 8.0f})), numpy::array({1.0f, 2.0f})), 1e-5);
}

}  // namespace
}  // namespace hilo::scipy::sparse::linalg
