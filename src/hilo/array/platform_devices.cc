// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/platform_devices.h"

#include "hilo/array/error.h"
#include "hilo/client/platform_clients.h"

namespace hilo {

std::vector<DevicePtr> devices(std::string_view platform) { return or_throw(get_platform_client(platform))->devices(); }

}  // namespace hilo
