// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/element_types.h -- element types by the numbers that plugins have for them.
#pragma once

#include "hilo/pjrt_abi/api.h"
#include "hilo/types/element_type.h"

namespace hilo::plugins {

/// PJRT_Buffer_Type_INVALID for types that are no arrays'.
PJRT_Buffer_Type buffer_type(ElementType type);

}  // namespace hilo::plugins
