// SPDX-License-Identifier: Apache-2.0
// Small factorizations written out: the same pivots, failures and NaN as the library's calls, and no larger errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "hilo/hlo/passes/passes.h"
#include "hilo/types/twins.h"
#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

using Number = long double;  // products of factors have no rounding error of their own
using Wide = std::complex<Number>;

enum class Kind {
  kRandom,
  kGraded,    // rows of very different sizes
  kHilbert,   // ill-conditioned
  kSingular,  // small integers of rank 1
  kZero,
  kIdentity,
  kDenormal,
  kLarge,
  kNan,
  kInfinite
};
constexpr Kind kAll[] = {Kind::kRandom,   Kind::kGraded,   Kind::kHilbert, Kind::kSingular, Kind::kZero,
                         Kind::kIdentity, Kind::kDenormal, Kind::kLarge,   Kind::kNan,      Kind::kInfinite};
constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kF64, ElementType::kC64, ElementType::kC128};

/// Matrices of wide complex numbers, row by row.
struct Matrices {
  int64_t count, rows, columns;
  std::vector<Wide> values;

  Matrices(int64_t count, int64_t rows, int64_t columns)
      : count(count), rows(rows), columns(columns), values(count * rows * columns) {}
  Wide& at(int64_t item, int64_t i, int64_t j) { return values[(item * rows + i) * columns + j]; }
  const Wide& at(int64_t item, int64_t i, int64_t j) const { return values[(item * rows + i) * columns + j]; }
};

Matrices sample(Kind kind, ElementType type, int64_t count, int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<Number> unit(-1, 1);
  const bool is_wide = real_type_of(type) == ElementType::kF64, is_real = real_type_of(type) == type;
  Matrices m(count, rows, columns);
  const auto number = [&] { return Wide(unit(random), is_real ? Number(0) : unit(random)); };
  for (int64_t item = 0; item < count; ++item) {
    std::vector<Number> left(rows), right(columns);
    for (Number& x : left) x = static_cast<Number>(random() % 4) - 1;
    for (Number& x : right) x = static_cast<Number>(random() % 4) - 1;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        Wide& x = m.at(item, i, j);
        switch (kind) {
          case Kind::kRandom:
          case Kind::kNan:
          case Kind::kInfinite: x = number(); break;
          case Kind::kGraded: x = number() * std::pow(Number(10), static_cast<Number>(i % 4) * 2 - 3); break;
          case Kind::kHilbert: x = 1 / static_cast<Number>(i + j + 1 + item % 3); break;
          case Kind::kSingular: x = left[i] * right[j]; break;
          case Kind::kZero: x = 0; break;
          case Kind::kIdentity: x = i == j ? 1 : 0; break;
          case Kind::kDenormal: x = number() * Number(is_wide ? 4e-322 : 3e-44); break;
          case Kind::kLarge: x = number() * Number(is_wide ? 1e300 : 1e37); break;
        }
      }
    }
    const double special = kind == Kind::kNan ? std::numeric_limits<double>::quiet_NaN()
                           : kind == Kind::kInfinite
                               ? (item % 2 == 0 ? 1 : -1) * std::numeric_limits<double>::infinity()
                               : 0;
    if (special != 0)
      m.at(item, static_cast<int64_t>(random() % rows), static_cast<int64_t>(random() % columns)) = special;
  }
  return m;
}

std::vector<int64_t> dimensions(int64_t batch, std::initializer_list<int64_t> inner) {
  std::vector<int64_t> all;
  if (batch > 0) all.push_back(batch);
  all.insert(all.end(), inner);
  return all;
}

/// Calls visit.operator()<T>() for the types of LAPACK.
template <typename Visit>
void for_type(ElementType type, const Visit& visit) {
  if (type == ElementType::kF32) visit.template operator()<float>();
  if (type == ElementType::kF64) visit.template operator()<double>();
  if (type == ElementType::kC64) visit.template operator()<std::complex<float>>();
  if (type == ElementType::kC128) visit.template operator()<std::complex<double>>();
}

template <typename T>
T number(Wide x) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(x.real());
  else return T(static_cast<typename T::value_type>(x.real()), static_cast<typename T::value_type>(x.imag()));
}

template <typename T>
Wide widened(T x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  else return {x.real(), x.imag()};
}

/// Rounds the matrices to the type. `batch` 0 is one matrix.
Literal literal_of(const Matrices& m, ElementType type, int64_t batch) {
  Literal literal(Shape::array(type, dimensions(batch, {m.rows, m.columns})));
  for_type(type, [&]<typename T>() {
    for (size_t k = 0; k < m.values.size(); ++k) literal.data<T>()[k] = number<T>(m.values[k]);
  });
  return literal;
}

/// Returns the elements as matrices; of vectors, `columns` is 1.
Matrices matrices_of(const Literal& literal, int64_t rows, int64_t columns) {
  Matrices m(literal.shape().element_count() / (rows * columns), rows, columns);
  for_type(literal.shape().element_type(), [&]<typename T>() {
    for (size_t k = 0; k < m.values.size(); ++k) m.values[k] = widened(literal.data<T>()[k]);
  });
  return m;
}

bool is_nan(Wide x) { return std::isnan(x.real()) || std::isnan(x.imag()); }
bool is_finite(Wide x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

/// The results of a program as it is, and with its linear algebra written out.
struct Both {
  Literal library, own;
};

Both run(const std::string& body, const std::vector<Literal>& arguments) {
  StatusOr<Module> parsed = module_of_text(body);
  EXPECT_TRUE(parsed.ok()) << parsed.status().to_string() << body;
  if (!parsed.ok()) return {};
  EXPECT_TRUE(lower_extensions(*parsed).ok());
  Module own = *parsed;
  const StatusOr<bool> changed = lower_small_linalg(own);
  EXPECT_TRUE(changed.ok() && *changed) << changed.status().to_string() << body;
  for (const Instruction& i : own.entry->instructions()) {
    const bool is_call = i.opcode == Opcode::kCustomCall || i.opcode == Opcode::kCholesky ||
                         i.opcode == Opcode::kTriangularSolve || i.opcode == Opcode::kGather;
    EXPECT_FALSE(is_call) << print_module(own);
  }
  const StatusOr<Literal> x = evaluate(*parsed, arguments), y = evaluate(own, arguments);
  EXPECT_TRUE(x.ok() && y.ok()) << x.status().to_string() << y.status().to_string() << body;
  if (!x.ok() || !y.ok()) return {};
  EXPECT_TRUE(x->shape().compatible(y->shape()));
  return {*x, *y};
}

std::string name_of(ElementType type) { return std::string(element_type_name(type)); }
std::string text_of(ElementType type, int64_t batch, std::initializer_list<int64_t> inner) {
  return Shape::array(type, dimensions(batch, inner)).to_string();
}

double epsilon(ElementType type) {
  return real_type_of(type) == ElementType::kF64 ? std::numeric_limits<double>::epsilon()
                                                 : std::numeric_limits<float>::epsilon();
}

/// Returns the greatest |expected - actual|, in units of epsilon times the greatest element of each matrix.
double error_of(const Matrices& expected, const Matrices& actual, ElementType type) {
  Number most = 0;
  for (int64_t item = 0; item < expected.count; ++item) {
    Number size = 0, error = 0;
    for (int64_t k = 0; k < expected.rows * expected.columns; ++k) {
      const Wide x = expected.values[item * expected.rows * expected.columns + k];
      const Wide y = actual.values[item * expected.rows * expected.columns + k];
      if (!is_finite(x) || !is_finite(y)) continue;
      size = std::max(size, std::abs(x));
      error = std::max(error, std::abs(x - y));
    }
    if (error == 0) continue;
    const Number scale = std::max(size, Number(std::numeric_limits<double>::min())) * Number(epsilon(type));
    most = std::max(most, error / scale);
  }
  return static_cast<double>(most);
}

/// Expects NaN at the same positions, and equal infinities.
void expect_same_specials(const Matrices& library, const Matrices& own, const std::string& what) {
  int shown = 0;
  for (size_t k = 0; k < library.values.size() && shown < 3; ++k) {
    const Wide x = library.values[k], y = own.values[k];
    const bool same = is_nan(x) ? is_nan(y) : is_finite(x) ? is_finite(y) : !is_nan(y) && !is_finite(y);
    if (same) continue;
    ++shown;
    ADD_FAILURE() << what << " element " << k << ": " << x << " became " << y;
  }
}

/// OpenBLAS's quotients of complex numbers overflow if the divisor is denormal; those of the engine don't.
bool library_overflows(Kind kind, ElementType type) { return kind == Kind::kDenormal && is_complex(type); }

void expect_finite(const Matrices& own, const std::string& what) {
  EXPECT_TRUE(std::ranges::all_of(own.values, is_finite)) << what;
}

/// Errors of rounding that a result may have although the library's happens to have none, in epsilons.
constexpr double kFreeError = 3;

/// L U, with the rows in the matrix's order.
Matrices product_of_factors(const Matrices& lu, std::span<const int> permutation) {
  Matrices a(lu.count, lu.rows, lu.columns);
  const int64_t steps = std::min(lu.rows, lu.columns);
  for (int64_t item = 0; item < lu.count; ++item) {
    for (int64_t i = 0; i < lu.rows; ++i) {
      for (int64_t j = 0; j < lu.columns; ++j) {
        Wide sum = 0;
        for (int64_t k = 0; k <= std::min({i, j, steps - 1}); ++k)
          sum += (k == i ? Wide(1) : lu.at(item, i, k)) * lu.at(item, k, j);
        a.at(item, permutation[item * lu.rows + i], j) = sum;
      }
    }
  }
  return a;
}

void check_lu(Kind kind, ElementType type, int64_t batch, int64_t rows, int64_t columns) {
  const int64_t count = std::max<int64_t>(batch, 1), steps = std::min(rows, columns);
  const std::string what =
      fmt::format("lu of kind {} {} {}x{}", static_cast<int>(kind), text_of(type, batch, {}), rows, columns);
  const Literal x =
      literal_of(sample(kind, type, count, rows, columns, static_cast<unsigned>(rows * 10 + columns)), type, batch);
  const std::string body = "  x = " + text_of(type, batch, {rows, columns}) + " parameter(0)\n  ROOT f = (" +
                           text_of(type, batch, {rows, columns}) + ", " + text_of(ElementType::kS32, batch, {steps}) +
                           ", " + text_of(ElementType::kS32, batch, {rows}) + ") hilo.lu(x)";
  const Both both = run(body, {x});
  ASSERT_TRUE(both.own.is_tuple()) << what;
  const Matrices a = matrices_of(x, rows, columns), library = matrices_of(both.library.elements()[0], rows, columns),
                 own = matrices_of(both.own.elements()[0], rows, columns);
  if (library_overflows(kind, type)) return expect_finite(own, what);
  expect_same_specials(library, own, what);
  const std::span<const int> pivots = both.library.elements()[1].data<int>(),
                             own_pivots = both.own.elements()[1].data<int>();
  const bool has_ties = kind == Kind::kHilbert || kind == Kind::kDenormal;  // after rounding
  for (int64_t item = 0; item < count && !has_ties; ++item) {
    for (int64_t k = 0; k < steps; ++k)
      EXPECT_EQ(pivots[item * steps + k], own_pivots[item * steps + k]) << what << " item " << item << " step " << k;
  }
  if (kind == Kind::kNan || kind == Kind::kInfinite || kind == Kind::kLarge) return;
  const double theirs = error_of(a, product_of_factors(library, both.library.elements()[2].data<int>()), type);
  const double ours = error_of(a, product_of_factors(own, both.own.elements()[2].data<int>()), type);
  if (kind == Kind::kDenormal) return;  // epsilon isn't the error of denormal numbers
  EXPECT_LE(ours, theirs + kFreeError) << what;
}

TEST(LowerSmallLinalg, LuHasTheLibrarysPivotsAndErrors) {
  for (ElementType type : kTypes) {
    for (Kind kind : kAll) {
      for (int64_t n = 1; n <= 8; ++n) check_lu(kind, type, 33, n, n);
      for (int64_t batch : {0, 1, 3}) check_lu(kind, type, batch, 4, 4);
      check_lu(kind, type, 3, 2, 5);
      check_lu(kind, type, 3, 5, 2);
    }
  }
}

std::string custom_call(const std::string& results, const std::string& operands, const std::string& target,
                        const std::string& layouts, const std::string& config) {
  return results + " custom-call(" + operands + "), custom_call_target=\"" + target +
         "\", operand_layout_constraints={" + layouts + "}, api_version=API_VERSION_TYPED_FFI, backend_config={" +
         config + "}";
}

char letter_of(ElementType type) {
  return type == ElementType::kF32 ? 's' : type == ElementType::kF64 ? 'd' : type == ElementType::kC64 ? 'c' : 'z';
}

/// The shape of column-major matrices.
std::string columns_first(ElementType type, int64_t batch, int64_t rows, int64_t columns) {
  return fmt::format("{}{}{{{}}}", name_of(type), dimensions_to_string(dimensions(batch, {rows, columns})),
                     batch == 0 ? "0,1" : "1,2,0");
}

TEST(LowerSmallLinalg, TheInfoOfLuIsTheFirstPivotOfZero) {
  for (ElementType type : kTypes) {
    for (Kind kind : {Kind::kRandom, Kind::kSingular, Kind::kZero, Kind::kNan, Kind::kInfinite}) {
      for (int64_t n : {1, 2, 3, 5}) {
        constexpr int64_t kBatch = 17;
        const std::string matrix = columns_first(type, kBatch, n, n);
        const std::string call = custom_call("(" + matrix + ", " + text_of(ElementType::kS32, kBatch, {n}) + ", " +
                                                 text_of(ElementType::kS32, kBatch, {}) + ")",
                                             "x", fmt::format("lapack_{}getrf_ffi", letter_of(type)), matrix, "");
        const Literal x = literal_of(sample(kind, type, kBatch, n, n, 7), type, kBatch);
        const std::string parameter = "  x = " + text_of(type, kBatch, {n, n}) + " parameter(0)\n";
        const Both both = run(parameter + "  f = " + call + "\n  ROOT i = " + text_of(ElementType::kS32, kBatch, {}) +
                                  " get-tuple-element(f), index=2",
                              {x});
        EXPECT_TRUE(both.library.identical(both.own))
            << both.library.to_string(40) << " became " << both.own.to_string(40) << call;
      }
    }
  }
}

/// A A^H + shift, so that the matrices are Hermitian.
Matrices hermitian(const Matrices& a, Number shift) {
  Matrices m(a.count, a.rows, a.rows);
  for (int64_t item = 0; item < a.count; ++item) {
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t j = 0; j < a.rows; ++j) {
        for (int64_t k = 0; k < a.columns; ++k) m.at(item, i, j) += a.at(item, i, k) * std::conj(a.at(item, j, k));
      }
      m.at(item, i, i) += shift;
    }
  }
  return m;
}

/// L L^H or U^H U.
Matrices square_of(const Matrices& factor, bool lower) {
  Matrices m(factor.count, factor.rows, factor.rows);
  for (int64_t item = 0; item < m.count; ++item) {
    for (int64_t i = 0; i < m.rows; ++i) {
      for (int64_t j = 0; j < m.rows; ++j) {
        for (int64_t k = 0; k <= std::min(i, j); ++k) {
          m.at(item, i, j) += lower ? factor.at(item, i, k) * std::conj(factor.at(item, j, k))
                                    : std::conj(factor.at(item, k, i)) * factor.at(item, k, j);
        }
      }
    }
  }
  return m;
}

void check_cholesky(Kind kind, ElementType type, int64_t batch, int64_t n, bool lower, bool calls_lapack) {
  const int64_t count = std::max<int64_t>(batch, 1);
  const std::string what =
      fmt::format("cholesky of kind {} {} {} {}", static_cast<int>(kind), text_of(type, batch, {n, n}),
                  lower ? "lower" : "upper", calls_lapack ? "potrf" : "");
  // every third matrix isn't positive definite
  Matrices m =
      hermitian(sample(kind, type, count, n, n, static_cast<unsigned>(n)), kind == Kind::kLarge ? 0 : Number(1e-3));
  for (int64_t item = 2; item < count; item += 3) m.at(item, n - 1, n - 1) = -m.at(item, n - 1, n - 1);
  const Literal x = literal_of(m, type, batch);
  std::string body = "  x = " + text_of(type, batch, {n, n}) + " parameter(0)\n";
  if (calls_lapack) {
    const std::string matrix = columns_first(type, batch, n, n);
    body += "  ROOT f = " + custom_call("(" + matrix + ", " + text_of(ElementType::kS32, batch, {}) + ")", "x",
                                        fmt::format("lapack_{}potrf_ffi", letter_of(type)), matrix,
                                        fmt::format("uplo = {} : ui8", static_cast<int>(lower ? 'L' : 'U')));
  } else {
    body += "  ROOT f = " + text_of(type, batch, {n, n}) + " cholesky(x), lower=" + (lower ? "true" : "false");
  }
  const Both both = run(body, {x});
  Matrices library = matrices_of(calls_lapack ? both.library.elements()[0] : both.library, n, n);
  Matrices own = matrices_of(calls_lapack ? both.own.elements()[0] : both.own, n, n);
  if (calls_lapack) {
    EXPECT_TRUE(both.library.elements()[1].identical(both.own.elements()[1])) << what;
    const std::span<const int> info = both.own.elements()[1].data<int>();
    for (int64_t item = 0; item < count; ++item) {  // after a failure LAPACK's factor has no meaning
      for (int64_t k = 0; k < n * n && info[item] != 0; ++k)
        library.values[item * n * n + k] = own.values[item * n * n + k] = 0;
    }
  }
  if (kind != Kind::kLarge) expect_same_specials(library, own, what);
  if (kind == Kind::kLarge || kind == Kind::kDenormal || kind == Kind::kInfinite) return;
  Matrices a = matrices_of(x, n, n);
  for (int64_t item = 2; item < count; item += 3)
    for (int64_t k = 0; k < n * n; ++k)
      a.values[item * n * n + k] = library.values[item * n * n + k] = own.values[item * n * n + k] = 0;
  EXPECT_LE(error_of(a, square_of(own, lower), type), error_of(a, square_of(library, lower), type) + kFreeError)
      << what;
}

TEST(LowerSmallLinalg, CholeskyFailsWhereTheLibrarysDoes) {
  for (ElementType type : kTypes) {
    for (Kind kind : kAll) {
      for (bool lower : {false, true}) {
        for (int64_t n = 1; n <= 8; ++n) check_cholesky(kind, type, 12, n, lower, false);
        for (int64_t batch : {0, 1, 3}) check_cholesky(kind, type, batch, 3, lower, false);
        check_cholesky(kind, type, 12, 4, lower, true);
      }
    }
  }
}

struct SolveForm {
  bool left, lower, unit;
  const char* transpose;
};

std::vector<SolveForm> all_forms() {
  std::vector<SolveForm> forms;
  for (bool left : {false, true}) {
    for (bool lower : {false, true}) {
      for (bool unit : {false, true}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
          forms.push_back({left, lower, unit, transpose});
      }
    }
  }
  return forms;
}

void check_solve(Kind kind, ElementType type, int64_t batch, int64_t n, int64_t others, const SolveForm& form) {
  const int64_t count = std::max<int64_t>(batch, 1), rows = form.left ? n : others, columns = form.left ? others : n;
  const std::string what =
      fmt::format("solve of kind {} {} with {} left={} lower={} unit={} {}", static_cast<int>(kind),
                  text_of(type, batch, {n, n}), others, form.left, form.lower, form.unit, form.transpose);
  Matrices m = sample(kind, type, count, n, n, static_cast<unsigned>(n));
  for (int64_t item = 0; item < count; ++item) {
    for (int64_t i = 0; i < n; ++i) m.at(item, i, i) += Number(kind == Kind::kRandom || kind == Kind::kHilbert ? 2 : 0);
  }
  const Literal a = literal_of(m, type, batch),
                b = literal_of(sample(Kind::kRandom, type, count, rows, columns, 3), type, batch);
  const std::string body =
      "  a = " + text_of(type, batch, {n, n}) + " parameter(0)\n  b = " + text_of(type, batch, {rows, columns}) +
      " parameter(1)\n  ROOT x = " + text_of(type, batch, {rows, columns}) +
      fmt::format(" triangular-solve(a, b), left_side={}, lower={}, unit_diagonal={}, transpose_a={}", form.left,
                  form.lower, form.unit, form.transpose);
  const Both both = run(body, {a, b});
  const Matrices library = matrices_of(both.library, rows, columns), own = matrices_of(both.own, rows, columns);
  const bool is_tame = kind == Kind::kRandom || kind == Kind::kHilbert;
  EXPECT_LE(is_tame ? error_of(library, own, type) : 0, 200) << what;
  if (real_type_of(type) == type && kind != Kind::kLarge && kind != Kind::kDenormal && kind != Kind::kGraded)
    expect_same_specials(library, own, what);
}

TEST(LowerSmallLinalg, TriangularSolvesHaveEveryForm) {
  for (ElementType type : kTypes) {
    for (const SolveForm& form : all_forms()) {
      for (Kind kind : kAll) check_solve(kind, type, 3, 4, 2, form);
      for (int64_t n = 1; n <= 8; ++n) check_solve(Kind::kRandom, type, 5, n, 3, form);
      for (int64_t batch : {0, 1, 33}) check_solve(Kind::kRandom, type, batch, 3, 1, form);
    }
  }
}

void check_qr(Kind kind, ElementType type, int64_t batch, int64_t rows, int64_t columns, bool full) {
  const int64_t count = std::max<int64_t>(batch, 1), inner = full ? rows : std::min(rows, columns);
  const std::string what =
      fmt::format("qr of kind {} {}", static_cast<int>(kind), text_of(type, batch, {rows, columns}));
  const Literal x =
      literal_of(sample(kind, type, count, rows, columns, static_cast<unsigned>(rows * 10 + columns)), type, batch);
  const std::string body = "  x = " + text_of(type, batch, {rows, columns}) + " parameter(0)\n  ROOT f = (" +
                           text_of(type, batch, {rows, inner}) + ", " + text_of(type, batch, {inner, columns}) +
                           ") hilo.qr(x), full_matrices=" + (full ? "true" : "false");
  const Both both = run(body, {x});
  const Matrices a = matrices_of(x, rows, columns);
  const auto product = [&](const Literal& results) {
    const Matrices q = matrices_of(results.elements()[0], rows, inner),
                   r = matrices_of(results.elements()[1], inner, columns);
    Matrices p(count, rows, columns);
    for (int64_t item = 0; item < count; ++item) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          for (int64_t k = 0; k < inner; ++k) p.at(item, i, j) += q.at(item, i, k) * r.at(item, k, j);
        }
      }
    }
    return p;
  };
  const auto gram = [&](const Literal& results) {
    const Matrices q = matrices_of(results.elements()[0], rows, inner);
    Matrices g(count, inner, inner);
    for (int64_t item = 0; item < count; ++item) {
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t j = 0; j < inner; ++j) {
          for (int64_t k = 0; k < rows; ++k) g.at(item, i, j) += std::conj(q.at(item, k, i)) * q.at(item, k, j);
        }
      }
    }
    return g;
  };
  for (size_t k = 0; k < 2; ++k) {
    const int64_t height = k == 0 ? rows : inner, width = k == 0 ? inner : columns;
    const Matrices library = matrices_of(both.library.elements()[k], height, width),
                   own = matrices_of(both.own.elements()[k], height, width);
    if (library_overflows(kind, type)) expect_finite(own, what);
    else expect_same_specials(library, own, what + (k == 0 ? " Q" : " R"));
    // the signs are LAPACK's
    const bool is_tame = kind == Kind::kRandom || kind == Kind::kIdentity || kind == Kind::kZero;
    EXPECT_LE(is_tame ? error_of(library, own, type) : 0, 2000) << what;
  }
  if (kind == Kind::kNan || kind == Kind::kInfinite || library_overflows(kind, type)) return;
  Matrices one(count, inner, inner);
  for (int64_t item = 0; item < count; ++item) {
    for (int64_t i = 0; i < inner; ++i) one.at(item, i, i) = 1;
  }
  EXPECT_LE(error_of(one, gram(both.own), type), error_of(one, gram(both.library), type) + kFreeError) << what;
  if (kind == Kind::kDenormal) return;
  EXPECT_LE(error_of(a, product(both.own), type), error_of(a, product(both.library), type) + kFreeError) << what;
}

TEST(LowerSmallLinalg, QrHasTheLibrarysSignsAndErrors) {
  for (ElementType type : kTypes) {
    for (Kind kind : kAll) {
      for (int64_t n = 1; n <= 8; ++n) check_qr(kind, type, 5, n, n, false);
      check_qr(kind, type, 0, 4, 2, false);
      check_qr(kind, type, 3, 4, 2, true);
      check_qr(kind, type, 3, 2, 4, true);
    }
  }
}

TEST(LowerSmallLinalg, CallsThatDontFitStayAndReportTheirError) {
  struct Call {
    const char *results, *target, *config;
  };
  constexpr Call kCalls[] = {{"f64[2,3]{0,1}", "lapack_dtrsm_ffi", ""},
                             {"(f64[2,2]{0,1}, s32[2])", "lapack_dpotrf_ffi", "uplo = 76 : ui8"},
                             {"(f64[2,2]{0,1}, s32[])", "lapack_dpotrf_ffi", "uplo = 65 : ui8"},
                             {"(f64[2,2]{0,1}, s32[3], s32[])", "lapack_dgetrf_ffi", ""},
                             {"(f64[2,2]{0,1}, f64[3])", "lapack_dgeqrf_ffi", ""}};
  for (const Call& call : kCalls) {
    const StatusOr<Module> parsed =
        module_of_text("  x = f64[2,2] parameter(0)\n  ROOT r = " +
                       custom_call(call.results, "x", call.target, "f64[2,2]{0,1}", call.config));
    ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
    Module module = *parsed;
    const StatusOr<bool> changed = lower_small_linalg(module);
    ASSERT_TRUE(changed.ok()) << changed.status().to_string();
    EXPECT_FALSE(*changed) << call.target << call.config;
  }
}

TEST(LowerSmallLinalg, KeepsMatricesAboveTheEnginesLimits) {
  const StatusOr<Module> parsed = module_of_text(
      "  x = f64[3,3] parameter(0)\n  y = f64[2,3,3] parameter(1)\n  a = f64[3,3] cholesky(x)\n"
      "  b = f64[2,3,3] cholesky(y)\n  ROOT r = (f64[3,3], f64[2,3,3]) tuple(a, b)");
  ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
  const auto count = [&](const SmallMatrices& limits) {
    Module module = *parsed;
    EXPECT_TRUE(lower_small_linalg(module, limits).ok());
    return std::ranges::count(module.entry->instructions(), Opcode::kCholesky, &Instruction::opcode);
  };
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count({.one = {.cholesky = 2}, .batch = {.cholesky = 3}}), 1);
  EXPECT_EQ(count({.one = {.cholesky = 2}, .batch = {.cholesky = 2}}), 2);
  EXPECT_EQ(count({.one = {.operations = 251}, .batch = {}}), 1);
  EXPECT_EQ(count({.one = {.operations = 252}, .batch = {}}), 0);
}

TEST(LowerSmallLinalg, GrowsAProgramOnlyUpToALimit) {
  std::string body = "  x0 = f64[8,8] parameter(0)\n";
  constexpr int kCount = 100;
  for (int k = 1; k <= kCount; ++k)
    body += fmt::format("  {}x{} = f64[8,8] cholesky(x{})\n", k == kCount ? "ROOT " : "", k, k - 1);
  const StatusOr<Module> parsed = module_of_text(body);
  ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
  Module module = *parsed;
  ASSERT_TRUE(lower_small_linalg(module).ok());
  const auto left = std::ranges::count(module.entry->instructions(), Opcode::kCholesky, &Instruction::opcode);
  EXPECT_GT(left, 0);
  EXPECT_LT(left, kCount);
  EXPECT_LT(instruction_count(module), 40'000);
}

}  // namespace
}  // namespace hilo::hlo
