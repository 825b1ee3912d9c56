// SPDX-License-Identifier: Apache-2.0
// client/platforms.h -- the one place that names every backend.
#pragma once

#include <string_view>

#include "hilo/backend/backend.h"

namespace hilo {

/// The backend of a platform ("Host", "Reference"), made at first use and kept.
/// Errors    NOT_FOUND listing the known platforms
StatusOr<Backend*> backend_for_platform(std::string_view platform_name);

/// The backend that jit and eager operations use: the one that jax_platform_name names, else Host.
/// Errors    NOT_FOUND as above; INVALID_ARGUMENT for a bad flag
StatusOr<Backend*> default_backend();

}  // namespace hilo
