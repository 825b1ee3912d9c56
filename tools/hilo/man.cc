// SPDX-License-Identifier: Apache-2.0
// tools/hilo/man.cc -- `hilo man`: the man pages, of the same tables as --help.
#include <fmt/format.h>

#include <memory>

#include "hilo/base/text.h"
#include "hilo/version.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

/// Escapes what roff would read as a request: backslashes, hyphens, and points and quotes at the beginning of a line.
std::string roff(std::string_view text) {
  std::string escaped;
  for (size_t k = 0; k < text.size(); ++k) {
    const bool begins_line = k == 0 || text[k - 1] == '\n';
    if (begins_line && (text[k] == '.' || text[k] == '\'')) escaped += "\\&";
    if (text[k] == '\\') escaped += "\\e";
    else if (text[k] == '-') escaped += "\\-";
    else escaped += text[k];
  }
  return escaped;
}

/// Returns text whose line breaks are kept.
std::string paragraphs(std::string_view text) { return text.empty() ? "" : fmt::format(".nf\n{}\n.fi\n", roff(text)); }

/// Returns ".TP", the option with its type, and its description.
std::string entry(const CLI::Option& option) {
  const bool has_value = option.get_items_expected_max() != 0;
  const std::string type = has_value ? fmt::format(" \\fI{}\\fR", roff(option.get_type_name())) : "";
  const std::string name = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name), type, roff(option.get_description()));
}

std::string entries(const CLI::App& app, bool positional) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() == positional && !option->get_group().empty()) text += entry(*option);
  }
  return text;
}

std::string section(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", name, text);
}

std::string header(std::string_view title, std::string_view name, std::string_view description) {
  return fmt::format(".TH {} 1 \"\" \"hilo {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(title),
                     HILO_VERSION_STRING, roff(name), roff(description));
}

std::string subcommand_page(const CLI::App& app) {
  const std::string positional = entries(app, true), options = entries(app, false), name = "hilo-" + app.get_name();
  std::string operands;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) operands += fmt::format(" \\fI{}\\fR", roff(option->get_name(true)));
  }
  return header(ascii_upper(name), name, app.get_description()) +
         section("SYNOPSIS", fmt::format("\\fBhilo {}\\fR [\\fIOPTIONS\\fR]{}\n", app.get_name(), operands)) +
         section("OPERANDS", positional) + section("OPTIONS", options) +
         section("NOTES", paragraphs(trimmed(app.get_footer()))) + section("SEE ALSO", "\\fBhilo\\fR(1)\n");
}

std::string root_page(const CLI::App& root) {
  std::string commands, pages;
  for (const CLI::App* app : subcommands_of(root)) {
    commands += fmt::format(".TP\n\\fBhilo {}\\fR\n{}\n", app->get_name(), roff(app->get_description()));
    pages += fmt::format("{}\\fBhilo\\-{}\\fR(1)", pages.empty() ? "" : ", ", app->get_name());
  }
  return header("HILO", "hilo", "compile, run and inspect programs in HLO and StableHLO") +
         section("SYNOPSIS", "\\fBhilo\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR]\n") +
         section("SUBCOMMANDS", commands) + section("OPTIONS", entries(root, false)) +
         section("NOTES", paragraphs(trimmed(root.get_footer()))) + section("SEE ALSO", pages + "\n");
}

StatusOr<std::string> page(const CLI::App& root, const std::string& subcommand) {
  if (subcommand.empty()) return root_page(root);
  std::vector<std::string> names;
  for (const CLI::App* app : subcommands_of(root)) {
    if (app->get_name() == subcommand) return subcommand_page(*app);
    names.push_back(app->get_name());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return invalid_argument(fmt::format("SUBCOMMAND: got '{}'; wanted one of {}", subcommand, join(known, ", ")));
}

Status write_pages(const CLI::App& root, const std::string& folder) {
  HILO_RETURN_IF_ERROR(write_result(folder + "/hilo.1", root_page(root)));
  for (const CLI::App* app : subcommands_of(root))
    HILO_RETURN_IF_ERROR(write_result(fmt::format("{}/hilo-{}.1", folder, app->get_name()), subcommand_page(*app)));
  return ok_status();
}

struct ManOptions {
  std::string subcommand, folder;
};

Status man(const CLI::App& root, const ManOptions& options) {
  if (!options.folder.empty()) return write_pages(root, options.folder);
  HILO_ASSIGN_OR_RETURN(const std::string text, page(root, options.subcommand));
  return write_result("", text);
}

}  // namespace

Command add_man(CLI::App& parent) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* app = parent.add_subcommand("man", "Print a man page");
  auto* const one =
      app->add_option("SUBCOMMAND", options->subcommand, "Subcommand of the page. Default: the page of hilo itself");
  app->add_option("--folder", options->folder, "Write all pages to this folder: hilo.1, hilo-run.1, ...")
      ->type_name("FOLDER")
      ->excludes(one);
  app->footer("To read it: hilo man run | man -l -");
  return {app, [&parent, options] { return man(parent, *options); }};
}

}  // namespace hilo::tool
