// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/platform_dependent.h"

#include "hilo/array/refuse.h"
#include "hilo/client/platform_name.h"

namespace hilo::lax::detail {

PlatformBranch platform_branch() {
  return default_platform_name() == "CUDA" ? PlatformBranch::kCuda : PlatformBranch::kCpu;
}

void refuse_platform(const std::source_location& location) {
  const UserLocation here(location);
  refuse("platform_dependent", "no function for platform " + default_platform_name() +
                                   ". Hint: give one as .cpu, or .default_ for all others");
}

}  // namespace hilo::lax::detail
