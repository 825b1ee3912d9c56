// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "hilo/base/text.h"
#include "hilo/rpc/command/command_table.h"
#include "tools/hilo/command.h"
#include "tools/hilo/interrupt.h"

namespace hilo::tool {
namespace {

constexpr std::chrono::milliseconds kLook{20};  // polling interval for Ctrl-C

struct TopOptions {
  std::string target;
  double every_seconds = 1;
  int64_t count = 0;
};

/// Waits. Returns false if the command must end.
bool wait(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!interrupted() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLook);
  return !interrupted();
}

Status top(const TopOptions& options) {
  HILO_ASSIGN_OR_RETURN(const rpc::CommandTable* const servers, open_companion<rpc::CommandTable>());
  HILO_ASSIGN_OR_RETURN(const rpc::AskOverview ask, servers->watch_server(options.target));
  // the server queries its workers, whose answers are in the next overview
  HILO_ASSIGN_OR_RETURN(rpc::Overview before, ask());
  const bool is_live = ::isatty(STDOUT_FILENO) == 1;
  catch_interrupts();
  for (int64_t i = 0; (options.count == 0 || i < options.count) && wait(options.every_seconds); ++i) {
    HILO_ASSIGN_OR_RETURN(rpc::Overview now, ask());
    if (is_live) std::fputs("\x1b[H\x1b[J", stdout);  // replaces the previous output
    HILO_RETURN_IF_ERROR(write_result("", servers->overview_text(now, &before)));
    std::fflush(stdout);
    before = std::move(now);
  }
  return ok_status();
}

}  // namespace

Command add_top(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("top", "Show the sessions of a server, their memory and calls per second");
  auto options = std::make_shared<TopOptions>();
  app->add_option("target", options->target, "Address of the server: rpc:host:port")->required();
  app->add_option("--every", options->every_seconds, "Interval between two updates in seconds")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  app->add_option("--count", options->count, "Number of updates. 0: until Ctrl-C")->check(CLI::NonNegativeNumber);
  return {app, [options] { return top(*options); }};
}

}  // namespace hilo::tool
