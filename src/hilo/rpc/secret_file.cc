// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "hilo/base/files.h"
#include "hilo/base/owned_file.h"

namespace hilo::rpc {
namespace {

constexpr int64_t kMaxBytes = 1 << 20;

/// Returns whether systemd protects the file for this service.
bool is_credential(std::string_view path) {
  const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr || *folder != '/' || !path.starts_with(folder)) return false;
  const std::string_view name = path.substr(std::string_view(folder).size());
  return name.starts_with('/') && name.find('/', 1) == std::string_view::npos && name != "/..";
}

Status check_secret(const std::string& path, const struct stat& about) {
  const mode_t others = is_credential(path) ? S_IRWXO : S_IRWXG | S_IRWXO;
  if ((about.st_mode & others) != 0)
    return permission_denied(fmt::format("{0}: other users can read this secret. Hint: chmod 600 {0}", path));
  if (about.st_uid == ::geteuid() || about.st_uid == 0) return ok_status();
  return permission_denied(
      fmt::format("{0}: this secret belongs to user {1}, but the process is user {2}. Hint: chown {2} {0}", path,
                  about.st_uid, ::geteuid()));
}

}  // namespace

StatusOr<std::string> read_secret(const std::string& path) {
  // Checks the open descriptor, so that the file that is checked is the file that is read.
  const OwnedFile open(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!open.is_open()) return errno_status(errno, path);
  struct stat about{};
  if (::fstat(open.get(), &about) != 0) return errno_status(errno, path);
  HILO_RETURN_IF_ERROR(check_secret(path, about));
  StatusOr<std::string> text = read_file(fmt::format("/proc/self/fd/{}", open.get()), kMaxBytes);
  if (!text.ok()) return text.status().with_context(path);
  return text;
}

}  // namespace hilo::rpc
