// SPDX-License-Identifier: Apache-2.0
// rpc/user_token.h -- tokens by which clients find a loopback server of the same user. They are files:
// $XDG_RUNTIME_DIR/hilo/127.0.0.1:8470.token, or in /tmp/hilo-UID/ if that folder doesn't exist.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// Returns 256 random bits as hexadecimal digits.
std::string random_token();

/// A token that clients of this user can find during the lifetime of this object.
class UserToken {
 public:
  UserToken() = default;
  /// Publishes the token of the server at a numeric address: "127.0.0.1:8470", "[::1]:8470".
  /// Errors    FAILED_PRECONDITION if neither folder can be used; those of the system
  static StatusOr<UserToken> publish(std::string_view address, std::string_view token);
  UserToken(UserToken&& other) noexcept : path_(std::exchange(other.path_, {})), token_(std::move(other.token_)) {}
  UserToken& operator=(UserToken&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(token_, other.token_);
    return *this;
  }
  /// Removes the file, unless another server has replaced it.
  ~UserToken();

  const std::string& path() const { return path_; }

 private:
  UserToken(std::string path, std::string_view token) : path_(std::move(path)), token_(token) {}
  std::string path_, token_;
};

/// Returns the token that a server of this user has published for the address, or "". "localhost" is looked up as
/// 127.0.0.1 and as [::1].
/// Errors    PERMISSION_DENIED for a file that others can read
StatusOr<std::string> find_user_token(std::string_view address);

}  // namespace hilo::rpc
