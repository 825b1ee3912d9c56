// SPDX-License-Identifier: Apache-2.0
// rpc/worker/options_text.h -- encodes WorkerOptions as an argument of a worker process.
#pragma once

#include <string>
#include <string_view>

#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

/// Returns one line per field, after a line with the version of hilo.
std::string options_text(const WorkerOptions& options);
/// Decodes options.
/// Errors    FAILED_PRECONDITION for text of another version; INVALID_ARGUMENT
StatusOr<WorkerOptions> options_of(std::string_view text);

}  // namespace hilo::rpc
