// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "hilo/base/files.h"
#include "hilo/base/owned_file.h"
#include "hilo/base/text.h"

namespace hilo::io {

StatusOr<MappedFile> MappedFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return invalid_argument(fmt::format("{}: a path may not contain a NUL byte", quote(path)));
  }
  // O_NONBLOCK: opening a pipe doesn't block
  const OwnedFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open()) return errno_status(errno, fmt::format("opening {}", path));
  struct stat about = {};
  if (::fstat(file.get(), &about) != 0) return errno_status(errno, fmt::format("opening {}", path));
  if (!S_ISREG(about.st_mode)) return invalid_argument(fmt::format("opening {}: it is no regular file", path));
  const size_t size = about.st_size;
  if (size == 0) return MappedFile({}, nullptr);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return errno_status(errno, fmt::format("opening {}", path));
  std::shared_ptr<const void> keeper(data, [size](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); });
  return MappedFile({static_cast<const char*>(data), size}, std::move(keeper));
}

}  // namespace hilo::io
