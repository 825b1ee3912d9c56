// SPDX-License-Identifier: Apache-2.0
// Array::item and to_vector, for each type of number. In a header, each use would compile a conversion from every
// element type.
#include <complex>

#include "hilo/array/array.h"

namespace hilo {
namespace {

template <typename T>
inline constexpr bool kIsComplex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <typename T, typename E>
T convert(const E& e) {
  if constexpr (kIsComplex<E> && kIsComplex<T>) return T(e);
  else if constexpr (kIsComplex<E>) return convert<T>(e.real());
  else if constexpr (std::same_as<E, float16> || std::same_as<E, bfloat16>) return convert<T>(static_cast<float>(e));
  else if constexpr (kIsComplex<T>) return T(static_cast<typename T::value_type>(e));
  else if constexpr (std::same_as<T, bool>) return e != E{};
  else return static_cast<T>(e);
}

}  // namespace

template <Number T>
T Array::item(std::source_location location) const {
  const HostNumbers number = one_number(location);
  return hilo::visit_element_type(
      number.type, [&]<typename E>() { return convert<T>(reinterpret_cast<const E*>(number.view.data)[0]); },
      [this]() -> T { refuse_numbers(); });
}

template <Number T>
std::vector<T> Array::to_vector(std::source_location location) const {
  const UserLocation here(location);
  const HostNumbers numbers = host_numbers();
  std::vector<T> out;
  hilo::visit_element_type(
      numbers.type,
      [&]<typename E>() {
        const std::span<const E> all(reinterpret_cast<const E*>(numbers.view.data), static_cast<size_t>(size()));
        if constexpr (std::same_as<E, T>) {
          out.assign(all.begin(), all.end());
        } else {
          out.reserve(all.size());
          for (const E& e : all) out.push_back(convert<T>(e));
        }
      },
      [this] { refuse_numbers(); });
  return out;
}

// All types that satisfy Number.
#define HILO_NUMBER(T)                                   \
  template T Array::item<T>(std::source_location) const; \
  template std::vector<T> Array::to_vector<T>(std::source_location) const;
HILO_NUMBER(bool)
HILO_NUMBER(char)
HILO_NUMBER(signed char)
HILO_NUMBER(unsigned char)
HILO_NUMBER(wchar_t)
HILO_NUMBER(char8_t)
HILO_NUMBER(char16_t)
HILO_NUMBER(char32_t)
HILO_NUMBER(short)
HILO_NUMBER(unsigned short)
HILO_NUMBER(int)
HILO_NUMBER(unsigned)
HILO_NUMBER(long)
HILO_NUMBER(unsigned long)
HILO_NUMBER(long long)
HILO_NUMBER(unsigned long long)
HILO_NUMBER(float)
HILO_NUMBER(double)
HILO_NUMBER(long double)
HILO_NUMBER(float16)
HILO_NUMBER(bfloat16)
HILO_NUMBER(std::complex<float>)
HILO_NUMBER(std::complex<double>)
#undef HILO_NUMBER

}  // namespace hilo
