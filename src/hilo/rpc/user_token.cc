// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/user_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/owned_file.h"
#include "hilo/base/text.h"
#include "hilo/rpc/handle.h"
#include "hilo/rpc/secret_file.h"

namespace hilo::rpc {
namespace {

/// Checks that the folder belongs to this user and that no other user can enter it. Symbolic links are rejected.
Status check_own_folder(const std::string& path) {
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0) return errno_status(errno, path);
  const bool is_own = S_ISDIR(about.st_mode) && about.st_uid == ::geteuid();
  if (is_own && (about.st_mode & (S_IRWXG | S_IRWXO)) == 0) return ok_status();
  return failed_precondition(
      path + (is_own ? ": other users can enter this folder. Hint: chmod 700 " + path : ": not a folder of this user"));
}

/// Returns the possible folders of tokens, the preferred one first. The first parent folder is private to this user,
/// the second has the sticky bit.
std::vector<std::string> token_folders() {
  std::vector<std::string> folders;
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && check_own_folder(runtime).ok())
    folders.push_back(std::string(runtime) + "/hilo");
  folders.push_back(fmt::format("/tmp/hilo-{}", ::geteuid()));
  return folders;
}

/// Returns the first folder that exists or can be created.
StatusOr<std::string> make_token_folder() {
  std::string why;
  for (const std::string& folder : token_folders()) {
    Status status = ok_status();
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) status = errno_status(errno, folder);
    if (status.ok()) status = check_own_folder(folder);
    if (status.ok()) return folder;
    why += (why.empty() ? "" : "; ") + std::string(status.message());
  }
  return failed_precondition(
      fmt::format("no folder for the server's token: {}. Hint: --token-file FILE, or --open", why));
}

std::string token_file(std::string_view folder, std::string_view address) {
  return fmt::format("{}/{}.token", folder, address);
}

/// Writes a file that is readable only by this user from the beginning.
Status write_secret(const std::string& path, std::string_view text) {
  const OwnedFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool is_written = file.is_open() && ::write(file.get(), text.data(), text.size()) == std::ssize(text);
  return is_written ? ok_status() : errno_status(errno, path);
}

}  // namespace

std::string random_token() {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    const Handle bits = random_handle();
    text += fmt::format("{:016x}{:016x}", bits.high, bits.low);
  }
  return text;
}

StatusOr<UserToken> UserToken::publish(std::string_view address, std::string_view token) {
  HILO_ASSIGN_OR_RETURN(const std::string folder, make_token_folder());
  const std::string path = token_file(folder, address);
  const std::string temporary = fmt::format("{}.{:016x}", path, random_handle().low);
  Status status = write_secret(temporary, fmt::format("{}\n", token));
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) status = errno_status(errno, path);
  if (status.ok()) return UserToken(path, token);
  ::unlink(temporary.c_str());
  return status.with_context("the server's token");
}

UserToken::~UserToken() {
  if (path_.empty()) return;
  const StatusOr<std::string> now = read_secret(path_);
  if (now.ok() && trimmed(*now) == token_) ::unlink(path_.c_str());
}

StatusOr<std::string> find_user_token(std::string_view address) {
  constexpr std::string_view kName = "localhost:";
  constexpr size_t kMax = 64;  // longer than any numeric address
  if (address.size() > kMax || address.find('/') != std::string_view::npos) return std::string();
  std::vector<std::string> addresses = {std::string(address)};
  if (address.starts_with(kName)) {
    const std::string_view port = address.substr(kName.size());
    addresses = {fmt::format("127.0.0.1:{}", port), fmt::format("[::1]:{}", port)};
  }
  for (const std::string& folder : token_folders()) {
    if (const Status status = check_own_folder(folder); !status.ok()) {
      if (status.code() != StatusCode::kNotFound) log_warning_once(folder, "tokens: {}", status.message());
      continue;
    }
    for (const std::string& one : addresses) {
      const StatusOr<std::string> text = read_secret(token_file(folder, one));
      if (text.ok()) return std::string(trimmed(*text));
      if (text.status().code() != StatusCode::kNotFound) return text.status();
    }
  }
  return std::string();
}

}  // namespace hilo::rpc
