// SPDX-License-Identifier: Apache-2.0
// Values, first and second derivatives of elementwise functions, in forward and reverse mode, compared with mpmath's at
// hostile points.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "hilo/io/npz.h"
#include "tests/paths.h"
#include "tests/rules/slope_functions.h"
#include "tests/support/x64.h"

namespace hilo::tests {
namespace {

using Table = std::vector<std::vector<double>>;  // columns
enum Kind { kValue, kSlope, kSecond };
constexpr const char* kKindNames[] = {"value", "slope", "slope of the slope"};

/// A known error above 4 ulp (values) or 8 ulp (derivatives), and its reason.
struct Exception {
  const char* function;  ///< a name of the table; "complex NAME"; with a type, "NAME f32"
  Kind kind;
  double low, high;  ///< the range of the first argument
  double ulps;
  const char* reason;
};
#include "tests/rules/slope_exceptions.inc"

double allowed(const std::string& function, const std::string& type, Kind kind, double at) {
  double most = kind == kValue ? 4 : 8;
  for (const Exception& e : kExceptions) {
    if (e.kind == kind && e.low <= at && at <= e.high &&
        (e.function == function || e.function == function + " " + type))
      most = std::max(most, e.ulps);
  }
  return most;
}

const std::map<std::string, Table>& tables() {
  static const std::map<std::string, Table> kTables = [] {
    std::map<std::string, Table> all;
    for (const auto& [name, literal] : or_throw(io::read_npz(std::string(kSourceDir) + "/tests/golden/slopes.npz"))) {
      const auto columns = static_cast<size_t>(literal.shape().dimension(1));
      const std::span<const double> numbers = literal.data<double>();
      Table table(columns);
      for (size_t i = 0; i < numbers.size(); ++i) table[i % columns].push_back(numbers[i]);
      all[name] = table;
    }
    return all;
  }();
  return kTables;
}

struct Format {
  ElementType type;
  const char* name;
  /// `digits` of the significand; exponents of the least normal number and of the greatest number
  int digits, least, greatest;
};
constexpr Format kF64 = {ElementType::kF64, "f64", 53, -1022, 1023}, kF32 = {ElementType::kF32, "f32", 24, -126, 127},
                 kF16 = {ElementType::kF16, "f16", 11, -14, 15}, kBf16 = {ElementType::kBf16, "bf16", 8, -126, 127};

double ulp(double x, const Format& f) {
  const int exponent = x == 0 ? f.least : std::max(std::ilogb(x), f.least);
  return std::ldexp(1.0, std::max(exponent - f.digits + 1, -1074));
}
/// Whether the type represents x exactly.
bool is_in(double x, const Format& f) {
  return std::isfinite(x) && std::abs(x) < std::ldexp(1.0, f.greatest + 1) && std::fmod(x, ulp(x, f)) == 0;
}

/// Whether x is finite in the type. Forward mode multiplies an infinite slope by the other operand's tangent of 0.
bool is_finite_in(double x, const Format& f) {
  return std::abs(x) < std::ldexp(2 - std::ldexp(1.0, 2 - f.digits), f.greatest);
}

/// The greatest error of one column of one function, over points whose exact value the type represents.
struct Worst {
  double ulps = 0, at = 0, got = 0, truth = 0;
  double bound = 0;  ///< The bound at the point with the largest fraction of its bound.
  void add(double x, double result, double wanted, const Format& f, double size, double most) {
    if (!is_finite_in(wanted, f)) return;
    const double off = std::isnan(result) || std::isinf(result) ? HUGE_VAL : std::abs(result - wanted) / ulp(size, f);
    if (bound == 0 || off / most > ulps / bound) *this = {off, x, result, wanted, most};
  }
};

/// Reports errors above their bound. With HILO_SLOPES in the environment, prints all errors.
void judge(const std::string& function, const Format& f, const char* what, Kind kind, const Worst& worst) {
  if (std::getenv("HILO_SLOPES") != nullptr && worst.ulps > worst.bound)
    std::printf("%-18s %-4s %-8s %-18s %10.3g at %.17g: %.17g, true is %.17g\n", function.c_str(), f.name, what,
                kKindNames[kind], worst.ulps, worst.at, worst.got, worst.truth);
  EXPECT_LE(worst.ulps, worst.bound) << function << " of " << f.name << ", " << what << " " << kKindNames[kind]
                                     << ", at " << fmt::format("{}: {}, true is {}", worst.at, worst.got, worst.truth);
}

/// The rows whose arguments the type represents. The last one is repeated up to `count`, so that fewer shapes compile.
std::vector<size_t> rows_of(const Table& table, size_t arguments, const Format& f) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < table[0].size(); ++i) {
    bool fits = true;
    for (size_t k = 0; k < arguments; ++k) fits = fits && is_in(table[k][i], f);
    if (fits) rows.push_back(i);
  }
  return rows;
}
std::vector<double> chosen(const std::vector<double>& column, const std::vector<size_t>& rows) {
  std::vector<double> out;
  for (size_t row : rows) out.push_back(column[row]);
  return out;
}

template <typename F>
Array reverse_slope(const F& f, const Array& x) {
  return std::get<0>(vjp(f, x).second(numpy::ones_like(x)));
}

/// The modes of the results of in_all_ways.
constexpr const char* kWays[] = {"", "forward", "reverse", "forward", "reverse"};
constexpr Kind kKinds[] = {kValue, kSlope, kSlope, kSecond, kSecond};
std::vector<Array> in_all_ways(const UnarySlope& function, const Array& x) {
  const auto f = [&](const Array& a) { return function.f(a); };
  const auto forward = [&](const Array& a) { return jvp(f, std::tuple(a), std::tuple(numpy::ones_like(a))).second; };
  const auto reverse = [&](const Array& a) { return reverse_slope(f, a); };
  return {f(x), forward(x), reverse(x), jvp(forward, std::tuple(x), std::tuple(numpy::ones_like(x))).second,
          reverse_slope(reverse, x)};
}

void check_unary(const UnarySlope& function, const Format& format) {
  const Table& table = tables().at(function.name);
  const std::vector<size_t> rows = rows_of(table, 1, format);
  const Array x = numpy::array(chosen(table[0], rows)).astype(format.type);
  const auto all = [&](const Array& a) { return in_all_ways(function, a); };
  const bool compiled = format.type == ElementType::kF64 || format.type == ElementType::kF32;
  const std::vector<Array> got = compiled ? jit(all)(x) : all(x);
  for (size_t k = 0; k < got.size(); ++k) {
    const std::vector<double> numbers = got[k].to_vector<double>();
    Worst worst;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double truth = table[1 + kKinds[k]][rows[i]];
      worst.add(table[0][rows[i]], numbers[i], truth, format, truth,
                allowed(function.name, format.name, kKinds[k], table[0][rows[i]]));
    }
    judge(function.name, format, kWays[k], kKinds[k], worst);
  }
}

/// Second derivatives are compared as a matrix, in units of the arguments, because their zeros are on lines in the
/// plane.
double size_of_second(const Table& table, size_t row, size_t column) {
  const double x = std::abs(table[0][row]), y = std::abs(table[1][row]);
  const double units[] = {x, x, y, y}, *first = units + (column - 5);  // x x, x y, y y
  double most = 0;
  for (size_t k = 5; k < 8; ++k) {
    const double part = std::abs(table[k][row]) * (units[k - 5] / first[0]) * (units[k - 4] / first[1]);
    if (std::isfinite(part)) most = std::max(most, part);
  }
  return std::max(most, std::abs(table[column][row]));
}

void check_binary(const BinarySlope& function, const Format& format) {
  const Table& table = tables().at(function.name);
  const std::vector<size_t> rows = rows_of(table, 2, format);
  const Array x = numpy::array(chosen(table[0], rows)).astype(format.type);
  const Array y = numpy::array(chosen(table[1], rows)).astype(format.type);
  const auto f = [&](const Array& a, const Array& b) { return function.f(a, b); };
  // The other operand has no tangent. A tangent of zeros would be multiplied, by infinity too.
  const auto along = [&](const auto& g, bool first) {
    return [g, first](const Array& a, const Array& b) {
      const std::tuple one(numpy::ones_like(a));
      if (first) return jvp([&](const Array& v) { return g(v, b); }, std::tuple(a), one).second;
      return jvp([&](const Array& v) { return g(a, v); }, std::tuple(b), one).second;
    };
  };
  const auto back = [&](const auto& g, bool first) {
    return [g, first](const Array& a, const Array& b) {
      const auto both = vjp(g, a, b).second(numpy::ones_like(a));
      return first ? std::get<0>(both) : std::get<1>(both);
    };
  };
  const auto all = [&](const Array& a, const Array& b) {
    const auto fx = along(f, true), fy = along(f, false);
    const auto rx = back(f, true), ry = back(f, false);
    return std::vector<Array>{f(a, b),
                              fx(a, b),
                              fy(a, b),
                              along(fx, true)(a, b),
                              along(fx, false)(a, b),
                              along(fy, false)(a, b),
                              rx(a, b),
                              ry(a, b),
                              back(rx, true)(a, b),
                              back(rx, false)(a, b),
                              back(ry, false)(a, b)};
  };
  const bool compiled = format.type == ElementType::kF64 || format.type == ElementType::kF32;
  const std::vector<Array> got = compiled ? jit(all)(x, y) : all(x, y);
  constexpr size_t kColumns[] = {2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7};
  constexpr const char* kNames[] = {"f", "x", "y", "xx", "xy", "yy", "x'", "y'", "xx'", "xy'", "yy'"};
  for (size_t k = 0; k < got.size(); ++k) {
    const Kind kind = kColumns[k] == 2 ? kValue : kColumns[k] < 5 ? kSlope : kSecond;
    const std::vector<double> numbers = got[k].to_vector<double>();
    Worst worst;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double truth = table[kColumns[k]][rows[i]];
      const auto finite = [&](size_t column) { return is_finite_in(table[column][rows[i]], format); };
      if (k < 6 && !(finite(3) && finite(4) && (kind != kSecond || (finite(5) && finite(7))))) continue;
      const double size = kind == kSecond ? size_of_second(table, rows[i], kColumns[k]) : truth;
      worst.add(table[0][rows[i]], numbers[i], truth, format, size,
                allowed(function.name, format.name, kind, table[0][rows[i]]));
      if (worst.at == table[0][rows[i]] && worst.got == numbers[i] && std::getenv("HILO_SLOPES") != nullptr &&
          worst.ulps > 8 && worst.truth == truth)
        std::printf("    y %.17g\n", table[1][rows[i]]);
    }
    judge(function.name, format, kNames[k], kind, worst);
  }
}

/// Compares by the norm: a part much smaller than the other one has only the norm's absolute precision.
void check_complex(const UnarySlope& function, const Format& part) {
  const std::string name = std::string("complex ") + function.name;
  const Table& table = tables().at(name);
  const std::vector<size_t> rows = rows_of(table, 2, part);
  const auto real_part = [&](size_t column) { return numpy::array(chosen(table[column], rows)).astype(part.type); };
  const Array z = lax::complex(real_part(0), real_part(1));
  const auto all = [&](const Array& a) { return in_all_ways(function, a); };
  const std::vector<Array> got = jit(all)(z);
  for (size_t k = 0; k < got.size(); ++k) {
    const size_t column = 2 + 2 * static_cast<size_t>(kKinds[k]);
    const std::vector<double> real = numpy::real(got[k]).to_vector<double>(),
                              imag = numpy::imag(got[k]).to_vector<double>();
    Worst worst;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double x = table[column][rows[i]], y = table[column + 1][rows[i]];
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      const double size = std::max(std::abs(x), std::abs(y)), at = table[0][rows[i]];
      const double most = allowed(name, part.name, kKinds[k], at);
      worst.add(at, real[i], x, part, size, most);
      worst.add(at, imag[i], y, part, size, most);
    }
    judge(name, part, kWays[k], kKinds[k], worst);
  }
}

bool takes(std::string_view function, const Format& f) {
  return f.digits >= 24 || std::ranges::find(kWideOnly, function) == std::end(kWideOnly);
}

class TrueSlopes : public testing::TestWithParam<Format> {};

TEST_P(TrueSlopes, OfOneRealArgument) {
  const X64Scope wide;
  for (const UnarySlope& function : kUnarySlopes) {
    if (takes(function.name, GetParam())) check_unary(function, GetParam());
  }
}
TEST_P(TrueSlopes, OfDistributions) {
  // other types are computed in f32
  if (GetParam().type != ElementType::kF64 && GetParam().type != ElementType::kF32) return;
  const X64Scope wide;
  for (const UnarySlope& function : kSlopesAlong) check_unary(function, GetParam());
}
TEST_P(TrueSlopes, OfTwoRealArguments) {
  const X64Scope wide;
  for (const BinarySlope& function : kBinarySlopes) {
    if (takes(function.name, GetParam())) check_binary(function, GetParam());
  }
}
TEST_P(TrueSlopes, OfOneComplexArgument) {
  if (GetParam().type != ElementType::kF64 && GetParam().type != ElementType::kF32) return;
  const X64Scope wide;
  for (const UnarySlope& function : kComplexSlopes) check_complex(function, GetParam());
}
INSTANTIATE_TEST_SUITE_P(, TrueSlopes, testing::Values(kF64, kF32, kF16, kBf16),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SlopeTable, IsThatOfTheFunctions) {
  std::map<std::string, int> named;
  for (const UnarySlope& f : kUnarySlopes) ++named[f.name];
  for (const UnarySlope& f : kSlopesAlong) ++named[f.name];
  for (const BinarySlope& f : kBinarySlopes) ++named[f.name];
  for (const UnarySlope& f : kComplexSlopes) ++named[std::string("complex ") + f.name];
  for (const auto& [name, table] : tables()) EXPECT_EQ(named[name], 1) << name;
  EXPECT_EQ(named.size(), tables().size());
}

/// All matches of `pattern` in a source file.
std::set<std::string> names_in(const std::string& file, const char* pattern) {
  std::ifstream in(std::string(kSourceDir) + "/src/hilo/" + file);
  EXPECT_TRUE(in.good()) << file;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::set<std::string> names;
  const std::regex expression(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), expression), end; i != end; ++i) names.insert((*i)[1]);
  return names;
}

TEST(SlopeTable, HasEveryElementwiseFunction) {
  std::set<std::string> known;
  for (const UnarySlope& f : kUnarySlopes) known.insert(f.name);
  for (const BinarySlope& f : kBinarySlopes) known.insert(f.name);
  for (const NotInTheTable& f : kNotInTheTable) EXPECT_TRUE(known.insert(f.name).second) << f.name << " is in it";
  const char* const kFunction = "\\nArray (\\w+)\\(const Operand& ";
  std::set<std::string> declared = names_in("nn/activations.h", kFunction);
  for (const char* family : {"bessel", "error", "exponential", "gamma", "hypergeometric", "logarithmic"})
    declared.merge(names_in(std::string("scipy/special/") + family + ".h", kFunction));
  declared.merge(names_in("numpy/ufuncs.inc", "\\nHILO_UFUNC\\((\\w+)"));
  declared.merge(names_in("numpy/elementwise.h", "\\nHILO_(?:UNARY|BINARY)\\((\\w+)\\)"));
  EXPECT_GE(declared.size(), 150);
  for (const std::string& name : declared) EXPECT_TRUE(known.contains(name)) << name << " has no row";
}

}  // namespace
}  // namespace hilo::tests
