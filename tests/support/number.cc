// SPDX-License-Identifier: Apache-2.0
#include "tests/support/number.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "hilo/types/narrow_float.h"
#include "hilo/types/twins.h"

namespace hilo::tests {
namespace {

template <typename T>
Wide widen(T value) {
  if constexpr (computes_in_float<T>) return Wide(static_cast<float>(value));
  else if constexpr (is_narrow_integer_twin<T>) return Wide(static_cast<int>(value));
  else if constexpr (std::is_arithmetic_v<T>) return Wide(static_cast<long double>(value));
  else return Wide(value.real(), value.imag());
}

template <typename T>
T narrow(const Wide& value) {
  if constexpr (std::is_same_v<T, bool>) return value != Wide(0);
  else if constexpr (computes_in_float<T>) return T(static_cast<float>(value.real()));
  else if constexpr (is_narrow_integer_twin<T>) return T(static_cast<int64_t>(value.real()));
  else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(value.real());
  else return T(static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag()));
}

std::string difference_at(const Literal& got, const Literal& wanted, int64_t i) {
  const auto size = static_cast<size_t>(element_size_bytes(got.shape().element_type()));
  const auto text = [&](const Literal& literal) {
    return element_to_string(literal.shape().element_type(), literal.bytes().data() + static_cast<size_t>(i) * size);
  };
  return "element " + std::to_string(i) + " of " + got.shape().to_string() + ": got " + text(got) + ", wanted " +
         text(wanted);
}

bool parts_agree(long double got, long double wanted, long double allowed) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
  return got == wanted || std::fabs(got - wanted) <= allowed;
}

bool agree(const Literal& got, const Literal& wanted, int64_t i, double ulps) {
  const ElementType type = got.shape().element_type();
  const Wide a = wide_at(got, i), b = wide_at(wanted, i);
  const long double least = is_narrow_float(type)                         ? ldexpl(1, 1 - narrow_format(type).bias)
                            : type == ElementType::kF16                   ? 0x1p-14L
                            : element_size_bytes(real_type_of(type)) == 8 ? 0x1p-1022L
                                                                          : 0x1p-126L;
  const long double size = std::abs(b);
  const long double place = std::isfinite(size) ? ldexpl(epsilon_of(type), ilogbl(std::max(size, least))) : 0;
  const long double allowed = ulps * place;
  return parts_agree(a.real(), b.real(), allowed) && parts_agree(a.imag(), b.imag(), allowed);
}

bool same_bits_or_nan(const Literal& got, const Literal& wanted, int64_t i) {
  const auto size = static_cast<size_t>(element_size_bytes(got.shape().element_type()));
  const size_t at = static_cast<size_t>(i) * size;
  if (std::memcmp(got.bytes().data() + at, wanted.bytes().data() + at, size) == 0) return true;
  const Wide a = wide_at(got, i), b = wide_at(wanted, i);
  const auto same = [](long double x, long double y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  };
  return epsilon_of(got.shape().element_type()) > 0 && same(a.real(), b.real()) && same(a.imag(), b.imag());
}

}  // namespace

Whole whole_at(const Literal& literal, int64_t i) {
  return visit_array_type(
      literal.shape().element_type(),
      [&]<typename T>() -> Whole {
        if constexpr (is_integral_element<T>) return literal.data<T>()[static_cast<size_t>(i)];
        else return 0;
      },
      []() -> Whole { return 0; });
}

Wide wide_at(const Literal& literal, int64_t i) {
  return visit_array_type(
      literal.shape().element_type(), [&]<typename T>() { return widen(literal.data<T>()[static_cast<size_t>(i)]); },
      [] { return Wide(); });
}

void store_whole(Literal& literal, int64_t i, Whole value) {
  visit_array_type(
      literal.shape().element_type(),
      [&]<typename T>() {
        T& place = literal.data<T>()[static_cast<size_t>(i)];
        if constexpr (std::is_same_v<T, bool>) place = value != 0;
        else if constexpr (is_narrow_integer_twin<T>) place = T(static_cast<int64_t>(value));
        else if constexpr (std::is_integral_v<T>) place = static_cast<T>(value);
        else place = narrow<T>(Wide(static_cast<long double>(value)));
      },
      [] {});
}

void store_wide(Literal& literal, int64_t i, const Wide& value) {
  visit_array_type(
      literal.shape().element_type(),
      [&]<typename T>() { literal.data<T>()[static_cast<size_t>(i)] = narrow<T>(value); }, [] {});
}

Literal wholes(const Shape& shape, const std::function<Whole(int64_t)>& f) {
  Literal literal(shape);
  for (int64_t i = 0; i < shape.element_count(); ++i) store_whole(literal, i, f(i));
  return literal;
}

Literal converted(const Literal& literal, ElementType type) {
  Literal out(literal.shape().with_element_type(type));
  for (int64_t i = 0; i < out.shape().element_count(); ++i) {
    if (is_integer(literal.shape().element_type())) store_whole(out, i, whole_at(literal, i));
    else store_wide(out, i, wide_at(literal, i));
  }
  return out;
}

double epsilon_of(ElementType type) {
  if (is_narrow_float(type)) return std::ldexp(1.0, -narrow_format(type).mantissa_bits);
  switch (real_type_of(type)) {
    case ElementType::kF16: return 0x1p-10;
    case ElementType::kBf16: return 0x1p-7;
    case ElementType::kF32: return std::numeric_limits<float>::epsilon();
    case ElementType::kF64: return std::numeric_limits<double>::epsilon();
    default: return 0;
  }
}

std::string difference(const Literal& got, const Literal& wanted, double ulps) {
  if (!got.shape().compatible(wanted.shape())) {
    return "got shape " + got.shape().to_string() + ", wanted " + wanted.shape().to_string();
  }
  if (got.is_tuple()) {
    for (size_t i = 0; i < got.elements().size(); ++i) {
      const std::string text = difference(got.elements()[i], wanted.elements()[i], ulps);
      if (!text.empty()) return "result " + std::to_string(i) + ", " + text;
    }
    return "";
  }
  if (got.shape().is_token()) return "";  // a token has no value
  for (int64_t i = 0; i < got.shape().element_count(); ++i) {
    const bool near = ulps > 0 && epsilon_of(got.shape().element_type()) > 0;
    if (near ? !agree(got, wanted, i, ulps) : !same_bits_or_nan(got, wanted, i)) return difference_at(got, wanted, i);
  }
  return "";
}

void for_each_index(std::span<const int64_t> dimensions,
                    const std::function<void(std::span<const int64_t> index, int64_t flat)>& f) {
  int64_t count = 1;
  for (int64_t d : dimensions) count *= d;
  std::vector<int64_t> index(dimensions.size(), 0);
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat;
    for (size_t d = dimensions.size(); d-- > 0;) {
      index[d] = rest % dimensions[d];
      rest /= dimensions[d];
    }
    f(index, flat);
  }
}

int64_t flat_index(std::span<const int64_t> dimensions, std::span<const int64_t> index) {
  int64_t flat = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) flat = flat * dimensions[d] + index[d];
  return flat;
}

}  // namespace hilo::tests
