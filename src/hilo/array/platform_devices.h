// SPDX-License-Identifier: Apache-2.0
// array/platform_devices.h -- the devices of a platform by name.
#pragma once

#include <string_view>
#include <vector>

#include "hilo/device/device.h"

namespace hilo {

/// Returns the devices of a platform: jax.devices("cuda"). Computations with arrays that device_put() placed there run
/// there.
/// Errors     throws NOT_FOUND for an unknown platform (with a list of known ones) or one without devices, and the
///            platform's own
/// Example    device_put(numpy::arange(3), devices("Host")[0])  // [0 1 2]
std::vector<DevicePtr> devices(std::string_view platform);

}  // namespace hilo
