// SPDX-License-Identifier: Apache-2.0
// rpc/command/command_table.h -- the functions of libhilo_rpc.so for the command hilo.
#pragma once

#include <span>

#include "hilo/base/companion.h"
#include "hilo/rpc/command/serve.h"
#include "hilo/rpc/overview.h"
#include "hilo/rpc/worker/zygote.h"

namespace hilo::rpc {

struct CommandTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_rpc.so", "hilo_rpc_command", "`hilo serve`",
                                         "build and install the target hilo_rpc"};
  Status (*serve)(const ServeOptions& options);
  StatusOr<AskOverview> (*watch_server)(std::string_view target);
  std::string (*overview_text)(const Overview& now, const Overview* before);
  int (*help_server)(std::span<const char* const> arguments);
  void (*end_sessions)();
};

}  // namespace hilo::rpc
