// SPDX-License-Identifier: Apache-2.0
// io/mapped_file.h -- memory-mapped files, which are read page by page on access.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::io {

/// A read-only mapping of a regular file. Copies share the mapping, which the last copy unmaps. If another process
/// truncates the file, an access raises SIGBUS. hilo itself replaces files atomically and never truncates them.
class MappedFile {
 public:
  /// Maps a file.
  /// Errors    INVALID_ARGUMENT if it is not a regular file; those of errno_status
  static StatusOr<MappedFile> open(const std::string& path);

  std::string_view bytes() const { return bytes_; }
  /// Returns the owner of the mapped bytes.
  const std::shared_ptr<const void>& keeper() const { return keeper_; }

 private:
  MappedFile(std::string_view bytes, std::shared_ptr<const void> keeper) : bytes_(bytes), keeper_(std::move(keeper)) {}

  std::string_view bytes_;
  std::shared_ptr<const void> keeper_;
};

}  // namespace hilo::io
