// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/bisect/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "hilo/types/largest_difference.h"
#include "hilo/types/narrow_float.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

using Number = std::complex<double>;  // exact for every float

template <typename T>
Number number(T value) {
  if constexpr (computes_in_float<T>) return Number(static_cast<double>(static_cast<float>(value)));
  else if constexpr (is_narrow_integer_twin<T>) return Number(static_cast<double>(static_cast<int>(value)));
  else if constexpr (std::is_arithmetic_v<T>) return Number(static_cast<double>(value));
  else return Number(static_cast<double>(value.real()), static_cast<double>(value.imag()));
}

/// Calls f(index, number) for every element of an array.
template <typename F>
void for_each_number(const Literal& array, const F& f) {
  visit_array_type(
      array.shape().element_type(),
      [&]<typename T>() {
        int64_t index = 0;
        for (const T& value : array.data<T>()) f(index++, number(value));
      },
      [] {});
}

bool is_rounded(ElementType type) { return is_floating(type) || is_complex(type); }

/// Returns the magnitude above which rounding decides between a finite number and infinity.
double nearly_infinite(ElementType type) {
  if (is_narrow_float(type)) return narrow_largest(narrow_format(type)) / 2;
  return type == ElementType::kF16 ? 6e3 : type == ElementType::kF64 || type == ElementType::kC128 ? 1e300 : 1e36;
}

/// The maximum difference of two numbers' parts.
struct Bound {
  double gap = 0;
  bool may_overflow = false;
  bool exact = false;

  bool holds(double got, double expected) const {
    if (std::isnan(got) && std::isnan(expected)) return true;
    if (exact) return got == expected && std::signbit(got) == std::signbit(expected);
    if (got == expected) return true;
    if (!std::isfinite(got) || !std::isfinite(expected)) return may_overflow;
    return std::abs(got - expected) <= gap;
  }
  bool holds(const Number& got, const Number& expected) const {
    return holds(got.real(), expected.real()) && holds(got.imag(), expected.imag());
  }
};

LargestDifference float_difference(const Literal& got, const Literal& expected, const Bound& bound) {
  LargestDifference difference;
  std::vector<Number> expected_numbers;
  expected_numbers.reserve(expected.shape().element_count());
  for_each_number(expected, [&](int64_t, const Number& x) { expected_numbers.push_back(x); });
  for_each_number(got, [&](int64_t i, const Number& x) {
    const Number& other = expected_numbers[i];
    if (!bound.holds(x, other)) difference.add(i, std::abs(x - other));
  });
  return difference;
}

/// Compares types without floats bit by bit.
LargestDifference bit_difference(const Literal& got, const Literal& expected) {
  LargestDifference difference;
  const size_t size = element_size_bytes(got.shape().element_type());
  const std::byte* const other = expected.bytes().data();
  for_each_number(got, [&](int64_t i, const Number& x) {
    const size_t at = static_cast<size_t>(i) * size;
    if (std::memcmp(got.bytes().data() + at, other + at, size) == 0) return;
    double y = 0;
    visit_array_type(
        expected.shape().element_type(), [&]<typename T>() { y = number(expected.data<T>()[i]).real(); }, [] {});
    difference.add(i, std::abs(x.real() - y));
  });
  return difference;
}

}  // namespace

double tolerance_of(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: return 1e-11;
    case ElementType::kF32:
    case ElementType::kC64: return 1e-4;
    case ElementType::kF16: return 2e-2;
    case ElementType::kBf16: return 1e-1;
    default:  // two steps of a narrow float, 0 for types without rounding
      return is_narrow_float(type) ? std::ldexp(2.0, -narrow_float_mantissa_bits(type)) : 0;
  }
}

double greatest_magnitude(const Literal& value) {
  double most = 0;
  for (const Literal& element : value.elements()) most = std::max(most, greatest_magnitude(element));
  if (value.is_tuple() || !is_rounded(value.shape().element_type())) return most;
  for_each_number(value, [&](int64_t, const Number& x) {
    for (const double part : {x.real(), x.imag()}) {
      if (std::isfinite(part)) most = std::max(most, std::abs(part));
    }
  });
  return most;
}

std::string parting(const Literal& got, const Literal& expected, double scale, bool exact) {
  if (!got.shape().compatible(expected.shape()))
    return fmt::format("got {}, wanted {}", got.shape().to_string(), expected.shape().to_string());
  const ElementType type = expected.shape().element_type();
  Bound bound;
  bound.exact = exact || tolerance_of(type) == 0;
  bound.gap = tolerance_of(type) * std::max(1.0, scale);
  bound.may_overflow = scale > nearly_infinite(type);
  const LargestDifference difference =
      is_rounded(type) ? float_difference(got, expected, bound) : bit_difference(got, expected);
  return difference.found() ? difference.to_string(got, expected) : "";
}

}  // namespace hilo::hlo
