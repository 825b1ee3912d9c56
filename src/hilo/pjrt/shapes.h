// SPDX-License-Identifier: Apache-2.0
// pjrt/shapes.h -- element types, shapes and layouts of the C API.
#pragma once

#include "hilo/pjrt_abi/buffers.h"
#include "hilo/types/shape.h"

namespace hilo::pjrt {

/// Errors    UNIMPLEMENTED for types that HLO lacks
StatusOr<ElementType> element_type(PJRT_Buffer_Type type);
PJRT_Buffer_Type buffer_type(ElementType type);

/// An array's shape; `layout` may be null: row-major.
/// Errors    INVALID_ARGUMENT for sizes that can't be, and for a layout that isn't the array's; UNIMPLEMENTED for tiles
StatusOr<Shape> shape_of(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                         const PJRT_Buffer_MemoryLayout* layout);

/// The shape laid out as `layout` says; null: as it is.
StatusOr<Shape> with_layout(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout);

}  // namespace hilo::pjrt
