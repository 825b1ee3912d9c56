// SPDX-License-Identifier: Apache-2.0
// The command hilo. Exit codes: 0 success, 1 error of the program or its input, 2 wrong usage, 130 interrupted.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "hilo/base/log.h"
#include "hilo/base/text.h"
#include "hilo/rpc/command/command_table.h"
#include "tools/hilo/command.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/jax_flags.h"

namespace hilo::tool {
namespace {

int fail(const Status& status, int exit_code) {
  const bool colour = may_colour(STDERR_FILENO);
  std::fprintf(stderr, "%shilo: %s%s\n", colour ? "\x1b[31m" : "", printable(status.to_string()).c_str(),
               colour ? "\x1b[0m" : "");
  return exit_code;
}

/// Ends the process without waiting for calls of a library that are still running.
[[noreturn]] void end_now(int exit_code) {
  std::fflush(nullptr);
  if (const auto* const servers = opened_companion<rpc::CommandTable>(); servers != nullptr) servers->end_sessions();
  ::_exit(exit_code);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Reports unknown subcommands and options with the most similar name.
Status check_names(const CLI::App& root, const std::vector<std::string>& arguments) {
  const auto unknown = [](std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    return invalid_argument(std::string(kind) + ": got " + quote(name) + "; wanted one of " + join(candidates, ", ") +
                            "." + did_you_mean(name, candidates));
  };
  const CLI::App* app = &root;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with("--")) {
      const std::vector<std::string> known = option_names(*app);
      if (std::find(known.begin(), known.end(), name) == known.end()) return unknown("unknown flag", name, known);
    } else if (app == &root && !argument.starts_with("-")) {
      std::vector<std::string> known;
      for (const CLI::App* sub : subcommands_of(root)) {
        known.push_back(sub->get_name());
        if (sub->get_name() == argument) app = sub;
      }
      if (app == &root) return unknown("unknown subcommand", argument, known);
    }
  }
  return ok_status();
}

int parse_and_run(std::vector<std::string> arguments) {
  CLI::App root("hilo: JAX and XLA in C++. Compiles, runs and inspects HLO programs.", "hilo");
  root.set_version_flag("--version", [] { return std::string(trimmed(info_text())); });
  root.require_subcommand(1);
  root.footer(
      "Exit codes: 0 success, 1 the program or its input failed, 2 wrong usage, 130 interrupted.\n`hilo SUBCOMMAND "
      "--help` lists the options of a subcommand.");
  const std::vector<Command> commands = {
      add_run(root),         add_grad(root),    add_opt(root),        add_convert(root), add_plan(root),
      add_simulate(root),    add_compile(root), add_cache(root),      add_bisect(root),  add_check(root),
      add_conformance(root), add_new(root),     add_serve(root),      add_top(root),     add_plugins(root),
      add_info(root),        add_flags(root),   add_completion(root), add_man(root)};
  StatusOr<std::vector<std::string>> separated = with_empty_values(arguments);
  if (!separated.ok()) return fail(separated.status(), kExitUsage);
  arguments = *std::move(separated);
  if (const Status known = check_names(root, arguments); !known.ok()) return fail(known, kExitUsage);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 reads them from the end
    root.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return root.exit(error);  // --help, --version
    return fail(invalid_argument(std::string(error.what()) + ". Hint: hilo --help"), kExitUsage);
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (const Status set = set_jax_flags(*command.app); !set.ok()) return fail(set, kExitUsage);
    const Status done = command.run();
    if (out_of_processor_time()) return fail(cancelled("no CPU time is left (ulimit -t)"), kExitInterrupted);
    if (interrupted()) return kExitInterrupted;
    if (done.code() == StatusCode::kDeadlineExceeded) end_now(fail(done, kExitFailure));
    if (!done.ok()) return fail(done, kExitFailure);
  }
  return 0;
}

}  // namespace
}  // namespace hilo::tool

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == hilo::rpc::kHelperArgument) {
    const auto servers = hilo::open_companion<hilo::rpc::CommandTable>();
    return servers.ok() ? (*servers)->help_server(std::span(argv + 1, argv + argc))
                        : hilo::tool::fail(servers.status(), hilo::tool::kExitFailure);
  }
  hilo::tool::catch_interrupts();
  try {
    return hilo::tool::parse_and_run(std::vector<std::string>(argv + 1, argv + std::max(argc, 1)));
  } catch (const std::bad_alloc&) {
    return hilo::tool::fail(hilo::resource_exhausted("not enough memory"), hilo::tool::kExitFailure);
  } catch (const std::exception& error) {
    return hilo::tool::fail(hilo::internal_error(error.what()), hilo::tool::kExitFailure);
  }
}
