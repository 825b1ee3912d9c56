// SPDX-License-Identifier: Apache-2.0
// base/build_id.h -- which build of the library runs: what one build saved, another may not understand.
#pragma once

#include <string>

namespace hilo {

/// The version and the identity that the linker gave this library (or the program that it is linked into):
/// "0.1.0 9f86d081884c7d65". Equal texts mean equal code.
const std::string& build_id();

/// The identity that the linker gave the library in this file, "9f86d081884c7d65"; "" if the file has none.
std::string linked_id(const std::string& path);

}  // namespace hilo
