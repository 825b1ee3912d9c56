// SPDX-License-Identifier: Apache-2.0
#include "tests/support/moved_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hilo/types/twins.h"

namespace hilo::tests {
namespace {

/// Converts a number to an element; narrow floats and integers are converted through float and int.
template <typename T>
T element(double value) {
  if constexpr (computes_in_float<T>) return T(static_cast<float>(value));
  else if constexpr (is_narrow_integer_twin<T>) return T(static_cast<int>(value));
  else if constexpr (std::is_same_v<T, bool>) return value != 0;
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<int64_t>(value));
  else return static_cast<T>(value);
}

class DataDrawer {
 public:
  DataDrawer(std::mt19937& random, const Shape& shape, Palette palette)
      : random_(random),
        palette_(palette),
        type_(shape.element_type()),
        bound_(bound_of(palette, shape.element_type())),
        rare_(std::max<int64_t>(shape.element_count() / 3, 8)) {}

  template <typename T>
  T draw() {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      using Part = typename T::value_type;
      if (palette_ != Palette::kUnits) return {draw<Part>(), draw<Part>()};
      const Part unit = below(2) == 0 ? Part(1) : Part(-1);
      return below(2) == 0 ? T(unit, 0) : T(0, unit);
    } else if constexpr (std::is_same_v<T, bool>) {
      return below(2) == 0;
    } else if constexpr (is_integral_element<T>) {
      return integer<T>();
    } else {
      return number<T>();
    }
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  template <typename T>
  T integer() {
    if (palette_ == Palette::kFull) {
      const uint64_t bits = uint64_t{random_()} << 32 | random_();
      if constexpr (is_narrow_integer_twin<T>) return T(static_cast<int>(bits & 0xff));
      else return static_cast<T>(bits);
    }
    const int64_t least = is_signed_element<T> ? -static_cast<int64_t>(bound_) : 0;
    return element<T>(static_cast<double>(least + below(static_cast<int64_t>(bound_) - least + 1)));
  }

  template <typename T>
  T number() {
    if (type_ == ElementType::kF8E8M0Fnu) return element<T>(below(rare_) == 0 ? 2 : 1);  // it has no zero and no sign
    switch (palette_) {
      case Palette::kRough: return element<T>(normal_(random_));
      case Palette::kUnits: return element<T>(below(16 * rare_) == 0 ? 0 : below(2) == 0 ? 1 : -1);
      case Palette::kDenormals: return denormal<T>();
      case Palette::kSpecials: {
        const int64_t kind = below(rare_);
        if (kind == 0) return element<T>(std::numeric_limits<double>::quiet_NaN());
        if (kind == 1) return element<T>(std::numeric_limits<double>::infinity());
        if (kind == 2) return element<T>(-std::numeric_limits<double>::infinity());
        if (below(4) == 0) return element<T>(below(2) == 0 ? -0.0 : 0.0);
        break;
      }
      case Palette::kIntegers:
      case Palette::kFull: break;
    }
    const auto most = static_cast<int64_t>(bound_);
    return element<T>(static_cast<double>(below(2 * most + 1) - most));
  }

  /// 0 to 3 times the least number, built from its bits.
  template <typename T>
  T denormal() {
    const auto multiple = static_cast<uint8_t>(below(4));
    T value{};
    std::memcpy(static_cast<void*>(&value), &multiple, 1);
    if (multiple == 0 && element_type_info(type_).bits <= 8) return value;  // some types have no negative zero
    if (below(2) == 0) value = element<T>(-static_cast<double>(value));
    return value;
  }

  std::mt19937& random_;
  std::normal_distribution<double> normal_;
  Palette palette_;
  ElementType type_;
  double bound_;
  int64_t rare_;  ///< one of this many elements is special
};

}  // namespace

double bound_of(Palette palette, ElementType type) {
  if (type == ElementType::kPred) return 1;
  const int bits = element_type_info(type).bits;
  if (is_integer(type)) {
    if (palette == Palette::kFull) return std::numeric_limits<double>::infinity();
    return bits == 2 ? 1 : is_signed_integer(type) && bits == 4 ? 7 : 8;
  }
  if (palette == Palette::kUnits || type == ElementType::kF8E8M0Fnu) return 2;
  return palette == Palette::kDenormals ? 3 : bits <= 8 ? 4 : 8;
}

Literal drawn_data(std::mt19937& random, const Shape& shape, Palette palette) {
  Literal literal(shape);
  DataDrawer drawer(random, shape, palette);
  visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& x : literal.data<T>()) x = drawer.template draw<T>();
      },
      [] {});
  return literal;
}

Literal drawn_indices(std::mt19937& random, const Shape& shape, int64_t limit) {
  Literal literal(shape);
  const bool ascends = random() % 4 == 0;
  int64_t number = 0;
  visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& x : literal.data<T>()) {
          const auto drawn = static_cast<int64_t>(random() % static_cast<uint64_t>(limit + 4));
          x = element<T>(static_cast<double>(ascends ? number++ : random() % 16 == 0 ? drawn * 3 - 2 : drawn));
        }
      },
      [] {});
  return literal;
}

Literal filled_array(const Shape& shape, double value) {
  Literal literal(shape);
  visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& x : literal.data<T>()) {
          if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
            x = T(static_cast<typename T::value_type>(value), 0);
          else x = element<T>(value);
        }
      },
      [] {});
  return literal;
}

}  // namespace hilo::tests
