// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/text.h"
#include "hilo/client/platforms.h"
#include "hilo/rpc/server/check_limits.h"
#include "hilo/rpc/server/metrics.h"
#include "hilo/rpc/server/server.h"
#include "hilo/rpc/worker/zygote.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

struct ServeOptions {
  rpc::ServerOptions server;
  std::string port_file;
  std::string metrics;
  std::string audit = "stderr";
  std::vector<std::string> users;
  double grace_seconds = 60;
  double drain_seconds = 30;
  double queue_seconds = 8;
};

/// Why a server ends that wasn't told to. Safe to use from several threads at once.
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

/// The signals that end a server. From here on they wait to be asked for.
sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// As many files as the system lets this user have: a connection is one, a worker another.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// At once: who started the server waits for it.
Status say(const std::string& line) {
  HILO_RETURN_IF_ERROR(write_result("", line));
  std::fflush(stdout);
  return ok_status();
}

/// Waits for sessions to end until the time is over or a second signal comes.
void drain(rpc::Server& server, double seconds, const sigset_t& signals) {
  constexpr std::chrono::milliseconds kLook{100};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const timespec now{};
  while (std::chrono::steady_clock::now() < end) {
    if (server.drain(kLook) || ::sigtimedwait(&signals, nullptr, &now) > 0) return;
  }
}

/// Where the server is, and who is let in where nobody chose that.
std::string greeting(const rpc::ServerOptions& options, const rpc::Server& server) {
  const std::string& listen = options.listen;
  const bool is_unix = server.port() == 0;
  std::string text = is_unix ? fmt::format("serving at {}\n", listen)
                             : fmt::format("serving at {}:{}\n", listen.substr(0, listen.rfind(':')), server.port());
  if (!server.token_path().empty())
    text += fmt::format("clients of this user find the token in {}\n", server.token_path());
  if (options.is_open) text += rpc::open_warning(options) + "\n";
  return text;
}

/// The number of a user, by name or number.
StatusOr<uint32_t> user_number(const std::string& name) {
  if (const std::optional<int64_t> number = parse_int64(name); number && *number >= 0 && *number < UINT32_MAX)
    return static_cast<uint32_t>(*number);
  const passwd* const user = ::getpwnam(name.c_str());
  if (user == nullptr) return not_found(fmt::format("--allow-user: no user {}", quote(name)));
  return user->pw_uid;
}

/// Errors    INVALID_ARGUMENT for limits that are none; NOT_FOUND for an unknown platform; those of check_listen
StatusOr<rpc::ServerOptions> checked_options(const ServeOptions& options) {
  rpc::ServerOptions checked = options.server;
  HILO_RETURN_IF_ERROR(rpc::check_seconds("grace", options.grace_seconds));
  HILO_RETURN_IF_ERROR(rpc::check_seconds("drain", options.drain_seconds));
  HILO_RETURN_IF_ERROR(rpc::check_seconds("queue-seconds", options.queue_seconds));
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
  HILO_RETURN_IF_ERROR(rpc::check_listen(checked));
  HILO_RETURN_IF_ERROR(rpc::check_limits(checked));
  StatusOr<std::string> platform = check_platform(checked.worker.platform);
  if (!platform.ok()) return platform.status().with_context("platform");
  return checked;
}

Status serve(const ServeOptions& options) {
  HILO_ASSIGN_OR_RETURN(const rpc::ServerOptions server_options, checked_options(options));
  const sigset_t signals = block_signals();
  raise_file_limit();
  Failure failure;
  const auto end_with = [&failure](const Status& why) {
    log_warning("the server ends: {}", why.to_string());
    failure.set(why);
    ::kill(::getpid(), SIGTERM);
  };
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<rpc::ZygoteKeeper> zygote,
                        rpc::ZygoteKeeper::start(server_options.worker, end_with));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<rpc::Server> server,
                        rpc::start_server(server_options, [&zygote] { return zygote->start_worker(); }));
  std::unique_ptr<rpc::MetricsServer> metrics;
  if (!options.metrics.empty()) {
    const auto numbers = [&] {
      return rpc::ServerNumbers{.counts = server->counts(),
                                .connections = server->connections(),
                                .sessions = server->overview().sessions,
                                .zygotes_replaced = zygote->replaced()};
    };
    HILO_ASSIGN_OR_RETURN(metrics, rpc::MetricsServer::start(
                                       options.metrics, {.metrics = [numbers] { return rpc::metrics_text(numbers()); },
                                                         .health = [&failure] { return failure.get(); }}));
  }
  if (!options.port_file.empty())
    HILO_RETURN_IF_ERROR(write_file_atomic(options.port_file, fmt::format("{}\n", server->port())));
  HILO_RETURN_IF_ERROR(say(greeting(server_options, *server)));
  int signal = 0;
  ::sigwait(&signals, &signal);
  HILO_RETURN_IF_ERROR(say("no new sessions from now on\n"));
  drain(*server, options.drain_seconds, signals);
  return failure.get();
}

}  // namespace

Command add_serve(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "serve",
      "Serve local devices over gRPC to clients with --jax_xla_backend=xrt --jax_backend_target=rpc:host:port");
  auto options = std::make_shared<ServeOptions>();
  rpc::ServerOptions& server = options->server;
  rpc::Quota& quota = server.worker.quota;
  app->add_option("--listen", server.listen, "Address: host:port, or unix:/path. Port 0: any free port")
      ->capture_default_str();
  app->add_option("--port-file", options->port_file, "Write the port to this file when the server is ready");
  app->add_option("--metrics", options->metrics,
                  "Address 127.0.0.1:port for /healthz and /metrics, without encryption");
  app->add_option("--token-file", server.token_file,
                  "File of mode 600 with the token that clients must send, or with lines of a name and a token. "
                  "Default on loopback: a token that clients of this user find");
  app->add_flag("--open", server.is_open,
                "Require no token on loopback. Every user of this machine can then run programs on this server");
  app->add_option("--allow-user", options->users, "Another user who may connect to the Unix socket; can be repeated");
  app->add_option(
         "--audit", options->audit,
         "Destination of the audit log, one JSON line per session, rejection and limit: stderr, off, or a file")
      ->capture_default_str();
  app->add_option(
         "--audit-bytes", server.audit.file_bytes,
         "Maximum size of the audit file in bytes. A full file is renamed to FILE.1; four old files are retained")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--tls-certificate", server.tls_certificate, "PEM file of the server's certificate");
  app->add_option("--tls-key", server.tls_key, "PEM file of the server's private key");
  app->add_option("--tls-client-ca", server.tls_client_ca,
                  "PEM file of the authority that must have signed the clients' certificates");
  app->add_option("--platform", server.worker.platform, "Platform of the devices that sessions use")
      ->capture_default_str();
  app->add_option("--max-sessions", server.sessions.sessions, "Maximum number of sessions at once")
      ->capture_default_str();
  app->add_option(
      "--max-sessions-per-peer", server.sessions.sessions_per_peer,
      "Maximum number of sessions per host, or per IPv6 network of 64 bits. 0: three quarters of --max-sessions");
  app->add_option("--max-sessions-per-token", server.sessions.sessions_per_token,
                  "Maximum number of sessions per named token. 0: three quarters of --max-sessions");
  app->add_option("--queue-seconds", options->queue_seconds,
                  "Time in seconds that a client waits for a free session. 0: the client is rejected at once")
      ->capture_default_str();
  app->add_option("--max-connections", server.door.connections, "Maximum number of connections at once")
      ->capture_default_str();
  app->add_option("--max-devices", server.worker.devices, "Maximum number of devices per session")
      ->capture_default_str();
  app->add_option(
      "--max-live-bytes", quota.live_bytes,
      "Maximum number of bytes held by a session: arrays, programs, runs, replies. 0: the available memory");
  app->add_option("--max-executables", quota.executables, "Maximum number of executables per session")
      ->capture_default_str();
  app->add_option("--max-calls", quota.calls_in_flight, "Maximum number of calls at once per session")
      ->capture_default_str();
  app->add_option("--max-compile-seconds", quota.compile_seconds, "Timeout of a compilation in seconds. 0: no limit");
  app->add_option("--max-run-seconds", quota.run_seconds, "Timeout of a run on its devices in seconds. 0: no limit");
  app->add_option("--max-worker-memory", server.worker.memory_bytes,
                  "Maximum address space of a worker in bytes. 0: no limit");
  app->add_option("--allow-custom-call", server.worker.custom_calls,
                  "Custom-call target that programs may call; can be repeated");
  app->add_option("--grace", options->grace_seconds, "Time in seconds that a session waits for a disconnected client")
      ->capture_default_str();
  app->add_option("--drain", options->drain_seconds, "Time in seconds for sessions to finish after SIGTERM")
      ->capture_default_str();
  return {app, [options] { return serve(*options); }};
}

}  // namespace hilo::tool
