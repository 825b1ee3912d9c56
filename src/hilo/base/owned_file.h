// SPDX-License-Identifier: Apache-2.0
// base/owned_file.h -- owns a file descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace hilo {

/// Owns a file descriptor and closes it in the destructor. A negative number means none.
class OwnedFile {
 public:
  explicit OwnedFile(int file = -1) : file_(file) {}
  OwnedFile(OwnedFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~OwnedFile() {
    if (file_ >= 0) ::close(file_);
  }
  int get() const { return file_; }
  bool is_open() const { return file_ >= 0; }
  /// Closes the descriptor and returns 0 or the errno. Some file systems report failed writes only here.
  int close() { return ::close(std::exchange(file_, -1)) == 0 ? 0 : errno; }
  /// Passes ownership to the caller.
  int release() && { return std::exchange(file_, -1); }

 private:
  int file_;
};

}  // namespace hilo
