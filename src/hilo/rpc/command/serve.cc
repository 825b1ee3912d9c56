// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/command/serve.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <memory>
#include <mutex>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/text.h"
#include "hilo/client/platforms.h"
#include "hilo/rpc/server/check_limits.h"
#include "hilo/rpc/server/metrics.h"
#include "hilo/rpc/server/server.h"
#include "hilo/rpc/worker/zygote.h"

namespace hilo::rpc {
namespace {

/// The error that ends a server. Thread-safe.
class Failure {
 public:
  void set(const Status& why) {
    const std::scoped_lock lock(mutex_);
    why_ = why;
  }
  Status get() const {
    const std::scoped_lock lock(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  Status why_;
};

/// Blocks the signals that end a server, so that they can be waited for.
sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// Raises the limit of file descriptors to the maximum, because each connection and each worker needs one.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Waits for sessions to end until the timeout or a second signal.
void drain(Server& server, double seconds, const sigset_t& signals) {
  constexpr std::chrono::milliseconds kLook{100};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const timespec now{};
  while (std::chrono::steady_clock::now() < end) {
    if (server.drain(kLook) || ::sigtimedwait(&signals, nullptr, &now) > 0) return;
  }
}

/// Returns the line with the server's address, and with its access rule if that is the default.
std::string greeting(const ServerOptions& options, const Server& server) {
  const std::string& listen = options.listen;
  const bool is_unix = server.port() == 0;
  std::string text = is_unix ? fmt::format("serving at {}\n", listen)
                             : fmt::format("serving at {}:{}\n", listen.substr(0, listen.rfind(':')), server.port());
  if (!server.token_path().empty())
    text += fmt::format("clients of this user read the token from {}\n", server.token_path());
  if (options.is_open) text += open_warning(options) + "\n";
  return text;
}

/// Returns a user's id, from a name or a number.
StatusOr<uint32_t> user_number(const std::string& name) {
  if (const std::optional<int64_t> number = parse_int64(name); number && *number >= 0 && *number < UINT32_MAX)
    return static_cast<uint32_t>(*number);
  const passwd* const user = ::getpwnam(name.c_str());
  if (user == nullptr) return not_found(fmt::format("--allow-user: no user {}", quote(name)));
  return user->pw_uid;
}

/// Converts and checks the options.
/// Errors    INVALID_ARGUMENT for invalid limits; NOT_FOUND for an unknown platform; those of check_listen
StatusOr<ServerOptions> checked_options(const ServeOptions& options) {
  ServerOptions checked = options.server;
  HILO_RETURN_IF_ERROR(check_seconds("grace", options.grace_seconds));
  HILO_RETURN_IF_ERROR(check_seconds("drain", options.drain_seconds));
  HILO_RETURN_IF_ERROR(check_seconds("queue-seconds", options.queue_seconds));
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  };
  checked.sessions.grace = milliseconds(options.grace_seconds);
  checked.sessions.queue_time = milliseconds(options.queue_seconds);
  checked.worker.command = "/proc/self/exe";
  for (const std::string& name : options.users) {
    HILO_ASSIGN_OR_RETURN(const uint32_t user, user_number(name));
    checked.users.push_back(user);
  }
  if (options.audit != "off") checked.audit.to = options.audit;
  HILO_RETURN_IF_ERROR(check_listen(checked));
  HILO_RETURN_IF_ERROR(check_limits(checked));
  StatusOr<std::string> platform = check_platform(checked.worker.platform);
  if (!platform.ok()) return platform.status().with_context("platform");
  return checked;
}

}  // namespace

Status serve(const ServeOptions& options) {
  HILO_ASSIGN_OR_RETURN(const ServerOptions server_options, checked_options(options));
  const sigset_t signals = block_signals();
  raise_file_limit();
  Failure failure;
  const auto end_with = [&failure](const Status& why) {
    log_warning("the server ends: {}", why.to_string());
    failure.set(why);
    ::kill(::getpid(), SIGTERM);
  };
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<ZygoteKeeper> zygote,
                        ZygoteKeeper::start(server_options.worker, end_with));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                        start_server(server_options, [&zygote] { return zygote->start_worker(); }));
  std::unique_ptr<MetricsServer> metrics;
  if (!options.metrics.empty()) {
    const auto numbers = [&] {
      return ServerNumbers{.counts = server->counts(),
                           .connections = server->connections(),
                           .sessions = server->overview().sessions,
                           .zygotes_replaced = zygote->replaced()};
    };
    HILO_ASSIGN_OR_RETURN(
        metrics, MetricsServer::start(options.metrics, {.metrics = [numbers] { return metrics_text(numbers()); },
                                                        .health = [&failure] { return failure.get(); }}));
  }
  if (!options.port_file.empty())
    HILO_RETURN_IF_ERROR(write_file_atomic(options.port_file, fmt::format("{}\n", server->port())));
  HILO_RETURN_IF_ERROR(options.say(greeting(server_options, *server)));
  int signal = 0;
  ::sigwait(&signals, &signal);
  HILO_RETURN_IF_ERROR(options.say("new sessions are rejected\n"));
  drain(*server, options.drain_seconds, signals);
  return failure.get();
}

}  // namespace hilo::rpc
