// SPDX-License-Identifier: Apache-2.0
// backend/cuda/driver.h -- NVIDIA's driver, loaded when it is needed: the number of GPUs, and copies to and from their
// memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hilo/base/status.h"

namespace hilo::cuda {

/// The soname with which every program loads NVIDIA's driver.
inline constexpr char kDriverLibrary[] = "libcuda.so.1";

/// Returns the number of GPUs that the driver reports; at least 1. The driver stays loaded.
/// Errors    NOT_FOUND with the reason, if the library doesn't exist, lacks a function, fails to start or reports no
/// device
StatusOr<int> count_devices(const char* library = kDriverLibrary);

/// The driver's functions on a stream, which is a queue of work of one device. They return 0, or the number of an
/// error.
struct StreamFunctions {
  /// cuMemcpyAsync. Either address may be on the device: all are in one address space.
  int (*copy)(uint64_t to, uint64_t from, size_t bytes, void* stream) = nullptr;
  /// cuStreamSynchronize
  int (*wait)(void* stream) = nullptr;
};

/// Returns the functions of the driver, which stays loaded.
/// Errors    NOT_FOUND if the library doesn't exist or lacks one of them
StatusOr<StreamFunctions> stream_functions(const char* library = kDriverLibrary);

}  // namespace hilo::cuda
