// SPDX-License-Identifier: Apache-2.0
// rpc/worker/options_text.h -- WorkerOptions as an argument of a process that is executed anew.
#pragma once

#include <string>
#include <string_view>

#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

/// One line a field, after the version of hilo.
std::string options_text(const WorkerOptions& options);
/// Errors    FAILED_PRECONDITION for text of another version; INVALID_ARGUMENT
StatusOr<WorkerOptions> options_of(std::string_view text);

}  // namespace hilo::rpc
