// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/element_types.h"

namespace hilo::plugins {

PJRT_Buffer_Type buffer_type(ElementType type) {
  switch (type) {
    case ElementType::kPred: return PJRT_Buffer_Type_PRED;
    case ElementType::kS2: return PJRT_Buffer_Type_S2;
    case ElementType::kS4: return PJRT_Buffer_Type_S4;
    case ElementType::kS8: return PJRT_Buffer_Type_S8;
    case ElementType::kS16: return PJRT_Buffer_Type_S16;
    case ElementType::kS32: return PJRT_Buffer_Type_S32;
    case ElementType::kS64: return PJRT_Buffer_Type_S64;
    case ElementType::kU2: return PJRT_Buffer_Type_U2;
    case ElementType::kU4: return PJRT_Buffer_Type_U4;
    case ElementType::kU8: return PJRT_Buffer_Type_U8;
    case ElementType::kU16: return PJRT_Buffer_Type_U16;
    case ElementType::kU32: return PJRT_Buffer_Type_U32;
    case ElementType::kU64: return PJRT_Buffer_Type_U64;
    case ElementType::kF16: return PJRT_Buffer_Type_F16;
    case ElementType::kBf16: return PJRT_Buffer_Type_BF16;
    case ElementType::kF32: return PJRT_Buffer_Type_F32;
    case ElementType::kF64: return PJRT_Buffer_Type_F64;
    case ElementType::kC64: return PJRT_Buffer_Type_C64;
    case ElementType::kC128: return PJRT_Buffer_Type_C128;
    case ElementType::kF8E5M2: return PJRT_Buffer_Type_F8E5M2;
    case ElementType::kF8E4M3Fn: return PJRT_Buffer_Type_F8E4M3FN;
    case ElementType::kF8E4M3: return PJRT_Buffer_Type_F8E4M3;
    case ElementType::kF8E3M4: return PJRT_Buffer_Type_F8E3M4;
    case ElementType::kF8E4M3B11Fnuz: return PJRT_Buffer_Type_F8E4M3B11FNUZ;
    case ElementType::kF8E5M2Fnuz: return PJRT_Buffer_Type_F8E5M2FNUZ;
    case ElementType::kF8E4M3Fnuz: return PJRT_Buffer_Type_F8E4M3FNUZ;
    case ElementType::kF8E8M0Fnu: return PJRT_Buffer_Type_F8E8M0FNU;
    case ElementType::kF4E2M1Fn: return PJRT_Buffer_Type_F4E2M1FN;
    case ElementType::kToken:
    case ElementType::kOpaque:
    case ElementType::kTuple: return PJRT_Buffer_Type_INVALID;
  }
  return PJRT_Buffer_Type_INVALID;
}

}  // namespace hilo::plugins
