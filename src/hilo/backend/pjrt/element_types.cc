// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/element_types.h"

namespace hilo::plugins {

PJRT_Buffer_Type buffer_type(ElementType type) {
  switch (type) {
#define HILO_PJRT_TYPE(name, enumerator) \
  case ElementType::k##enumerator: return PJRT_Buffer_Type_##name;
#include "hilo/pjrt_abi/element_types.inc"
    case ElementType::kToken:
    case ElementType::kOpaque:
    case ElementType::kTuple: return PJRT_Buffer_Type_INVALID;
  }
  return PJRT_Buffer_Type_INVALID;
}

}  // namespace hilo::plugins
