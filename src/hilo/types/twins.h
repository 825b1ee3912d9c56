// SPDX-License-Identifier: Apache-2.0
// types/twins.h -- the C++ twin of every array type, narrow ones too, and the visitor over all of them.
#pragma once

#include <limits>
#include <type_traits>

#include "hilo/types/element_type.h"
#include "hilo/types/narrow_number.h"

namespace hilo {

template <> inline constexpr ElementType element_type_of<int2> = ElementType::kS2;
template <> inline constexpr ElementType element_type_of<int4> = ElementType::kS4;
template <> inline constexpr ElementType element_type_of<uint2> = ElementType::kU2;
template <> inline constexpr ElementType element_type_of<uint4> = ElementType::kU4;
template <> inline constexpr ElementType element_type_of<float8_e5m2> = ElementType::kF8E5M2;
template <> inline constexpr ElementType element_type_of<float8_e4m3fn> = ElementType::kF8E4M3Fn;
template <> inline constexpr ElementType element_type_of<float8_e4m3> = ElementType::kF8E4M3;
template <> inline constexpr ElementType element_type_of<float8_e3m4> = ElementType::kF8E3M4;
template <> inline constexpr ElementType element_type_of<float8_e4m3b11fnuz> = ElementType::kF8E4M3B11Fnuz;
template <> inline constexpr ElementType element_type_of<float8_e5m2fnuz> = ElementType::kF8E5M2Fnuz;
template <> inline constexpr ElementType element_type_of<float8_e4m3fnuz> = ElementType::kF8E4M3Fnuz;
template <> inline constexpr ElementType element_type_of<float8_e8m0fnu> = ElementType::kF8E8M0Fnu;
template <> inline constexpr ElementType element_type_of<float4_e2m1fn> = ElementType::kF4E2M1Fn;

/// T is stored in fewer bits than it computes with: float, rounded when stored. f16, bf16 and all narrower floats.
template <typename T>
inline constexpr bool computes_in_float =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> || is_narrow_float_twin<T>;
/// T holds integers or, like bool, bits that are used as one.
template <typename T>
inline constexpr bool is_integral_element = std::is_integral_v<T> || is_narrow_integer_twin<T>;
/// T is an integer with a sign.
template <typename T>
inline constexpr bool is_signed_element = is_integral_element<T> && std::numeric_limits<T>::is_signed;

/// Calls `visit.template operator()<T>()` with the native twin T of `type`, or returns `otherwise()` for a type without
/// one: token, opaque, tuple.
template <typename Visit, typename Otherwise>
auto visit_array_type(ElementType type, Visit&& visit, Otherwise&& otherwise) {
  switch (type) {
    case ElementType::kPred: return visit.template operator()<bool>();
    case ElementType::kS8: return visit.template operator()<int8_t>();
    case ElementType::kS16: return visit.template operator()<int16_t>();
    case ElementType::kS32: return visit.template operator()<int32_t>();
    case ElementType::kS64: return visit.template operator()<int64_t>();
    case ElementType::kU8: return visit.template operator()<uint8_t>();
    case ElementType::kU16: return visit.template operator()<uint16_t>();
    case ElementType::kU32: return visit.template operator()<uint32_t>();
    case ElementType::kU64: return visit.template operator()<uint64_t>();
    case ElementType::kF16: return visit.template operator()<float16>();
    case ElementType::kBf16: return visit.template operator()<bfloat16>();
    case ElementType::kF32: return visit.template operator()<float>();
    case ElementType::kF64: return visit.template operator()<double>();
    case ElementType::kC64: return visit.template operator()<std::complex<float>>();
    case ElementType::kC128: return visit.template operator()<std::complex<double>>();
    case ElementType::kS2: return visit.template operator()<int2>();
    case ElementType::kS4: return visit.template operator()<int4>();
    case ElementType::kU2: return visit.template operator()<uint2>();
    case ElementType::kU4: return visit.template operator()<uint4>();
    case ElementType::kF8E5M2: return visit.template operator()<float8_e5m2>();
    case ElementType::kF8E4M3Fn: return visit.template operator()<float8_e4m3fn>();
    case ElementType::kF8E4M3: return visit.template operator()<float8_e4m3>();
    case ElementType::kF8E3M4: return visit.template operator()<float8_e3m4>();
    case ElementType::kF8E4M3B11Fnuz: return visit.template operator()<float8_e4m3b11fnuz>();
    case ElementType::kF8E5M2Fnuz: return visit.template operator()<float8_e5m2fnuz>();
    case ElementType::kF8E4M3Fnuz: return visit.template operator()<float8_e4m3fnuz>();
    case ElementType::kF8E8M0Fnu: return visit.template operator()<float8_e8m0fnu>();
    case ElementType::kF4E2M1Fn: return visit.template operator()<float4_e2m1fn>();
    case ElementType::kToken:
    case ElementType::kOpaque:
    case ElementType::kTuple: break;
  }
  return otherwise();
}

}  // namespace hilo
