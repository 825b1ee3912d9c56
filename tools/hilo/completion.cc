// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "tools/hilo/command.h"
#include "tools/hilo/jax_flags.h"

namespace hilo::tool {
namespace {

std::string joined(const std::vector<std::string>& words) { return CLI::detail::join(words, " "); }

std::vector<std::string> subcommand_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* app : subcommands_of(root)) names.push_back(app->get_name());
  return names;
}

/// Returns "    run) options='--input ...' ;;".
std::string options_case(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return fmt::format("    {}) options='{}' ;;\n", app.get_name(), joined(names));
}

/// Returns "    --engine) COMPREPLY=(...); return ;;" for each option with a fixed set of values.
std::string values_cases(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string> words = words_of(*option);
    if (words.empty() || option->get_lnames().empty()) continue;
    text += fmt::format("    '{} --{}') values='{}' ;;\n", app.get_name(), option->get_lnames()[0], joined(words));
  }
  return text;
}

/// Returns a completion script for bash, and for zsh with its bashcompinit. It completes options after the subcommand,
/// values after "--x=" and "--x ", and otherwise file names.
std::string completion_script(const CLI::App& root) {
  std::string options, values;
  for (const CLI::App* app : subcommands_of(root)) {
    options += options_case(*app);
    values += values_cases(*app);
  }
  return fmt::format(R"(# Completion of the command hilo for bash and zsh: source <(hilo completion)
if [ -n "${{ZSH_VERSION:-}}" ]; then autoload -U +X bashcompinit && bashcompinit; fi
_hilo() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' values=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  if [ "$before" = = ]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if [ "$current" = = ]; then before=${{COMP_WORDS[COMP_CWORD-1]}} current=''; fi
  case "${{COMP_WORDS[1]}} $before" in
{}  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
  esac
}}
complete -o default -F _hilo hilo
)",
                     joined(subcommand_names(root)), values, options);
}

/// Returns text in single quotes for fish.
std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "'";
}

/// Returns a line for each option of a subcommand. Options that take a file keep fish's completion of names.
std::string fish_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::vector<std::string> words = words_of(*option);
    const std::string values = words.empty() ? "" : fmt::format(" -x -a '{}'", joined(words));
    text += fmt::format("complete -c hilo -n '__fish_seen_subcommand_from {}' -l {}{}{} -d {}\n", app.get_name(),
                        option->get_lnames()[0], words.empty() && option->get_items_expected_max() != 0 ? " -r" : "",
                        values, fish_quoted(option->get_description()));
  }
  return text;
}

std::string fish_script(const CLI::App& root) {
  std::string text = "# Completion of the command hilo for fish: hilo completion --shell fish | source\n";
  for (const CLI::App* app : subcommands_of(root)) {
    text += fmt::format("complete -c hilo -n __fish_use_subcommand -f -a {} -d {}\n", app->get_name(),
                        fish_quoted(app->get_description()));
    text += fish_options(*app);
  }
  return text;
}

}  // namespace

std::vector<const CLI::App*> subcommands_of(const CLI::App& root) {
  return root.get_subcommands([](const CLI::App*) { return true; });
}

Command add_completion(CLI::App& parent) {
  auto shell = std::make_shared<std::string>("bash");
  CLI::App* app = parent.add_subcommand("completion", "Print a completion script for bash, zsh and fish");
  app->add_option("--shell", *shell, "Shell: bash, zsh or fish. Default: bash, whose script zsh reads too")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app->footer("To use it: source <(hilo completion), or in fish: hilo completion --shell fish | source");
  return {app, [&parent, shell] {
            return write_result("", *shell == "fish" ? fish_script(parent) : completion_script(parent));
          }};
}

}  // namespace hilo::tool
