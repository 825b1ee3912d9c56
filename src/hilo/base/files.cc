// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <new>
#include <thread>
#include <utility>

#include "hilo/base/output_place.h"
#include "hilo/base/owned_file.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

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

// Blocks SIGXFSZ or SIGPIPE on this thread, so that a write beyond the limit of file sizes (ulimit -f) or to a closed
// pipe only returns an error. Otherwise the signal would end the process and leave a temporary file.
class NoSignal {
 public:
  explicit NoSignal(int number) : number_(number) {
    sigemptyset(&only_);
    sigaddset(&only_, number);
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoSignal() {
    if (!sigismember(&before_, number_)) take_pending();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  void take_pending() {
    const timespec at_once = {};
    while (::sigtimedwait(&only_, nullptr, &at_once) == number_ || errno == EINTR) {}
  }

  const int number_;
  sigset_t only_, before_;
};

// Waits until a non-blocking descriptor is writable.
void wait_until_writable(int descriptor) {
  pollfd wait = {descriptor, POLLOUT, 0};
  (void)::poll(&wait, 1, -1);  // the next write reports errors
}

// Writes all of `content`. Returns 0 or the errno.
int write_all(int descriptor, std::string_view content) {
  constexpr size_t kPiece = size_t{1} << 30;  // bytes; Linux writes less than 2 GiB per call
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), std::min(content.size(), kPiece));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      wait_until_writable(descriptor);
      continue;
    }
    if (written < 0) return errno;
    content.remove_prefix(written);
  }
  return 0;
}

int flush(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINVAL || errno == EROFS) return 0;  // file systems without flushing
    if (errno != EINTR) return errno;
  }
  return 0;
}

Status write_error(int error, const std::string& path, size_t wanted) {
  const std::string what = fmt::format("writing {}", path);
  if (error == ENXIO)
    return Status(StatusCode::kUnavailable, what + ": no process reads from it, or the device doesn't exist");
  struct statvfs disk = {};
  if ((error != ENOSPC && error != EDQUOT) || ::statvfs(directory_of(path).c_str(), &disk) != 0) {
    return errno_status(error, what);
  }
  const uint64_t free = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  return resource_exhausted(
      fmt::format("{}: {} (needed {}, free {})", what, errno_text(error), bytes_text(wanted), bytes_text(free)));
}

// Writes, flushes and closes. Returns 0 or the errno.
int fill(OwnedFile& file, std::string_view content, Durability durability) {
  const NoSignal no_signal(SIGXFSZ);
  if (const int error = write_all(file.get(), content)) return error;
  if (durability == Durability::kFlushed) {
    if (const int error = flush(file.get())) return error;
  }
  return file.close();
}

// A temporary file in the folder of `path`. Its name is short and independent of the final one, which may have the
// maximum length. If `file` is not open, errno has the reason.
struct Temporary {
  std::string path;
  OwnedFile file;
};
Temporary make_temporary(const std::string& path, mode_t mode) {
  static std::atomic<uint64_t> counter{0};
  constexpr int kTries = 64;  // number of names to try
  for (int tries = 1;; ++tries) {
    std::string name = fmt::format("{}/.hilo-{}-{}.tmp", directory_of(path), ::getpid(),
                                   counter.fetch_add(1, std::memory_order_relaxed));
    ::unlink(name.c_str());  // left by a killed process with the same process id
    const int number = open_again_if_interrupted(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (number >= 0 || errno != EEXIST || tries == kTries) return {std::move(name), OwnedFile(number)};
  }
}

// Renames a file without replacing another one. Returns 0 or the errno; EEXIST if the target exists.
int move_to_nothing(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system doesn't support RENAME_NOREPLACE.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;  // nor hard links
}

// Writes a new file. Returns 0 or the errno; EEXIST if `path` exists.
int write_where_nothing_is(const std::string& path, std::string_view content, Durability durability) {
  Temporary temporary = make_temporary(path, 0666);
  if (!temporary.file.is_open()) return errno;
  int error = fill(temporary.file, content, durability);
  if (error == 0) error = move_to_nothing(temporary.path, path);
  if (error != 0) ::unlink(temporary.path.c_str());
  return error;
}

// Returns whether an error can mean that the folder accepts no new files although its files are writable.
bool is_folders_refusal(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == EBUSY || error == EXDEV;
}

// Copies owner, access list and mode of the file that is replaced. Returns false if this user can't.
bool take_over(int file, int from, const struct stat& about) {
  struct stat own = {};
  if (::fstat(file, &own) != 0) return false;
  if ((own.st_uid != about.st_uid || own.st_gid != about.st_gid) && ::fchown(file, about.st_uid, about.st_gid) != 0)
    return false;
  if (::fchmod(file, about.st_mode & 0777) != 0) return false;
  constexpr const char* kList = "system.posix_acl_access";
  std::array<char, 4096> list;
  const ssize_t size = ::fgetxattr(from, kList, list.data(), list.size());
  if (size < 0) return errno != ERANGE && errno != EACCES && errno != EPERM;  // no access list
  return ::fsetxattr(file, kList, list.data(), size, 0) == 0;
}

// Overwrites an open file.
int write_in_place(OwnedFile& file, std::string_view content, Durability durability) {
  const NoSignal no_signal(SIGXFSZ);
  if (const int error = write_all(file.get(), content)) return error;
  if (::ftruncate(file.get(), static_cast<off_t>(content.size())) != 0) return errno;
  return fill(file, {}, durability);
}

// Replaces the old file atomically. Writes in place only if the permissions of the folder or the owner require it.
int write_over(const OutputPlace& place, std::string_view content, Durability durability) {
  // The old file is opened as a check: a user without write access to a file must not replace it either.
  OwnedFile old(open_again_if_interrupted(place.path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat about = {};
  if (!old.is_open() || ::fstat(old.get(), &about) != 0) return errno;
  if (!S_ISREG(about.st_mode)) return EEXIST;  // another process has just created it
  Temporary temporary = make_temporary(place.path, 0600);
  if (!temporary.file.is_open() && !is_folders_refusal(errno)) return errno;
  if (!temporary.file.is_open()) return write_in_place(old, content, durability);
  const bool is_same = take_over(temporary.file.get(), old.get(), about);
  int error = is_same ? fill(temporary.file, content, durability) : 0;
  if (is_same && error == 0 && ::rename(temporary.path.c_str(), place.path.c_str()) == 0) return 0;
  const bool in_place = error == 0 && (!is_same || is_folders_refusal(errno));
  if (!in_place && error == 0) error = errno;
  ::unlink(temporary.path.c_str());
  return in_place ? write_in_place(old, content, durability) : error;
}

// Opens a device or a fifo. Waits ten seconds for a fifo's reader; then errno is ENXIO.
int open_stream(const OutputPlace& place) {
  constexpr std::chrono::milliseconds kMax(10'000), kPause(5);
  if (!S_ISFIFO(place.about.st_mode))
    return open_again_if_interrupted(place.path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY);
  const auto end = std::chrono::steady_clock::now() + kMax;
  int number;
  do {
    number = open_again_if_interrupted(place.path.c_str(), O_WRONLY | O_NONBLOCK);
    if (number >= 0 || errno != ENXIO) break;
    std::this_thread::sleep_for(kPause);
  } while (std::chrono::steady_clock::now() < end);
  if (number >= 0) ::fcntl(number, F_SETFL, O_WRONLY);
  return number;
}

int write_stream(const OutputPlace& place, std::string_view content) {
  const NoSignal no_signal(SIGPIPE);
  OwnedFile stream(place.kind == OutputPlace::Kind::kDescriptor ? ::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0)
                                                                : open_stream(place));
  if (!stream.is_open()) return errno;
  return fill(stream, content, Durability::kCached);
}

int write_to(const OutputPlace& place, std::string_view content, Durability durability) {
  switch (place.kind) {
    case OutputPlace::Kind::kNothing: return write_where_nothing_is(place.path, content, durability);
    case OutputPlace::Kind::kRegular: return write_over(place, content, durability);
    case OutputPlace::Kind::kStream:
    case OutputPlace::Kind::kDescriptor: break;
  }
  return write_stream(place, content);
}

// Reads an open file. `expected` is the size that the system reports, or 0.
StatusOr<std::string> read_open_file(int descriptor, const std::string& path, int64_t expected, int64_t limit,
                                     LongestFile longest) {
  constexpr int64_t kBeginning = int64_t{64} << 10;  // bytes
  std::string content;
  int64_t filled = 0;
  // Room for one byte more than the limit, so that the last read finds either the end or an excess.
  int64_t room = std::min(kBeginning, limit + 1);
  while (true) {
    content.resize(room);
    const ssize_t got = ::read(descriptor, content.data() + filled, room - filled);
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
    default: return Status(StatusCode::kUnknown, std::move(message));  // errno has no fixed set of values
  }
}

static StatusOr<std::string> read_within(const std::string& path, int64_t limit, LongestFile longest) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  const OwnedFile file(open_again_if_interrupted(path.c_str(), O_RDONLY | O_NOCTTY));
  struct stat about = {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0) {
    return errno_status(errno, fmt::format("opening {}", path));
  }
  if (S_ISDIR(about.st_mode)) return errno_status(EISDIR, fmt::format("opening {}", path));
  const int64_t size = S_ISREG(about.st_mode) ? static_cast<int64_t>(about.st_size) : 0;
  if (size > limit) {
    return resource_exhausted(fmt::format("reading {}: more than {} bytes; got {}", path, limit, size));
  }
  try {
    return read_open_file(file.get(), path, size, limit, longest);
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
  constexpr int kTries = 16;  // retries while other processes create and remove the file
  OutputPlace place;
  for (int tries = 1;; ++tries) {
    HILO_ASSIGN_OR_RETURN(place, find_output_place(path));
    const int error = write_to(place, content, durability);
    if (error == 0) break;
    const bool has_changed = error == EEXIST || (error == ENOENT && place.kind != OutputPlace::Kind::kNothing);
    if (!has_changed || tries == kTries) return write_error(error, path, content.size());
  }
  const bool is_file = place.kind == OutputPlace::Kind::kNothing || place.kind == OutputPlace::Kind::kRegular;
  if (durability != Durability::kFlushed || !is_file) return ok_status();
  // The directory is flushed, too, because it stores the file's name.
  const OwnedFile folder(open_again_if_interrupted(directory_of(place.path).c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.is_open()) {
    if (const int lost = flush(folder.get())) return errno_status(lost, fmt::format("writing {}", path));
  }
  return ok_status();
}

Status write_new_file(const std::string& path, std::string_view content) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  const int error = write_where_nothing_is(path, content, Durability::kCached);
  return error == 0 ? ok_status() : write_error(error, path, content.size());
}

static Status check_own(int descriptor, const std::string& path) {
  struct stat about = {};
  if (::fstat(descriptor, &about) != 0) return errno_status(errno, fmt::format("writing {}", path));
  if (S_ISREG(about.st_mode) && about.st_uid == ::geteuid() && about.st_nlink == 1 &&
      (about.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return ok_status();
  }
  return already_exists(fmt::format("writing {}: it already exists and is not a private file of this user", path));
}

Status append_to_own_file(const std::string& path, std::string_view text) {
  HILO_RETURN_IF_ERROR(refuse_nul(path));
  // O_NONBLOCK: opening a pipe must not wait for a reader
  constexpr int kFlags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
  OwnedFile file(open_again_if_interrupted(path.c_str(), kFlags | O_CREAT, 0644));
  if (!file.is_open()) return errno_status(errno, fmt::format("writing {}", path));
  HILO_RETURN_IF_ERROR(check_own(file.get(), path));
  const NoSignal no_signal(SIGXFSZ);
  int error = write_all(file.get(), text);
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
      // mkdir can fail for existing directories too, so existence is checked separately.
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
  constexpr size_t kMax = 80;   // bytes
  constexpr size_t kHash = 17;  // "-" and 16 hexadecimal digits
  std::string stem;
  for (char c : name.substr(0, kMax)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || (c == '.' && !stem.empty());
    stem += plain ? c : '_';
  }
  if (stem == name && !stem.empty()) return stem;
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{}-{:016x}", stem.substr(0, kMax - kHash), hash);
}

}  // namespace hilo
