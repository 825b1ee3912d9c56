// SPDX-License-Identifier: Apache-2.0
// tools/hilo/saved.h -- reads files that `hilo compile` has written.
#pragma once

#include <optional>
#include <string>

#include "hilo/base/status.h"

namespace hilo::tool {

/// Returns the file's bytes if it is a saved program, otherwise nothing.
/// Errors    those of read_file
StatusOr<std::optional<std::string>> read_saved(const std::string& path);

}  // namespace hilo::tool
