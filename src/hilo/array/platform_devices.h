// SPDX-License-Identifier: Apache-2.0
// array/platform_devices.h -- the devices of a platform by name, beside those of the default one.
#pragma once

#include <string_view>
#include <vector>

#include "hilo/device/device.h"

namespace hilo {

/// The devices of a platform, as jax.devices("cuda"). What is computed with arrays that device_put() placed there is computed
/// there.
/// Errors    throws NOT_FOUND for an unknown platform (lists the known) or one without devices, and the platform's own
/// Example   device_put(x, devices("CUDA")[0])
std::vector<DevicePtr> devices(std::string_view platform);

}  // namespace hilo
