// SPDX-License-Identifier: Apache-2.0
// backend/cuda/driver.h -- NVIDIA's driver, which is looked for when it is asked: whether this machine has a GPU, and copies to and
// from its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hilo/base/status.h"

namespace hilo::cuda {

/// The soname by which every program finds NVIDIA's driver.
inline constexpr char kDriverLibrary[] = "libcuda.so.1";

/// The GPUs that the driver reports; at least 1. The driver stays loaded.
/// Errors    NOT_FOUND if the library isn't there, lacks a function, fails to start or reports no device; says which
StatusOr<int> count_devices(const char* library = kDriverLibrary);

/// What the driver does with a stream, which is a queue of work of one device. They return 0, or the number of an error.
struct StreamFunctions {
  /// cuMemcpyAsync. Either address may be the device's: all are of one address space.
  int (*copy)(uint64_t to, uint64_t from, size_t bytes, void* stream) = nullptr;
  /// cuStreamSynchronize
  int (*wait)(void* stream) = nullptr;
};

/// The functions of the driver, which stays loaded.
/// Errors    NOT_FOUND if the library isn't there or lacks one of them
StatusOr<StreamFunctions> stream_functions(const char* library = kDriverLibrary);

}  // namespace hilo::cuda
