// SPDX-License-Identifier: Apache-2.0
// tools/hilo/command.h -- the interface of subcommands and the functions that they share.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo::tool {

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

/// A subcommand: its options and the function that runs it.
struct Command {
  CLI::App* app;
  std::function<Status()> run;
};

Command add_run(CLI::App& parent);
Command add_grad(CLI::App& parent);
Command add_opt(CLI::App& parent);
Command add_convert(CLI::App& parent);
Command add_plan(CLI::App& parent);
Command add_simulate(CLI::App& parent);
Command add_compile(CLI::App& parent);
Command add_cache(CLI::App& parent);
Command add_bisect(CLI::App& parent);
Command add_check(CLI::App& parent);
Command add_conformance(CLI::App& parent);
Command add_new(CLI::App& parent);
Command add_serve(CLI::App& parent);
Command add_top(CLI::App& parent);
Command add_plugins(CLI::App& parent);
Command add_info(CLI::App& parent);
Command add_flags(CLI::App& parent);
Command add_completion(CLI::App& parent);
Command add_man(CLI::App& parent);

/// Returns all subcommands, in the order of the help.
std::vector<const CLI::App*> subcommands_of(const CLI::App& root);

/// Returns the text of --version, which is also the beginning of `hilo info`. Opens no library.
std::string info_text();

/// Selects the engine of the command line, "cpu" or "reference", which overrides the flag. Empty keeps the flag.
Status choose_engine(const std::string& engine);

/// Writes a file atomically, or to stdout if the path is empty. For a terminal, control characters are escaped.
Status write_result(const std::string& path, std::string_view text);

}  // namespace hilo::tool
