// SPDX-License-Identifier: Apache-2.0
// rpc/user_token.h -- the token of a server on loopback, which the other processes of its user find by its address:
// $XDG_RUNTIME_DIR/hilo/127.0.0.1:8470.token, or /tmp/hilo-UID/ without such a folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// 256 random bits as hexadecimal digits.
std::string random_token();

/// A token that clients of this user find as long as this is there.
class UserToken {
 public:
  UserToken() = default;
  /// Writes the token of the server at `address`, an address of numbers: "127.0.0.1:8470", "[::1]:8470".
  /// Errors    FAILED_PRECONDITION if neither folder can be used; those of the system
  static StatusOr<UserToken> publish(std::string_view address, std::string_view token);
  UserToken(UserToken&& other) noexcept : path_(std::exchange(other.path_, {})), token_(std::move(other.token_)) {}
  UserToken& operator=(UserToken&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(token_, other.token_);
    return *this;
  }
  /// Removes the file, unless another server has written there since.
  ~UserToken();

  const std::string& path() const { return path_; }

 private:
  UserToken(std::string path, std::string_view token) : path_(std::move(path)), token_(token) {}
  std::string path_, token_;
};

/// The token that a server of this user has published for the address; "" if there is none. "localhost" is tried as
/// 127.0.0.1 and as [::1].
/// Errors    PERMISSION_DENIED for a file that others can read
StatusOr<std::string> find_user_token(std::string_view address);

}  // namespace hilo::rpc
