// SPDX-License-Identifier: Apache-2.0
// types/element_type.h -- the element types of XLA, and their native C++ twins.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hilo/types/float16.h"

#include "hilo/base/sizes.h"

namespace hilo {

/// XLA's PrimitiveType, in the order of the rows.
enum class ElementType : uint8_t {
#define HILO_NATIVE_TYPE(enumerator, ...) k##enumerator,
#define HILO_NARROW_TYPE(enumerator, ...) k##enumerator,
#define HILO_OTHER_TYPE(enumerator, ...) k##enumerator,
#include "hilo/types/element_types.inc"
};

enum class ElementClass : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

struct ElementTypeInfo {
  ElementType type;
  std::string_view name;  ///< as in HLO text: "f32"
  ElementClass element_class;
  int bits;           ///< width of a value
  int storage_bytes;  ///< bytes that one element takes in memory; narrow types take a whole byte
  int proto_value;    ///< number in XLA's xla_data.proto
};

inline constexpr auto kElementTypes = std::to_array<ElementTypeInfo>({
#define HILO_NATIVE_TYPE(enumerator, name, twin, kind, ...) \
  {ElementType::k##enumerator, name, ElementClass::kind, __VA_ARGS__},
#define HILO_NARROW_TYPE(enumerator, name, twin, kind, ...) \
  {ElementType::k##enumerator, name, ElementClass::kind, __VA_ARGS__},
#define HILO_OTHER_TYPE(enumerator, name, kind, ...) \
  {ElementType::k##enumerator, name, ElementClass::kind, __VA_ARGS__},
#include "hilo/types/element_types.inc"
});
/// Returns the table row of a type.
constexpr const ElementTypeInfo& element_type_info(ElementType type) { return kElementTypes[ordinal(type)]; }
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
/// Returns c64 -> f32, c128 -> f64, any other type -> itself.
constexpr ElementType real_type_of(ElementType t) {
  return t == ElementType::kC64 ? ElementType::kF32 : t == ElementType::kC128 ? ElementType::kF64 : t;
}

/// Returns the type of a name: "f32" -> kF32; nullopt for an unknown name.
std::optional<ElementType> element_type_from_name(std::string_view name);

/// The element type whose values a C++ type holds.
template <typename T> inline constexpr ElementType element_type_of = ElementType::kOpaque;
#define HILO_NATIVE_TYPE(enumerator, name, twin, ...) \
  template <> inline constexpr ElementType element_type_of<twin> = ElementType::k##enumerator;
#include "hilo/types/element_types.inc"

/// A C++ type that is the native twin of an element type.
template <typename T>
concept NativeElement = element_type_of<T> != ElementType::kOpaque;

/// Calls `visit.template operator()<T>()` with the native twin T of `type`, or returns `otherwise()` for a type without
/// one (sub-byte integers, the 8- and 4-bit floats, token, opaque, tuple).
template <typename Visit, typename Otherwise>
auto visit_element_type(ElementType type, Visit&& visit, Otherwise&& otherwise) {
  switch (type) {
#define HILO_NATIVE_TYPE(enumerator, name, twin, ...) \
  case ElementType::k##enumerator: return visit.template operator()<twin>();
#define HILO_NARROW_TYPE(enumerator, ...) \
  case ElementType::k##enumerator: break;
#define HILO_OTHER_TYPE(enumerator, ...) \
  case ElementType::k##enumerator: break;
#include "hilo/types/element_types.inc"
  }
  return otherwise();
}

}  // namespace hilo
