// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/platform_dependent.h"

#include "hilo/client/platform_name.h"

namespace hilo::lax::detail {

std::string platform_of_programs() { return default_platform_name() == "CUDA" ? "cuda" : "cpu"; }

void refuse_platform(std::span<const std::string> names, const std::source_location& location) {
  std::string given;
  for (const std::string& name : names) given += (given.empty() ? "" : ", ") + name;
  or_throw(unimplemented("platform_dependent (" + describe_location(location) + "): no function for platform " +
                         platform_of_programs() + "; got functions for " + given + ". Hint: give one for \"default\""));
  __builtin_unreachable();
}

}  // namespace hilo::lax::detail
