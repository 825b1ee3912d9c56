// SPDX-License-Identifier: Apache-2.0
// types/element_type.h -- the element types of XLA, one row each, and their C++ twins.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hilo/types/float16.h"

namespace hilo {

/// XLA's PrimitiveType, in the order of kElementTypes.
// clang-format off: rows of a kind
enum class ElementType : uint8_t {
  kPred,
  kS2, kS4, kS8, kS16, kS32, kS64,
  kU2, kU4, kU8, kU16, kU32, kU64,
  kF16, kBf16, kF32, kF64,
  kC64, kC128,
  kF8E5M2, kF8E4M3Fn, kF8E4M3, kF8E3M4, kF8E4M3B11Fnuz, kF8E5M2Fnuz, kF8E4M3Fnuz, kF8E8M0Fnu, kF4E2M1Fn,
  kToken, kOpaque, kTuple,
};
// clang-format on

enum class ElementClass : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

struct ElementTypeInfo {
  ElementType type;
  std::string_view name;  ///< as in HLO text: "f32"
  ElementClass element_class;
  int bits;           ///< width of a value
  int storage_bytes;  ///< bytes that one element takes in memory; narrow types take a whole byte
  int proto_value;    ///< number in XLA's xla_data.proto
};

inline constexpr std::array<ElementTypeInfo, 31> kElementTypes = {{
    {ElementType::kPred, "pred", ElementClass::kPred, 1, 1, 1},
    {ElementType::kS2, "s2", ElementClass::kSigned, 2, 1, 26},
    {ElementType::kS4, "s4", ElementClass::kSigned, 4, 1, 21},
    {ElementType::kS8, "s8", ElementClass::kSigned, 8, 1, 2},
    {ElementType::kS16, "s16", ElementClass::kSigned, 16, 2, 3},
    {ElementType::kS32, "s32", ElementClass::kSigned, 32, 4, 4},
    {ElementType::kS64, "s64", ElementClass::kSigned, 64, 8, 5},
    {ElementType::kU2, "u2", ElementClass::kUnsigned, 2, 1, 27},
    {ElementType::kU4, "u4", ElementClass::kUnsigned, 4, 1, 22},
    {ElementType::kU8, "u8", ElementClass::kUnsigned, 8, 1, 6},
    {ElementType::kU16, "u16", ElementClass::kUnsigned, 16, 2, 7},
    {ElementType::kU32, "u32", ElementClass::kUnsigned, 32, 4, 8},
    {ElementType::kU64, "u64", ElementClass::kUnsigned, 64, 8, 9},
    {ElementType::kF16, "f16", ElementClass::kFloat, 16, 2, 10},
    {ElementType::kBf16, "bf16", ElementClass::kFloat, 16, 2, 16},
    {ElementType::kF32, "f32", ElementClass::kFloat, 32, 4, 11},
    {ElementType::kF64, "f64", ElementClass::kFloat, 64, 8, 12},
    {ElementType::kC64, "c64", ElementClass::kComplex, 64, 8, 15},
    {ElementType::kC128, "c128", ElementClass::kComplex, 128, 16, 18},
    {ElementType::kF8E5M2, "f8e5m2", ElementClass::kFloat, 8, 1, 19},
    {ElementType::kF8E4M3Fn, "f8e4m3fn", ElementClass::kFloat, 8, 1, 20},
    {ElementType::kF8E4M3, "f8e4m3", ElementClass::kFloat, 8, 1, 28},
    {ElementType::kF8E3M4, "f8e3m4", ElementClass::kFloat, 8, 1, 29},
    {ElementType::kF8E4M3B11Fnuz, "f8e4m3b11fnuz", ElementClass::kFloat, 8, 1, 23},
    {ElementType::kF8E5M2Fnuz, "f8e5m2fnuz", ElementClass::kFloat, 8, 1, 24},
    {ElementType::kF8E4M3Fnuz, "f8e4m3fnuz", ElementClass::kFloat, 8, 1, 25},
    {ElementType::kF8E8M0Fnu, "f8e8m0fnu", ElementClass::kFloat, 8, 1, 33},
    {ElementType::kF4E2M1Fn, "f4e2m1fn", ElementClass::kFloat, 4, 1, 32},
    {ElementType::kToken, "token", ElementClass::kOther, 0, 0, 17},
    {ElementType::kOpaque, "opaque", ElementClass::kOther, 0, 0, 14},
    {ElementType::kTuple, "tuple", ElementClass::kOther, 0, 0, 13},
}};
/// Facts of the table about a type.
constexpr const ElementTypeInfo& element_type_info(ElementType type) {
  return kElementTypes[static_cast<size_t>(type)];
}
constexpr std::string_view element_type_name(ElementType type) { return element_type_info(type).name; }
constexpr int element_size_bytes(ElementType type) { return element_type_info(type).storage_bytes; }
constexpr bool is_signed_integer(ElementType t) { return element_type_info(t).element_class == ElementClass::kSigned; }
constexpr bool is_unsigned_integer(ElementType t) {
  return element_type_info(t).element_class == ElementClass::kUnsigned;
}
constexpr bool is_integer(ElementType t) { return is_signed_integer(t) || is_unsigned_integer(t); }
constexpr bool is_floating(ElementType t) { return element_type_info(t).element_class == ElementClass::kFloat; }
constexpr bool is_complex(ElementType t) { return element_type_info(t).element_class == ElementClass::kComplex; }
constexpr bool is_array_type(ElementType t) { return element_type_info(t).element_class != ElementClass::kOther; }
/// c64 -> f32, c128 -> f64, any other type -> itself.
constexpr ElementType real_type_of(ElementType t) {
  return t == ElementType::kC64 ? ElementType::kF32 : t == ElementType::kC128 ? ElementType::kF64 : t;
}

/// "f32" -> kF32; nullopt for an unknown name.
std::optional<ElementType> element_type_from_name(std::string_view name);

/// The element type whose values a C++ type holds.
template <typename T> inline constexpr ElementType element_type_of = ElementType::kOpaque;
template <> inline constexpr ElementType element_type_of<bool> = ElementType::kPred;
template <> inline constexpr ElementType element_type_of<int8_t> = ElementType::kS8;
template <> inline constexpr ElementType element_type_of<int16_t> = ElementType::kS16;
template <> inline constexpr ElementType element_type_of<int32_t> = ElementType::kS32;
template <> inline constexpr ElementType element_type_of<int64_t> = ElementType::kS64;
template <> inline constexpr ElementType element_type_of<uint8_t> = ElementType::kU8;
template <> inline constexpr ElementType element_type_of<uint16_t> = ElementType::kU16;
template <> inline constexpr ElementType element_type_of<uint32_t> = ElementType::kU32;
template <> inline constexpr ElementType element_type_of<uint64_t> = ElementType::kU64;
template <> inline constexpr ElementType element_type_of<float16> = ElementType::kF16;
template <> inline constexpr ElementType element_type_of<bfloat16> = ElementType::kBf16;
template <> inline constexpr ElementType element_type_of<float> = ElementType::kF32;
template <> inline constexpr ElementType element_type_of<double> = ElementType::kF64;
template <> inline constexpr ElementType element_type_of<std::complex<float>> = ElementType::kC64;
template <> inline constexpr ElementType element_type_of<std::complex<double>> = ElementType::kC128;

/// A C++ type that is the native twin of an element type.
template <typename T>
concept NativeElement = element_type_of<T> != ElementType::kOpaque;

/// Calls `visit.template operator()<T>()` with the native twin T of `type`, or returns `otherwise()` for a type without
/// one (sub-byte integers, the 8- and 4-bit floats, token, opaque, tuple).
template <typename Visit, typename Otherwise>
auto visit_element_type(ElementType type, Visit&& visit, Otherwise&& otherwise) {
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
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3Fn:
    case ElementType::kF8E4M3:
    case ElementType::kF8E3M4:
    case ElementType::kF8E4M3B11Fnuz:
    case ElementType::kF8E5M2Fnuz:
    case ElementType::kF8E4M3Fnuz:
    case ElementType::kF8E8M0Fnu:
    case ElementType::kF4E2M1Fn:
    case ElementType::kToken:
    case ElementType::kOpaque:
    case ElementType::kTuple: break;
  }
  return otherwise();
}

}  // namespace hilo
