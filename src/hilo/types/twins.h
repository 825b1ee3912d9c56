// SPDX-License-Identifier: Apache-2.0
// types/twins.h -- the C++ twin of every array type, including narrow ones, and a visitor over all of them.
#pragma once

#include <limits>
#include <type_traits>

#include "hilo/types/element_type.h"
#include "hilo/types/narrow_number.h"

namespace hilo {

#define HILO_NARROW_TYPE(enumerator, name, twin, ...) \
  template <> inline constexpr ElementType element_type_of<twin> = ElementType::k##enumerator;
#include "hilo/types/element_types.inc"

/// Whether T is stored in fewer bits than it computes with: f16, bf16 and all narrower floats, which compute in float.
template <typename T>
inline constexpr bool computes_in_float =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> || is_narrow_float_twin<T>;
/// Whether T holds integers, or, like bool, bits used as an integer.
template <typename T>
inline constexpr bool is_integral_element = std::is_integral_v<T> || is_narrow_integer_twin<T>;
/// Whether T is a signed integer.
template <typename T>
inline constexpr bool is_signed_element = is_integral_element<T> && std::numeric_limits<T>::is_signed;

/// Calls `visit.template operator()<T>()` with the native twin T of `type`, or returns `otherwise()` for a type without
/// one: token, opaque, tuple.
template <typename Visit, typename Otherwise>
auto visit_array_type(ElementType type, Visit&& visit, Otherwise&& otherwise) {
  switch (type) {
#define HILO_NATIVE_TYPE(enumerator, name, twin, ...) \
  case ElementType::k##enumerator: return visit.template operator()<twin>();
#define HILO_NARROW_TYPE(enumerator, name, twin, ...) \
  case ElementType::k##enumerator: return visit.template operator()<twin>();
#define HILO_OTHER_TYPE(enumerator, ...) \
  case ElementType::k##enumerator: break;
#include "hilo/types/element_types.inc"
  }
  return otherwise();
}

}  // namespace hilo
