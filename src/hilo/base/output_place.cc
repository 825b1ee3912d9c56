// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/output_place.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "hilo/base/files.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

using Kind = OutputPlace::Kind;

constexpr int kMaxLinks = 40;  // Linux's limit

Status write_error(int error, const std::string& path) { return errno_status(error, fmt::format("writing {}", path)); }

bool is_of_proc(const std::string& folder) {
  struct statfs about = {};
  return ::statfs(folder.c_str(), &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/// Returns the descriptor that a link such as /proc/self/fd/1 refers to; -1 for other links.
int own_descriptor(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(directory_of(path).c_str(), nullptr), ::free);
  if (real == nullptr) return -1;
  const std::string folder(real.get()), own = fmt::format("/proc/{}/", ::getpid());
  if (!folder.starts_with(own) || !folder.ends_with("/fd")) return -1;
  const std::optional<int64_t> number = parse_int64(path.substr(path.rfind('/') + 1));
  return number && *number >= 0 && *number <= INT_MAX ? static_cast<int>(*number) : -1;
}

/// Returns whether another user may have created the link in a shared folder. The kernel has the same rule
/// (fs.protected_symlinks), which may be off.
bool leads_astray(const std::string& path, const struct stat& link) {
  struct stat folder = {};
  if (::stat(directory_of(path).c_str(), &folder) != 0) return true;
  const bool is_of_all = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return is_of_all && link.st_uid != ::geteuid() && link.st_uid != folder.st_uid;
}

StatusOr<std::string> link_target(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size < 0) return write_error(errno, path);
  target.resize(size);
  return target.starts_with('/') ? target : directory_of(path) + "/" + target;
}

StatusOr<OutputPlace> place_of(const std::string& path, const struct stat& about) {
  if (S_ISDIR(about.st_mode)) return write_error(EISDIR, path);
  if (S_ISSOCK(about.st_mode))
    return invalid_argument(fmt::format("writing {}: is a socket; wanted a file, a device or a pipe", path));
  return OutputPlace{S_ISREG(about.st_mode) ? Kind::kRegular : Kind::kStream, path, -1, about};
}

/// Handles the special links of /proc, whose text is not a path.
StatusOr<OutputPlace> place_in_proc(const std::string& path) {
  if (const int descriptor = own_descriptor(path); descriptor >= 0)
    return OutputPlace{Kind::kDescriptor, path, descriptor, {}};
  struct stat about = {};
  if (::stat(path.c_str(), &about) != 0) return write_error(errno, path);
  HILO_ASSIGN_OR_RETURN(OutputPlace place, place_of(path, about));
  place.kind = Kind::kStream;
  return place;
}

}  // namespace

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

StatusOr<OutputPlace> find_output_place(const std::string& path) {
  std::string current = path;
  for (int links = 0; links <= kMaxLinks; ++links) {
    struct stat about = {};
    if (::lstat(current.c_str(), &about) != 0) {
      if (errno != ENOENT) return write_error(errno, path);
      if (current.ends_with('/')) return write_error(EISDIR, path);
      return OutputPlace{Kind::kNothing, std::move(current), -1, {}};
    }
    if (!S_ISLNK(about.st_mode)) return place_of(current, about);
    if (is_of_proc(directory_of(current))) return place_in_proc(current);
    if (leads_astray(current, about)) {
      return permission_denied(
          fmt::format("writing {}: {} is a link of another user in a shared folder", path, current));
    }
    HILO_ASSIGN_OR_RETURN(current, link_target(current));
  }
  return write_error(ELOOP, path);
}

}  // namespace hilo
