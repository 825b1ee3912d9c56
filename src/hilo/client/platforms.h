// SPDX-License-Identifier: Apache-2.0
// client/platforms.h -- the one place that names every backend.
#pragma once

#include <string_view>

#include "hilo/backend/backend.h"

namespace hilo {

/// The backend of a platform ("Host", "CUDA", "Reference"), made at first use and kept.
/// Errors    NOT_FOUND for an unknown name (lists the known) and for a platform without devices, UNIMPLEMENTED if this
///           build has no backend for the devices that are there
StatusOr<Backend*> backend_for_platform(std::string_view platform_name);

}  // namespace hilo
