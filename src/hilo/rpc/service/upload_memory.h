// SPDX-License-Identifier: Apache-2.0
// rpc/service/upload_memory.h -- the memory for chunks of uploaded arrays.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "hilo/base/status.h"
#include "hilo/rpc/handle.h"

namespace hilo::rpc {

/// Memory for the row-major value of a buffer, aligned like arrays, and its owner.
struct UploadMemory {
  std::byte* data = nullptr;
  std::shared_ptr<const void> owner = nullptr;
};

/// Allocates memory for the chunks of a buffer.
/// Errors    RESOURCE_EXHAUSTED
using AllocateUpload = std::function<StatusOr<UploadMemory>(const Handle& buffer, int64_t bytes)>;

}  // namespace hilo::rpc
