// SPDX-License-Identifier: Apache-2.0
// base/build_id.h -- identifies the build of the library, because saved programs and caches are only valid for one
// build.
#pragma once

#include <string>

namespace hilo {

/// Returns the version and the linker's build id of this library (or of the program that contains it): "0.1.0
/// 9f86d081884c7d65". Equal texts mean equal code.
const std::string& build_id();

/// Returns the linker's build id of the library in a file, "9f86d081884c7d65", or "" if it has none.
std::string linked_id(const std::string& path);

}  // namespace hilo
