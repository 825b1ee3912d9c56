// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "hilo/base/text.h"

namespace hilo {
namespace {

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  // The error of closing, which is where some file systems report a failed write; 0 if it went well.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

int open_again_if_interrupted(const char* path, int flags, mode_t mode = 0) {
  int number;
  do {
    number = ::open(path, flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return number;
}

Status refuse_nul(const std::string& path) {
  if (path.find('\0') == std::string::npos) return ok_status();
  return invalid_argument(fmt::format("{}: a path may not contain a NUL byte", quote(path)));
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// 0, or the errno that stopped it.
int write_all(int descriptor, std::string_view content) {
  constexpr size_t kPiece = size_t{1} << 30;  // bytes; Linux takes less than 2 GiB a call
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), std::min(content.size(), kPiece));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int flush(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINVAL || errno == EROFS) return 0;  // a file system that has nothing to flush
    if (errno != EINTR) return errno;
  }
  return 0;
}

Status write_error(int error, const std::string& path, size_t wanted) {
  const std::string what = fmt::format("writing {}", path);
  struct statvfs disk = {};
  if ((error != ENOSPC && error != EDQUOT) || ::statvfs(directory_of(path).c_str(), &disk) != 0) {
    return errno_status(error, what);
  }
  const uint64_t free = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  return resource_exhausted(
      fmt::format("{}: {} (needed {}, free {})", what, errno_text(error), bytes_text(wanted), bytes_text(free)));
}

// Writes, flushes and closes; 0 or the errno.
int fill(Descriptor& file, std::string_view content, Durability durability) {
  if (const int error = write_all(file.number(), content)) return error;
  if (durability == Durability::kFlushed) {
    if (const int error = flush(file.number())) return error;
  }
  return file.close();
}

// Writes a temporary file beside `path` and moves it there; `move` is rename or link.
Status write_beside(const std::string& path, std::string_view content, Durability durability,
                    int (*move)(const char* from, const char* to)) {
  static std::atomic<uint64_t> counter{0};
  // A short name of its own: the final one may already be as long as the file system allows.
  const std::string temporary = fmt::format("{}/.hilo-{}-{}.tmp", directory_of(path), ::getpid(),
                                            counter.fetch_add(1, std::memory_order_relaxed));
  ::unlink(temporary.c_str());  // left by a process of the same number that was killed
  Descriptor file(open_again_if_interrupted(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666));
  if (!file.open()) return errno_status(errno, fmt::format("writing {}", path));
  int error = fill(file, content, durability);
  if (error == 0 && move(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0 || move != ::rename) ::unlink(temporary.c_str());
  return error == 0 ? ok_status() : write_error(error, path, content.size());
}

StatusOr<std::string> read_open_file(int descriptor, const std::string& path, int64_t expected, int64_t limit) {
  std::string content;
  size_t filled = 0;
  // One byte more than the file should have: the last read then finds the end, or that the file has grown.
  size_t room = static_cast<size_t>(std::clamp<int64_t>(expected, 4095, limit)) + 1;
  while (true) {
    content.resize(room);
    const ssize_t got = ::read(descriptor, content.data() + filled, room - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_status(errno, fmt::format("reading {}", path));
    if (got == 0) break;
    filled += static_cast<size_t>(got);
    if (filled > static_cast<size_t>(limit)) {
      return resource_exhausted(fmt::format("reading {}: more than {} bytes; got at least {}", path, limit, filled));
    }
    if (filled == room) room = std::min(room * 2, static_cast<size_t>(limit) + 1);
  }
  content.resize(filled);
  return content;
}

}  // namespace

Status errno_status(int error, std::string_view what) {
  std::string message = fmt::format("{}: {}", what, errno_text(error));
  switch (error) {
    case ENOENT: return not_found(std::move(message));
    case EEXIST:
    case ENOTEMPTY: return already_exists(std::move(message));
    case EACCES:
    case EPERM:
    case EROFS: return permission_denied(std::move(message));
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE: return resource_exhausted(std::move(message));
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL: return invalid_argument(std::move(message));
    case EIO: return data_loss(std::move(message));
    default: return Status(StatusCode::kUnknown, std::move(message));  // errno is open-ended
  }
}

StatusOr<std::string> read_file(const std::string& path, int64_t limit) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  const Descriptor file(open_again_if_interrupted(path.c_str(), O_RDONLY | O_NOCTTY));
  struct stat about = {};
  if (!file.open() || ::fstat(file.number(), &about) != 0) {
    return errno_status(errno, fmt::format("opening {}", path));
  }
  if (S_ISDIR(about.st_mode)) return errno_status(EISDIR, fmt::format("opening {}", path));
  const int64_t size = S_ISREG(about.st_mode) ? static_cast<int64_t>(about.st_size) : 0;
  if (size > limit) {
    return resource_exhausted(fmt::format("reading {}: more than {} bytes; got {}", path, limit, size));
  }
  try {
    return read_open_file(file.number(), path, size, limit);
  } catch (const std::bad_alloc&) {
    return resource_exhausted(
        fmt::format("reading {}: out of memory; wanted {}", path, bytes_text(static_cast<uint64_t>(size))));
  }
}

Status write_file_atomic(const std::string& path, std::string_view content, Durability durability) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  HILO_RETURN_IF_ERROR(write_beside(path, content, durability, ::rename));
  if (durability != Durability::kFlushed) return ok_status();
  // The new name is on the disk only when its directory is.
  const Descriptor folder(open_again_if_interrupted(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.open()) {
    if (const int lost = flush(folder.number())) return errno_status(lost, fmt::format("writing {}", path));
  }
  return ok_status();
}

Status write_new_file(const std::string& path, std::string_view content) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  return write_beside(path, content, Durability::kCached, ::link);
}

Status make_directories(const std::string& path) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (!part.empty() && ::mkdir(part.c_str(), 0777) != 0) {
      const int error = errno;
      struct stat about = {};
      // mkdir also fails on directories that exist where nobody may make one: only the last word counts.
      const bool there = ::stat(part.c_str(), &about) == 0;
      if (there && !S_ISDIR(about.st_mode)) {
        return errno_status(ENOTDIR, fmt::format("making directory {}: {}", path, part));
      }
      if (!there) return errno_status(error, fmt::format("making directory {}", path));
    }
    if (slash == std::string::npos) return path.empty() ? errno_status(ENOENT, "making directory ''") : ok_status();
  }
}

bool file_exists(const std::string& path) {
  return path.find('\0') == std::string::npos && ::access(path.c_str(), F_OK) == 0;
}

std::string file_stem(std::string_view name) {
  constexpr size_t kLongest = 80;  // bytes
  constexpr size_t kHash = 17;     // "-" and 16 hexadecimal digits
  std::string stem;
  for (char c : name.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || (c == '.' && !stem.empty());
    stem += plain ? c : '_';
  }
  if (stem == name && !stem.empty()) return stem;
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{}-{:016x}", stem.substr(0, kLongest - kHash), hash);
}

}  // namespace hilo
