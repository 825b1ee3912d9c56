// SPDX-License-Identifier: Apache-2.0
// pjrt/shapes.h -- converts element types, shapes and layouts of the C API.
#pragma once

#include "hilo/pjrt_abi/buffers.h"
#include "hilo/types/shape.h"

namespace hilo::pjrt {

/// Converts an element type.
/// Errors    UNIMPLEMENTED for types that HLO lacks
StatusOr<ElementType> element_type(PJRT_Buffer_Type type);
PJRT_Buffer_Type buffer_type(ElementType type);

/// Returns an array's shape. A null `layout` means row-major.
/// Errors    INVALID_ARGUMENT for invalid sizes or a layout that doesn't match the array; UNIMPLEMENTED for tiles
StatusOr<Shape> shape_of(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                         const PJRT_Buffer_MemoryLayout* layout);

/// Returns the shape with `layout`; null keeps its layout.
StatusOr<Shape> with_layout(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout);

}  // namespace hilo::pjrt
