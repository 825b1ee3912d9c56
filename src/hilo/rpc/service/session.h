// SPDX-License-Identifier: Apache-2.0
// rpc/service/session.h -- what one client has on a server and asks of it, without a wire: requests in, replies out.
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

/// Compiles for the session's client. The observer is null as a rule.
using CompileFunction = std::function<StatusOr<std::shared_ptr<Executable>>(
    const hlo::Module& module, const CompileOptions& options, hlo::PassObserver* observer)>;

struct SessionOptions {
  ClientPtr client;  ///< whose devices the session is for
  Quota quota = {};
  std::vector<std::string> custom_calls = {};  ///< targets that programs may call
  CompileFunction compile = {};                ///< empty: Client::compile
  AllocateUpload allocate_upload = {};         ///< empty: the system's memory
  /// Called when a program goes on although it was told to stop; the session can do no more. `answer` ends its call,
  /// and waits for room in the sink. May be empty.
  std::function<void(const std::function<void()>& answer)> on_stuck = {};
};

/// One client's buffers, executables and calls. Each request is checked before anything is done; a program is verified
/// before it is compiled. Calls end in any order, and each once: a request that comes again, because its sender doesn't
/// know whether it came, is answered with what the first one was answered.
class Session {
 public:
  /// Where a call's reply goes: called once, from any thread, perhaps before handle() returns.
  using Sink = std::function<void(const Reply&)>;

  explicit Session(SessionOptions options);
  /// Tells all that runs to stop, and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Does or begins what the request asks for. To be called by one thread at a time.
  /// Errors    come as the reply's status: those of Buffers, Client::compile and Executable::launch; NOT_FOUND for a
  ///           handle that isn't this session's; PERMISSION_DENIED for a custom call; RESOURCE_EXHAUSTED over a quota
  void handle(Request request, Sink sink);

  /// Calls that have not ended, buffers and executables, for tests and metrics. To be called as handle().
  struct Counts {
    int64_t calls = 0, kept_replies = 0, buffers = 0;
    int64_t live_bytes = 0;  ///< all that the session's account counts
    int64_t executables = 0;
  };
  Counts counts() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hilo::rpc
