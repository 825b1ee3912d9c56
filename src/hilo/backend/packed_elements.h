// SPDX-License-Identifier: Apache-2.0
// backend/packed_elements.h -- packs elements of 2 and 4 bits as XLA stores them: several per byte, the first one in
// the lowest bits. hilo stores each in one byte, integers sign-extended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hilo/types/element_type.h"

namespace hilo {

constexpr bool is_packed_by_xla(ElementType type) {
  const ElementTypeInfo& info = element_type_info(type);
  return type != ElementType::kPred && is_array_type(type) && info.bits < 8;
}
constexpr int64_t packed_bytes(ElementType type, int64_t count) {
  return (count * element_type_info(type).bits + 7) / 8;
}

/// Precondition of both: is_packed_by_xla(type).
void pack_elements(ElementType type, int64_t count, const std::byte* from, std::byte* packed);
void unpack_elements(ElementType type, int64_t count, const std::byte* packed, std::byte* to);

}  // namespace hilo
