// SPDX-License-Identifier: Apache-2.0
// backend/cuda/driver.h -- whether this machine has an NVIDIA GPU: asks the driver, which is looked for when asked.
#pragma once

#include "hilo/base/status.h"

namespace hilo::cuda {

/// The soname by which every program finds NVIDIA's driver.
inline constexpr char kDriverLibrary[] = "libcuda.so.1";

/// The GPUs that the driver reports; at least 1. The driver stays loaded.
/// Errors    NOT_FOUND if the library isn't there, lacks a function, fails to start or reports no device; says which
StatusOr<int> count_devices(const char* library = kDriverLibrary);

}  // namespace hilo::cuda
