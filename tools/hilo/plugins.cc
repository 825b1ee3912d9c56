// SPDX-License-Identifier: Apache-2.0
// tools/hilo/plugins.cc -- `hilo plugins`: lists the PJRT plugins in a folder and the flag that registers them as
// platforms.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "hilo/backend/pjrt/discovery.h"
#include "hilo/backend/pjrt/probe.h"
#include "hilo/base/text.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

/// Returns Python's folder of packages, which is the default.
std::string default_folder() {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  return environment != nullptr && environment[0] != '\0' ? environment : "/usr/local/lib";
}

std::string indented(std::string_view text) {
  std::string out = "    ";
  for (const char c : trimmed(text)) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return out + "\n";
}

Status print_plugins(const std::string& folder) {
  HILO_ASSIGN_OR_RETURN(const std::vector<plugins::FoundPlugin> found, plugins::find_plugins(folder));
  if (found.empty()) return write_result("", fmt::format("{}: no PJRT plugin found\n", folder));
  ::setenv("TPU_SKIP_MDS_QUERY", "1", /*overwrite=*/0);  // otherwise libtpu queries a cloud server for minutes
  std::string text;
  for (const plugins::FoundPlugin& plugin : found) {
    const StatusOr<std::string> what = plugins::probe_plugin({.name = plugin.name, .path = plugin.path});
    text += fmt::format("{}\n{}    --hilo_pjrt_plugins={}:{}\n", plugin.path,
                        indented(what.ok() ? *what : what.status().to_string()), plugin.name, plugin.path);
  }
  return write_result("", text);
}

}  // namespace

Command add_plugins(CLI::App& parent) {
  auto folder = std::make_shared<std::string>(default_folder());
  CLI::App* app =
      parent.add_subcommand("plugins", "List the PJRT plugins in a folder, with the flag that selects each");
  app->add_option("folder", *folder, "Python virtual environment, or any other folder")->capture_default_str();
  return {app, [folder] { return print_plugins(*folder); }};
}

}  // namespace hilo::tool
