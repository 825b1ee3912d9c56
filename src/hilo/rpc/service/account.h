// SPDX-License-Identifier: Apache-2.0
// rpc/service/account.h -- counts the bytes of one session and enforces its limit before memory is allocated.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "hilo/base/status.h"

namespace hilo::rpc {

class Account;

/// Bytes that an account counts. The destructor returns them, on any thread.
class Held {
 public:
  Held() = default;
  Held(Held&& other) noexcept : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Held();

  int64_t bytes() const { return bytes_; }
  /// Moves up to `bytes` of them to another object.
  Held split(int64_t bytes);
  /// Adds the bytes of another object. Precondition: both belong to one account.
  void join(Held other);

 private:
  friend class Account;
  Held(std::shared_ptr<Account> account, int64_t bytes) : account_(std::move(account)), bytes_(bytes) {}
  std::shared_ptr<Account> account_;
  int64_t bytes_ = 0;
};
/// Shared by a name and by the runs that read the buffer. The bytes count until the last owner releases them.
using HeldPtr = std::shared_ptr<Held>;

/// The account of a session. Thread-safe.
class Account : public std::enable_shared_from_this<Account> {
 public:
  /// Creates an account. `limit` is in bytes; 0 means no limit, but bytes are still counted.
  static std::shared_ptr<Account> make(int64_t limit);

  /// Counts bytes. Precondition: `bytes` is not negative.
  /// Errors    RESOURCE_EXHAUSTED above the limit
  StatusOr<Held> hold(int64_t bytes);
  /// Returns the number of bytes that are counted.
  int64_t held() const { return held_.load(std::memory_order_relaxed); }

 private:
  friend class Held;
  explicit Account(int64_t limit) : limit_(limit) {}
  const int64_t limit_;
  std::atomic<int64_t> held_{0};
};

}  // namespace hilo::rpc
