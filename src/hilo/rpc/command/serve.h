// SPDX-License-Identifier: Apache-2.0
// rpc/command/serve.h -- runs the server of `hilo serve`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {

struct ServeOptions {
  ServerOptions server;
  std::string port_file;
  std::string metrics;
  std::string audit = "stderr";
  std::vector<std::string> users;
  double grace_seconds = 60;
  double drain_seconds = 30;
  double queue_seconds = 8;
  /// Prints a line and flushes it, because the parent process may wait for it.
  std::function<Status(std::string_view line)> say;
};

/// Serves until SIGTERM or SIGINT, then waits for sessions to end.
/// Errors    those of check_listen, check_limits and start_server; INVALID_ARGUMENT and NOT_FOUND for unknown users and
///           platforms
Status serve(const ServeOptions& options);

}  // namespace hilo::rpc
