// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include "hilo/rpc/command/command_table.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

Status say(std::string_view line) {
  HILO_RETURN_IF_ERROR(write_result("", line));
  std::fflush(stdout);
  return ok_status();
}

}  // namespace

Command add_serve(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "serve",
      "Serve local devices over gRPC to clients with --jax_xla_backend=xrt --jax_backend_target=rpc:host:port");
  auto options = std::make_shared<rpc::ServeOptions>();
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
  return {app, [options]() -> Status {
            HILO_ASSIGN_OR_RETURN(const rpc::CommandTable* const servers, open_companion<rpc::CommandTable>());
            options->say = say;
            return servers->serve(*options);
          }};
}

}  // namespace hilo::tool
