// SPDX-License-Identifier: Apache-2.0
// tests/soak/planted.cc -- a server with a planted bug between it and its workers, which tools/soak.py must find.
// "leak" loses releases, "cross" sends a result to another session, "lock" locks a mutex twice.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "hilo/base/files.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/server/metrics.h"
#include "hilo/rpc/server/server.h"
#include "hilo/rpc/worker/zygote.h"

namespace hilo::soak {
namespace {

using rpc::Frame;
using rpc::FrameSocket;
using rpc::Pieces;

constexpr int kSoundReplies = 200;  // replies before the bug of "lock" occurs

class Bug {
 public:
  explicit Bug(std::string name) : name_(std::move(name)) {}

  std::string changed_requests(std::string batch) const {
    if (name_ != "leak") return batch;
    std::string changed;
    for (std::string_view left = batch; !left.empty();) {
      const auto message = rpc::take_from_batch(left);
      if (!message.ok()) return batch;
      auto request = rpc::decode_request(*message);
      if (request.ok()) request->releases.clear();
      rpc::append_to_batch(changed, request.ok() ? rpc::encode(*request) : std::string(*message));
    }
    return changed;
  }
  /// Changes a reply of one session's worker.
  std::string changed_reply(std::string message, int64_t session) {
    if (name_ == "lock") {
      const std::scoped_lock lock(mutex_);
      if (++replies_ > kSoundReplies) mutex_.lock();
    }
    if (name_ != "cross") return message;
    auto reply = rpc::decode_reply(message);
    auto* const bytes = reply.ok() ? std::get_if<rpc::BytesReply>(&reply->body) : nullptr;
    if (bytes == nullptr) return message;
    const std::scoped_lock lock(mutex_);
    const bool is_others = last_session_ != 0 && last_session_ != session && last_.size() == bytes->bytes.size();
    last_session_ = session;
    const std::string own = bytes->bytes.whole();
    if (is_others) bytes->bytes = Pieces(last_);
    last_ = own;
    return rpc::encode(*reply);
  }

 private:
  const std::string name_;
  std::mutex mutex_;
  int replies_ = 0;
  int64_t last_session_ = 0;
  std::string last_;
};

/// Forwards frames from one socket to the other until one is closed.
template <typename Change>
void carry(const std::shared_ptr<FrameSocket>& from, const std::shared_ptr<FrameSocket>& to, Change change) {
  std::thread([from, to, change] {
    for (Frame frame;;) {
      const auto is_there = from->read(frame);
      if (!is_there.ok() || !*is_there) break;
      const bool is_message = !frame.message.empty() && frame.lane < rpc::kLanes;
      const std::string message(frame.message);
      if (!to->write(frame.lane, is_message ? change(message) : message).ok()) break;
    }
    from->shut_down();
    to->shut_down();
  }).detach();
}

StatusOr<rpc::WorkerFiles> start_worker(const rpc::Zygote& zygote, Bug& bug) {
  static std::atomic<int64_t> sessions{0};
  HILO_ASSIGN_OR_RETURN(rpc::WorkerFiles worker, zygote.start_worker());
  HILO_ASSIGN_OR_RETURN(rpc::SocketPair pair, rpc::make_socket_pair());
  const auto inner = std::make_shared<FrameSocket>(std::move(worker.socket));
  const auto outer = std::make_shared<FrameSocket>(std::move(pair.there));
  carry(outer, inner, [&bug](std::string batch) { return bug.changed_requests(std::move(batch)); });
  carry(inner, outer,
        [&bug, session = ++sessions](std::string message) { return bug.changed_reply(std::move(message), session); });
  return rpc::WorkerFiles{std::move(pair.here), std::move(worker.arena)};
}

Status serve(const std::map<std::string, std::string>& options) {
  const auto option = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  rpc::ServerOptions server_options;
  server_options.listen = option("--listen");
  server_options.token_file = option("--token-file");
  // before any thread starts
  HILO_ASSIGN_OR_RETURN(const rpc::Zygote zygote, rpc::Zygote::start(server_options.worker));
  Bug bug(option("--plant"));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<rpc::Server> server,
                        rpc::start_server(server_options, [&] { return start_worker(zygote, bug); }));
  HILO_ASSIGN_OR_RETURN(const auto metrics,
                        rpc::MetricsServer::start(option("--metrics"), {.metrics = [&] {
                                                    return rpc::metrics_text({.counts = server->counts(),
                                                                              .connections = server->connections()});
                                                  }}));
  HILO_RETURN_IF_ERROR(write_file_atomic(option("--port-file"), fmt::format("{}\n", server->port())));
  fmt::print("serving at 127.0.0.1:{}\n", server->port());
  std::fflush(stdout);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigsuspend(&none);
  return ok_status();
}

}  // namespace
}  // namespace hilo::soak

/// Accepts the options of `hilo serve` in pairs, and ignores unknown ones.
int main(int count, char** arguments) {
  std::map<std::string, std::string> options;
  for (int i = 2; i + 1 < count; i += 2) options[arguments[i]] = arguments[i + 1];
  const hilo::Status status = hilo::soak::serve(options);
  if (!status.ok()) fmt::print(stderr, "planted: {}\n", status.to_string());
  return status.ok() ? 0 : 1;
}
