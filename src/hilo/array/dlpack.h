// SPDX-License-Identifier: Apache-2.0
// array/dlpack.h -- exchange of arrays with other libraries, without a copy if the memory allows it.
#pragma once

#include "hilo/array/array.h"

// As declared in dlpack.h, which users include themselves or through a library.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace hilo {

/// Exports the array's value as a DLPack tensor of version 1.0 on the CPU, read-only, row-major. The array can't be
/// donated until the tensor's deleter is called.
/// Errors     throws ConcretizationError on a tracer; INVALID_ARGUMENT if donated or deleted; UNIMPLEMENTED for types
///            that DLPack lacks
/// Cost       no copy on Host
/// Source     the DLPack specification, version 1.0
DLManagedTensorVersioned* to_dlpack(const Array& array,
                                    std::source_location location = std::source_location::current());

/// Imports a tensor in host memory and takes ownership of it, also on errors: its deleter is called when the memory is
/// no longer used. The memory must not change during the array's lifetime.
/// Errors     throws INVALID_ARGUMENT for a null pointer, a major version other than 1, several lanes, negative sizes;
///            UNIMPLEMENTED for a tensor on another device or of a type that hilo lacks
/// Cost       no copy if the memory is row-major and aligned to 64 bytes
Array from_dlpack(DLManagedTensorVersioned* tensor, std::source_location location = std::source_location::current());
Array from_dlpack(DLManagedTensor* tensor, std::source_location location = std::source_location::current());

}  // namespace hilo
