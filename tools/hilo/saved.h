// SPDX-License-Identifier: Apache-2.0
// tools/hilo/saved.h -- files that `hilo compile` wrote.
#pragma once

#include <optional>
#include <string>

#include "hilo/base/status.h"

namespace hilo::tool {

/// The file's bytes if it is a saved program; nothing for any other file.
/// Errors    those of read_file
StatusOr<std::optional<std::string>> read_saved(const std::string& path);

}  // namespace hilo::tool
