// SPDX-License-Identifier: Apache-2.0
// rpc/service/session.h -- the objects and calls of one client on a server, independent of the transport.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hilo/device/client.h"
#include "hilo/rpc/messages.h"
#include "hilo/rpc/service/quota.h"
#include "hilo/rpc/service/upload_memory.h"

namespace hilo::rpc {

/// Compiles for the session's client. The observer is usually null.
using CompileFunction = std::function<StatusOr<std::shared_ptr<Executable>>(
    const hlo::Module& module, const CompileOptions& options, hlo::PassObserver* observer)>;

struct SessionOptions {
  ClientPtr client;  ///< client with the session's devices
  Quota quota = {};
  std::vector<std::string> custom_calls = {};  ///< custom call targets that programs may use
  CompileFunction compile = {};                ///< empty means Client::compile
  AllocateUpload allocate_upload = {};         ///< empty means the system's memory
  /// Called when a program continues after its cancellation; the session is then unusable. `answer` ends its call and
  /// may block until the sink has room. May be empty.
  std::function<void(const std::function<void()>& answer)> on_stuck = {};
};

/// One client's buffers, executables and calls. Requests are checked before any effect, and programs are verified
/// before compilation. Calls end in any order. A repeated request, sent because its sender doesn't know whether the
/// first one arrived, gets the reply of the first one.
class Session {
 public:
  /// Receives a call's reply: called once, from any thread, possibly before handle() returns.
  using Sink = std::function<void(const Reply&)>;

  explicit Session(SessionOptions options);
  /// Cancels all running calls and waits for them.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs or starts the call of a request. One thread at a time may call this.
  /// Errors    reported in the reply's status: those of Buffers, Client::compile and Executable::launch; NOT_FOUND for
  ///           a handle of another session; PERMISSION_DENIED for a custom call; RESOURCE_EXHAUSTED above a quota
  void handle(Request request, Sink sink);

  /// Numbers of unfinished calls, buffers and executables, for tests and metrics. To be called like handle().
  struct Counts {
    int64_t calls = 0, kept_replies = 0, buffers = 0;
    int64_t live_bytes = 0;  ///< bytes of the session's account
    int64_t executables = 0;
  };
  Counts counts() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hilo::rpc
