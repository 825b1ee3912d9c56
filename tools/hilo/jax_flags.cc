// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/jax_flags.h"

#include "hilo/base/flag_table.h"

namespace hilo::tool {
namespace {

std::string long_name(const FlagInfo& flag) { return "--" + std::string(flag.name); }

const FlagInfo* flag_of(std::string_view long_name) {
  for (const FlagInfo& flag : kFlags) {
    if (long_name.starts_with("--") && long_name.substr(2) == flag.name) return &flag;
  }
  return nullptr;
}

}  // namespace

void add_jax_flags(CLI::App& app) {
  const CLI::callback_t take = [](const CLI::results_t&) { return true; };  // set_jax_flags reads the values
  for (const FlagInfo& flag : kFlags) {
    const std::string name = long_name(flag);
    CLI::Option* const option =
        flag.is_bool() ? app.add_flag(name + ",!--no" + std::string(flag.name)) : app.add_option(name, take);
    option->take_last()->group("");  // hidden, because the footer lists the flags
  }
  app.footer("Flags. Each can also be set in the environment, in capitals:\n" + flags_help());
}

Status set_jax_flags(const CLI::App& app) {
  for (const FlagInfo& flag : kFlags) {
    const CLI::Option* const option = app.get_option_no_throw(long_name(flag));
    if (option == nullptr || option->count() == 0) continue;
    HILO_RETURN_IF_ERROR(set_from_command_line(flag.name, option->results().back()));
  }
  return ok_status();
}

StatusOr<std::vector<std::string>> with_empty_values(std::span<const std::string> arguments) {
  std::vector<std::string> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      result.insert(result.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    const FlagInfo* const flag = name.size() + 1 == argument.size() ? flag_of(name) : nullptr;
    if (flag == nullptr) {
      result.push_back(argument);
      continue;
    }
    if (flag->is_bool()) HILO_RETURN_IF_ERROR(set_from_command_line(flag->name, ""));  // reports the valid values
    result.emplace_back(name);
    result.emplace_back();
  }
  return result;
}

std::vector<std::string> words_of(const CLI::Option& option) {
  for (const FlagInfo& flag : kFlags) {
    if (!option.check_lname(std::string(flag.name))) continue;
    if (flag.is_bool()) return {"true", "false"};
    if (flag.is_enum()) return {flag.choices.begin(), flag.choices.end()};
    return {};
  }
  const std::string type = option.get_type_name();  // "TEXT:{cpu,reference}"
  const size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

}  // namespace hilo::tool
