// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "hilo/types/largest_difference.h"
#include "hilo/types/narrow_float.h"

namespace hilo::tool {
namespace {

/// A real number: an element, or one part of a complex element.
struct Number {
  double value = 0;        ///< exact except for 64-bit integers
  uint64_t bits = 0;       ///< as stored
  uint64_t magnitude = 0;  ///< for floats: the bits without the sign
  bool negative = false;
};

Number number_at(ElementType type, const std::byte* data, int64_t index) {
  Number n;
  const int size = element_size_bytes(type);
  std::memcpy(&n.bits, data + index * size, static_cast<size_t>(size));
  const int width = is_floating(type) ? element_type_info(type).bits : 8 * size;
  const bool has_sign = type != ElementType::kF8E8M0Fnu;
  n.negative = has_sign && ((n.bits >> (width - 1)) & 1) != 0;
  n.magnitude = has_sign ? n.bits & ~(uint64_t{1} << (width - 1)) : n.bits;
  switch (type) {
    case ElementType::kF64: std::memcpy(&n.value, &n.bits, sizeof(double)); break;
    case ElementType::kF32: {
      float value;
      std::memcpy(&value, &n.bits, sizeof(float));
      n.value = static_cast<double>(value);
      break;
    }
    case ElementType::kF16: n.value = static_cast<double>(half_bits_to_float(static_cast<uint16_t>(n.bits))); break;
    case ElementType::kBf16:
      n.value = static_cast<double>(bfloat16_bits_to_float(static_cast<uint16_t>(n.bits)));
      break;
    default:
      if (is_narrow_float(type)) n.value = narrow_float_value(type, static_cast<uint8_t>(n.bits));
      else if (is_signed_integer(type) && n.negative)
        n.value = static_cast<double>(static_cast<int64_t>(n.bits | (width == 64 ? 0 : ~uint64_t{0} << width)));
      else n.value = static_cast<double>(n.bits);
  }
  return n;
}

uint64_t ulp_difference(const Number& a, const Number& b) {
  if (a.bits == b.bits) return 0;
  if (std::isnan(a.value) && std::isnan(b.value)) return 0;
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) return std::numeric_limits<uint64_t>::max();
  if (a.negative != b.negative) return a.magnitude + b.magnitude;
  return a.magnitude > b.magnitude ? a.magnitude - b.magnitude : b.magnitude - a.magnitude;
}

bool passes(const stablehlo::Check& check, ElementType type, const Number& a, const Number& b, uint64_t ulp) {
  if (!is_floating(type)) return a.bits == b.bits;
  const bool equal = a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  switch (check.kind) {
    case stablehlo::CheckKind::kEqual: return equal;
    case stablehlo::CheckKind::kAlmostEqual: return equal || std::fabs(a.value - b.value) <= check.tolerance;
    case stablehlo::CheckKind::kClose:
      return ulp >= static_cast<uint64_t>(check.min_ulp) && ulp <= static_cast<uint64_t>(check.max_ulp);
  }
  return false;
}

/// The parts of an element. The second part of a real number is 0.
struct Parts {
  Number real, imaginary;
  double size() const { return std::hypot(real.value, imaginary.value); }
};

Parts parts_at(ElementType type, const std::byte* data, int64_t index, int64_t parts) {
  Parts p;
  p.real = number_at(type, data, index * parts);
  if (parts == 2) p.imaginary = number_at(type, data, index * parts + 1);
  return p;
}

bool same(const Number& a, const Number& b) { return a.bits == b.bits || (std::isnan(a.value) && std::isnan(b.value)); }

/// Counts failing elements and finds the one with the largest distance in units in the last place.
struct Worst {
  LargestDifference difference;
  uint64_t ulp = 0;

  void add(int64_t at, double gap, uint64_t gap_in_ulp) {
    if (difference.add(at, gap)) ulp = gap_in_ulp;
  }
};

Difference describe(std::string_view what, const Worst& worst, const Literal& actual, const Literal& expected) {
  if (!worst.difference.found()) return {};
  std::string text = fmt::format("{} of {}", what, worst.difference.to_string(actual, expected));
  if (worst.ulp != 0 && worst.ulp != std::numeric_limits<uint64_t>::max()) text += fmt::format(" ({} ulp)", worst.ulp);
  return {true, std::move(text)};
}

bool comparable(const Literal& actual, const Literal& expected) {
  return expected.shape().is_array() && actual.shape().with_default_layout() == expected.shape().with_default_layout();
}

Difference unlike(std::string_view what, const Literal& actual, const Literal& expected) {
  return {true, fmt::format("{}: got {}, wanted {}", what, actual.shape().to_string(), expected.shape().to_string())};
}

}  // namespace

Difference difference(const stablehlo::Check& check, const Literal& actual, const Literal& expected) {
  if (!comparable(actual, expected)) return unlike(check.operation, actual, expected);
  const Shape& shape = expected.shape();
  const ElementType type = real_type_of(shape.element_type());
  const int64_t parts = is_complex(shape.element_type()) ? 2 : 1;
  Worst worst;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const Parts a = parts_at(type, actual.bytes().data(), i, parts),
                b = parts_at(type, expected.bytes().data(), i, parts);
    const bool is_float = is_floating(type);
    const uint64_t ulp_real = is_float ? ulp_difference(a.real, b.real) : 0;
    const uint64_t ulp_imaginary = parts == 2 ? ulp_difference(a.imaginary, b.imaginary) : 0;
    const bool well = passes(check, type, a.real, b.real, ulp_real) &&
                      (parts == 1 || passes(check, type, a.imaginary, b.imaginary, ulp_imaginary));
    if (well) continue;
    worst.add(i, std::hypot(a.real.value - b.real.value, a.imaginary.value - b.imaginary.value),
              std::max(ulp_real, ulp_imaginary));
  }
  return describe(check.operation, worst, actual, expected);
}

Difference difference_within(const Tolerance& tolerance, const Literal& actual, const Literal& expected) {
  if (!comparable(actual, expected)) return unlike("shapes", actual, expected);
  const Shape& shape = expected.shape();
  const ElementType type = real_type_of(shape.element_type());
  const int64_t parts = is_complex(shape.element_type()) ? 2 : 1;
  const bool exact = tolerance.relative == 0 && tolerance.absolute == 0 && tolerance.of_zeros == 0;
  double largest = 0;
  for (int64_t i = 0; i < shape.element_count() && !exact; ++i) {
    const double size = parts_at(type, expected.bytes().data(), i, parts).size();
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  const double slack = largest == 0 ? tolerance.of_zeros : tolerance.absolute * largest;
  Worst worst;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const Parts a = parts_at(type, actual.bytes().data(), i, parts),
                b = parts_at(type, expected.bytes().data(), i, parts);
    if (same(a.real, b.real) && same(a.imaginary, b.imaginary)) continue;
    const double gap = std::hypot(a.real.value - b.real.value, a.imaginary.value - b.imaginary.value);
    if (!exact && (gap <= tolerance.relative * b.size() + slack || std::isinf(tolerance.absolute))) continue;
    worst.add(i, gap, 0);
  }
  return describe("the array", worst, actual, expected);
}

}  // namespace hilo::tool
