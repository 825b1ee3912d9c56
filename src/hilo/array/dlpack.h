// SPDX-License-Identifier: Apache-2.0
// array/dlpack.h -- arrays to and from other libraries, without a copy where the memory allows it.
#pragma once

#include "hilo/array/array.h"

// As dlpack.h has them; who uses them includes it, or takes them from a library that does.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace hilo {

/// The array's value as a DLPack tensor of version 1.0 on the CPU, read-only, row-major. Its deleter ends the view; until
/// then the array can't be donated.
/// Errors    throws ConcretizationError on a tracer; INVALID_ARGUMENT if donated or deleted; UNIMPLEMENTED for types that
///           DLPack doesn't know
/// Cost      no copy on Host
/// Source    the DLPack specification, version 1.0
DLManagedTensorVersioned* to_dlpack(const Array& array,
                                    std::source_location location = std::source_location::current());

/// An array with the value of a tensor in host memory, which is consumed, whatever happens: its deleter is called when the
/// memory isn't needed any more. The memory must not change while the array lives.
/// Errors    throws INVALID_ARGUMENT for a null pointer, a major version other than 1, several lanes, sizes below 0;
///           UNIMPLEMENTED for a tensor of another device or of a type that hilo doesn't have
/// Cost      no copy if the memory is row-major and aligned to 64 bytes
Array from_dlpack(DLManagedTensorVersioned* tensor, std::source_location location = std::source_location::current());
Array from_dlpack(DLManagedTensor* tensor, std::source_location location = std::source_location::current());

}  // namespace hilo
