// SPDX-License-Identifier: Apache-2.0
// rpc/service/calls.h -- the calls of one session. Each runs once, even if it is requested several times.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "hilo/device/cancellation.h"
#include "hilo/rpc/messages.h"
#include "hilo/rpc/service/account.h"

namespace hilo::rpc {

/// A call that has begun.
struct Call {
  int64_t id;
  std::shared_ptr<CancellationToken> token = std::make_shared<CancellationToken>();
};
using CallPtr = std::shared_ptr<const Call>;

/// The calls whose replies the client hasn't acknowledged. Thread-safe.
class Calls {
 public:
  using Sink = std::function<void(const Reply&)>;

  explicit Calls(int64_t most) : most_(most) {}

  /// Returns the call of a new request, which the caller must run. Returns null for a repeated or invalid request;
  /// `sink` then gets the reply.
  CallPtr begin(int64_t id, int64_t acked, Sink sink);
  /// Ends a call and sends its reply to the sink of the last request. `held` counts the reply while it is stored. No
  /// effect if the call has ended.
  void end(const Call& call, Reply reply, Held held);
  /// Returns the token of a running call, or null.
  std::shared_ptr<CancellationToken> token_of(int64_t id) const;
  /// Waits until no call is running.
  void wait();

  int64_t running() const;
  int64_t kept() const;

 private:
  struct Entry {
    CallPtr call;
    Sink sink;
    bool has_ended = false;
    Reply reply = {};
    Held held = {};
  };
  void forget_before(int64_t acked);

  const int64_t most_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::map<int64_t, Entry> entries_;
  int64_t acked_ = 0;
  int64_t running_ = 0;
};

}  // namespace hilo::rpc
