// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/random_input.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "hilo/types/narrow_float.h"

namespace hilo::tool {
namespace {

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t state) : state_(state) {}
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

/// Returns a multiple of 2^(1-bits) in [-1, 1) from the top `bits` bits; at most 53.
double uniform(uint64_t random, int bits) {
  return std::ldexp(static_cast<double>(random >> (64 - bits)), 1 - bits) - 1;
}

int grid_bits(ElementType type) {
  const int bits = element_type_info(type).bits;
  if (type == ElementType::kBf16) return 8;
  return bits == 64 ? 53 : bits == 32 ? 24 : bits == 16 ? 11 : 2;
}

/// Returns a value of a type without a C++ equivalent. Narrow integers are their values (below 10, two's complement
/// isn't needed). Narrow floats are codes of -1, -0.5, 0 and 0.5, which are exact in each type.
uint8_t narrow_value(ElementType type, uint64_t random) {
  if (type == ElementType::kF8E8M0Fnu) return static_cast<uint8_t>(124 + (random >> 61));
  if (is_narrow_float(type)) return narrow_float_code(type, uniform(random, 2)).value_or(0);
  const int value_bits = element_type_info(type).bits - (is_signed_integer(type) ? 1 : 0);
  const uint64_t count = std::min<uint64_t>(10, uint64_t{1} << value_bits);
  return static_cast<uint8_t>(random % count);
}

template <typename T>
T value(ElementType type, SplitMix64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return (random.next() >> 63) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random.next() % 10);
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    using Part = typename T::value_type;
    const int bits = grid_bits(real_type_of(type));
    const Part real = static_cast<Part>(uniform(random.next(), bits));
    return {real, static_cast<Part>(uniform(random.next(), bits))};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(uniform(random.next(), grid_bits(type)));
  } else {
    return T(static_cast<float>(uniform(random.next(), grid_bits(type))));
  }
}

}  // namespace

StatusOr<Literal> random_argument(const Shape& shape, uint64_t seed, uint64_t index) {
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(shape.with_default_layout()));
  if (!shape.is_array()) return literal;
  SplitMix64 random(SplitMix64(seed + index).next());
  const ElementType type = shape.element_type();
  visit_element_type(
      type,
      [&]<typename T>() {
        for (T& element : literal.data<T>()) element = value<T>(type, random);
      },
      [&] {
        for (uint8_t& element : literal.data<uint8_t>()) element = narrow_value(type, random.next());
      });
  return literal;
}

}  // namespace hilo::tool
