// SPDX-License-Identifier: Apache-2.0
// client/platform_name.h -- where programs run, by name; for users, who don't see the engines.
#pragma once

#include <string>

namespace hilo {

/// The platform that jit and eager operations use: "Host", "Reference".
/// Errors    throws nothing; "none" if the default platform can't be made
std::string default_platform_name();

}  // namespace hilo
