// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/element_types.h -- maps element types to the numbers of the PJRT API.
#pragma once

#include "hilo/pjrt_abi/api.h"
#include "hilo/types/element_type.h"

namespace hilo::plugins {

/// Returns the number; PJRT_Buffer_Type_INVALID for types that arrays can't have.
PJRT_Buffer_Type buffer_type(ElementType type);

}  // namespace hilo::plugins
