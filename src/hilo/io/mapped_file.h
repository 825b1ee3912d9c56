// SPDX-License-Identifier: Apache-2.0
// io/mapped_file.h -- files as memory: read when they are looked at, page by page.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// A regular file in memory, read only. Copies share the mapping, which lives as long as one of them. Whoever makes the
/// file shorter meanwhile ends the process (SIGBUS); files that hilo writes are replaced whole, never changed.
class MappedFile {
 public:
  /// Errors    INVALID_ARGUMENT for what is no regular file, and as errno_status
  static StatusOr<MappedFile> open(const std::string& path);

  std::string_view bytes() const { return bytes_; }
  /// What keeps the bytes.
  const std::shared_ptr<const void>& keeper() const { return keeper_; }

 private:
  MappedFile(std::string_view bytes, std::shared_ptr<const void> keeper) : bytes_(bytes), keeper_(std::move(keeper)) {}

  std::string_view bytes_;
  std::shared_ptr<const void> keeper_;
};

}  // namespace hilo::io
