// SPDX-License-Identifier: Apache-2.0
// rpc/service/upload_memory.h -- where the chunks of an array go, if a session doesn't take that from the system.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "hilo/base/status.h"
#include "hilo/rpc/handle.h"

namespace hilo::rpc {

/// Room for the row-major value of a buffer, aligned as arrays are, and what keeps it.
struct UploadMemory {
  std::byte* data = nullptr;
  std::shared_ptr<const void> owner = nullptr;
};

/// Makes room for the chunks of the buffer of this name.
/// Errors    RESOURCE_EXHAUSTED
using AllocateUpload = std::function<StatusOr<UploadMemory>(const Handle& buffer, int64_t bytes)>;

}  // namespace hilo::rpc
