// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
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

// While it lives, a write beyond the limit of file sizes (ulimit -f) is an error alone: SIGXFSZ, which the system sends to
// the thread that wrote, would end the process with the temporary file left behind.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoFileSizeSignal() {
    if (!sigismember(&before_, SIGXFSZ)) take_pending();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  void take_pending() {
    const timespec at_once = {};
    while (::sigtimedwait(&only_, nullptr, &at_once) == SIGXFSZ || errno == EINTR) {}
  }

  sigset_t only_, before_;
};

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
  const NoFileSizeSignal no_signal;
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

// `expected`: the size that the system tells, or 0.
StatusOr<std::string> read_open_file(int descriptor, const std::string& path, int64_t expected, int64_t limit,
                                     LongestFile longest) {
  constexpr int64_t kBeginning = int64_t{64} << 10;  // bytes
  std::string content;
  int64_t filled = 0;
  // One byte more than there may be: the last read then finds the end, or that the file is longer.
  int64_t room = std::min(kBeginning, limit + 1);
  while (true) {
    content.resize(static_cast<size_t>(room));
    const ssize_t got = ::read(descriptor, content.data() + filled, static_cast<size_t>(room - filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_status(errno, fmt::format("reading {}", path));
    if (got == 0) break;
    filled += got;
    if (filled < room) continue;
    HILO_ASSIGN_OR_RETURN(const int64_t asked, longest({content.data(), static_cast<size_t>(filled)}));
    const int64_t allowed = std::min(asked, limit);
    if (const int64_t known = std::max(filled, expected); known > allowed) {
      return resource_exhausted(fmt::format("reading {}: more than {} bytes; got {}{}", path, allowed,
                                            known == expected ? "" : "at least ", known));
    }
    room = std::min(std::max(expected + 1, 2 * room), allowed + 1);
  }
  content.resize(static_cast<size_t>(filled));
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

static StatusOr<std::string> read_within(const std::string& path, int64_t limit, LongestFile longest) {
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
    return read_open_file(file.number(), path, size, limit, longest);
  } catch (const std::bad_alloc&) {
    return resource_exhausted(
        fmt::format("reading {}: out of memory; wanted {}", path, bytes_text(static_cast<uint64_t>(size))));
  }
}

StatusOr<std::string> read_file(const std::string& path, int64_t limit) {
  return read_within(path, limit, [limit](std::string_view) { return limit; });
}

StatusOr<std::string> read_file(const std::string& path, LongestFile longest) {
  return read_within(path, kDefaultFileLimit, longest);
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

static Status check_own(int descriptor, const std::string& path) {
  struct stat about = {};
  if (::fstat(descriptor, &about) != 0) return errno_status(errno, fmt::format("writing {}", path));
  if (S_ISREG(about.st_mode) && about.st_uid == ::geteuid() && about.st_nlink == 1 &&
      (about.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return ok_status();
  }
  return already_exists(fmt::format("writing {}: it was there, and is not a file of this user alone", path));
}

Status append_to_own_file(const std::string& path, std::string_view text) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  constexpr int kFlags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK;  // opening a pipe must not wait for its reader
  Descriptor file(open_again_if_interrupted(path.c_str(), kFlags | O_CREAT, 0644));
  if (!file.open()) return errno_status(errno, fmt::format("writing {}", path));
  HILO_RETURN_IF_ERROR(check_own(file.number(), path));
  const NoFileSizeSignal no_signal;
  int error = write_all(file.number(), text);
  if (error == 0) error = file.close();
  return error == 0 ? ok_status() : write_error(error, path, text.size());
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
