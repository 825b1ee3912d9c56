// SPDX-License-Identifier: Apache-2.0
// rpc/service/calls.h -- the calls of one session: each runs once, however often it is asked for.
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

/// One call that has begun.
struct Call {
  int64_t id;
  std::shared_ptr<CancellationToken> token = std::make_shared<CancellationToken>();
};
using CallPtr = std::shared_ptr<const Call>;

/// The calls whose replies the client doesn't say it has. Safe to use from several threads at once.
class Calls {
 public:
  using Sink = std::function<void(const Reply&)>;

  explicit Calls(int64_t most) : most_(most) {}

  /// The call of this request, which its caller shall do; null if it was asked for before, or can't be done: then
  /// `sink` was or will be told what there is to tell.
  CallPtr begin(int64_t id, int64_t acked, Sink sink);
  /// Ends a call: its reply goes to where it was asked for last. `held` counts the reply while it is stored. Nothing if
  /// it has ended.
  void end(const Call& call, Reply reply, Held held);
  /// The token of a call that runs; null if there is none.
  std::shared_ptr<CancellationToken> token_of(int64_t id) const;
  /// Waits until no call runs.
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
