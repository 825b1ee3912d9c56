// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/sum_check.h -- compares long sums of the engine and the reference with exact sums.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <span>

#include "hilo/hlo/ops/product.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {

/// A sum in two long doubles, which hold 128 bits.
class ExactSum {
 public:
  void take(long double x) {
    const long double next = sum_ + x, taken = next - sum_;
    lost_ += (sum_ - (next - taken)) + (x - taken);
    sum_ = next;
    size_ += x < 0 ? -x : x;
  }
  long double value() const { return sum_ + lost_; }
  long double size() const { return size_; }  ///< the sum of absolute values, the unit of errors

 private:
  long double sum_ = 0, lost_ = 0, size_ = 0;
};

/// The terms of a sum: term i of n.
struct Terms {
  const char* name;
  double (*term)(int64_t i);
};

inline double hashed(int64_t i) {
  auto h = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u;
  return static_cast<double>((h ^ (h >> 32)) >> 11) * 0x1p-53;
}

inline constexpr Terms kTerms[] = {
    {"constant", [](int64_t) { return 0.1; }},
    {"random", [](int64_t i) { return hashed(i); }},
    {"random signs", [](int64_t i) { return 2 * hashed(i) - 1; }},
    {"alternating", [](int64_t i) { return i % 2 == 0 ? 0.7 : -0.3; }},
    {"ascending", [](int64_t i) { return 0.3 * static_cast<double>(i); }},
};

template <typename T>
Literal filled_with(const Terms& terms, std::vector<int64_t> sizes) {
  Literal literal(Shape::array(element_type_of<T>, sizes));
  int64_t i = 0;
  for (T& x : literal.data<T>()) x = static_cast<T>(static_cast<float>(terms.term(i++)));
  return literal;
}
template <>
inline Literal filled_with<double>(const Terms& terms, std::vector<int64_t> sizes) {
  Literal literal(Shape::array(ElementType::kF64, sizes));
  int64_t i = 0;
  for (double& x : literal.data<double>()) x = terms.term(i++);
  return literal;
}

/// Half the distance from 1 to the next number: the error of one rounding.
inline double unit_of(ElementType type) {
  return type == ElementType::kF64    ? 0x1p-53
         : type == ElementType::kF32  ? 0x1p-24
         : type == ElementType::kBf16 ? 0x1p-8
                                      : 0x1p-11;
}

/// Expects that each element of `got` is its exact sum, up to `units` roundings of terms of that size.
inline void expect_sums(const Literal& got, std::span<const ExactSum> exact, double units, const std::string& where) {
  ASSERT_EQ(got.shape().element_count(), std::ssize(exact)) << where;
  for (int64_t i = 0; i < std::ssize(exact); ++i) {
    const ExactSum& wanted = exact[static_cast<size_t>(i)];
    const long double error = std::abs(static_cast<long double>(element_as_double(got, i)) - wanted.value());
    const long double allowed = units * unit_of(got.shape().element_type()) * wanted.size();
    ASSERT_LE(error, allowed) << where << ": element " << i << " is off by "
                              << static_cast<double>(error / allowed * units) << " units of "
                              << static_cast<double>(wanted.value());
  }
}

/// Checks on every instruction set, and in the reference too if `reference`.
inline void check_sums(const std::string& text, const std::vector<Literal>& arguments, std::span<const ExactSum> exact,
                       double units, bool reference = true) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  if (reference) {
    const StatusOr<Literal> value = hlo::evaluate(*module, arguments);
    ASSERT_TRUE(value.ok()) << value.status().to_string();
    expect_sums(*value, exact, units, "reference of " + text);
  }
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    expect_sums(run(**executable, arguments)[0], exact, units, std::string(isa_name(isa)) + " of " + text);
  });
}

/// docs/numerics.md: tiles and libraries add products in order, and each doubling adds one combination.
inline double bound_of_tiles(int64_t terms) { return 1024 + 16 + std::log2(static_cast<double>(terms)); }

template <typename T>
Literal constant_of(T value, const std::vector<int64_t>& sizes) {
  Literal literal(Shape::array(element_type_of<T>, sizes));
  std::fill_n(literal.data<T>().begin(), literal.shape().element_count(), value);
  return literal;
}

/// `results` sums of n equal terms.
inline std::vector<ExactSum> equal_sums(int64_t results, int64_t n, long double term) {
  ExactSum sum;
  sum.take(term * static_cast<long double>(n));
  return std::vector<ExactSum>(static_cast<size_t>(results), sum);
}

/// The sums of windows over an array. Each window has one result.
inline std::string windowed(std::string_view type, const std::vector<int64_t>& sizes, std::string_view window,
                            std::string_view zero = "0") {
  std::string list, result;
  for (int64_t size : sizes) list += (list.empty() ? "" : ",") + std::to_string(size);
  return fmt::format(R"(HloModule windows
body {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] add(a, b)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  zero = {0}[] constant({3})
  ROOT r = {0}[{1}] reduce-window(x, zero), window={{{2}}}, to_apply=body
}}
)",
                     type, list, window, zero);
}

}  // namespace hilo::cpu
