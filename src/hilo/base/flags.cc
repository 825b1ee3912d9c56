// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <variant>
#include <vector>

#include "hilo/base/flag_table.h"
#include "hilo/base/text.h"
#include "hilo/base/thread_own.h"

namespace hilo {
namespace {

struct Variable {
  std::string name, text;
};

// The values that were set for one flag, highest precedence first.
struct Settings {
  std::optional<std::string> code;
  std::optional<std::string> command_line;
  std::optional<Variable> environment;
};

enum class X64 : int { kUnknown, kOff, kOn };

struct Store {
  std::mutex mutex;
  bool environment_read = false;
  std::array<Settings, kFlags.size()> settings;
  std::shared_ptr<const FlagValues> values;  // null means that it must be computed again
  std::atomic<uint64_t> version{1};
  std::atomic<X64> x64{X64::kUnknown};
};

// Never destroyed: flags may be read while the process ends.
Store& store() {
  static Store* instance = new Store;
  return *instance;
}

std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"y", "yes", "t", "true", "on", "1"};
  constexpr std::array<std::string_view, 6> kFalse = {"n", "no", "f", "false", "off", "0"};
  const std::string lower = ascii_lower(text);
  if (std::ranges::find(kTrue, lower) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, lower) != kFalse.end()) return false;
  return std::nullopt;
}

// Parses `text` as the flag's value and stores it in `values`. Returns false if it is invalid.
bool parse_into(const FlagInfo& flag, std::string_view text, FlagValues& values) {
  if (const auto* field = std::get_if<bool FlagValues::*>(&flag.field)) {
    const std::optional<bool> value = parse_bool(text);
    if (value) values.*(*field) = *value;
    return value.has_value();
  }
  if (const auto* field = std::get_if<int64_t FlagValues::*>(&flag.field)) {
    const std::optional<int64_t> value = parse_int64(text);
    if (!value || *value < flag.minimum) return false;
    values.*(*field) = *value;
    return true;
  }
  if (const auto* field = std::get_if<std::string FlagValues::*>(&flag.field)) {
    if (flag.is_enum() && std::ranges::find(flag.choices, text) == flag.choices.end()) return false;
    values.*(*field) = text;
    return true;
  }
  values.*std::get<std::optional<std::string> FlagValues::*>(flag.field) = std::string(text);
  return true;
}

Status misfit(std::string_view source, const FlagInfo& flag, std::string_view text) {
  std::string hint;
  if (flag.is_bool()) hint = " Hint: y, yes, t, true, on, 1 or n, no, f, false, off, 0";
  if (flag.is_enum()) hint = did_you_mean(text, flag.choices);
  return invalid_argument(
      fmt::format("{}: value does not fit; got {}; wanted {}.{}", source, quote(text), flag_values_text(flag), hint));
}

Status check(std::string_view source, const FlagInfo& flag, std::string_view text) {
  FlagValues scratch = {};
  return parse_into(flag, text, scratch) ? ok_status() : misfit(source, flag, text);
}

const FlagInfo* find_flag(std::string_view name) {
  for (const FlagInfo& flag : kFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

Status unknown_flag(std::string_view source, std::string_view name) {
  std::vector<std::string_view> names;
  for (const FlagInfo& flag : kFlags) names.push_back(flag.name);
  return invalid_argument(fmt::format("{}: unknown flag.{}", quote(source), did_you_mean(name, names)));
}

std::optional<Variable> variable_of(const FlagInfo& flag) {
  for (const std::string& name : {std::string(flag.own_variable), environment_name(flag)}) {
    const char* const text = name.empty() ? nullptr : std::getenv(name.c_str());
    if (text != nullptr) return Variable{name, text};
  }
  return std::nullopt;
}

// Reads the environment. Precondition: the caller holds the lock.
void read_environment(Store& s) {
  if (s.environment_read) return;
  s.environment_read = true;
  for (size_t i = 0; i < kFlags.size(); ++i) s.settings[i].environment = variable_of(kFlags[i]);
}

void changed(Store& s) {
  s.values = nullptr;
  s.x64.store(X64::kUnknown, std::memory_order_relaxed);
  s.version.fetch_add(1, std::memory_order_release);
}

StatusOr<std::shared_ptr<const FlagValues>> work_out(Store& s) {
  read_environment(s);
  auto values = std::make_shared<FlagValues>();
  for (size_t i = 0; i < kFlags.size(); ++i) {
    const FlagInfo& flag = kFlags[i];
    const Settings& settings = s.settings[i];
    if (settings.code || settings.command_line) {  // was checked when it was set
      parse_into(flag, settings.code ? *settings.code : *settings.command_line, *values);
    } else if (settings.environment) {
      if (!parse_into(flag, settings.environment->text, *values))
        return misfit(settings.environment->name, flag, settings.environment->text);
    } else if (flag.default_text) {
      parse_into(flag, *flag.default_text, *values);
    }
  }
  return std::shared_ptr<const FlagValues>(std::move(values));
}

Status set_in_code(const FlagInfo& flag, std::string_view text) {
  HILO_RETURN_IF_ERROR(check(flag.name, flag, text));
  Store& s = store();
  std::lock_guard lock(s.mutex);
  s.settings[&flag - kFlags.data()].code = std::string(text);
  changed(s);
  return ok_status();
}

Status wrong_kind(const FlagInfo& flag, std::string_view got) {
  return invalid_argument(
      fmt::format("{}: value of another type; got {}; wanted {}.", flag.name, got, flag_values_text(flag)));
}

// A thread's last snapshot, so that reading flags needs no lock.
struct Snapshot {
  uint64_t version = 0;
  std::shared_ptr<const FlagValues> values;
};

// Wraps `text` into lines of at most `width` columns, each with the prefix `indent`.
std::string wrapped(std::string_view text, std::string_view indent, size_t width) {
  std::string result;
  size_t column = width;  // the first word begins a line
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (column + 1 + word.size() > width) {
      result.append(result.empty() ? "" : "\n").append(indent);
      column = indent.size();
    } else {
      result += " ";
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return result + "\n";
}

std::string default_in_words(const FlagInfo& flag) {
  if (!flag.default_text) return "none";
  return flag.default_text->empty() ? "empty" : std::string(*flag.default_text);
}

}  // namespace

StatusOr<std::shared_ptr<const FlagValues>> flags() {
  auto& snapshot = thread_own<Snapshot>();
  Store& s = store();
  if (snapshot.version == s.version.load(std::memory_order_acquire)) return snapshot.values;
  std::lock_guard lock(s.mutex);
  if (s.values == nullptr) {
    HILO_ASSIGN_OR_RETURN(s.values, work_out(s));
    s.x64.store(s.values->jax_enable_x64 ? X64::kOn : X64::kOff, std::memory_order_release);
  }
  snapshot = {s.version.load(std::memory_order_relaxed), s.values};
  return snapshot.values;
}

StatusOr<bool> x64_enabled() {
  const X64 known = store().x64.load(std::memory_order_acquire);
  if (known != X64::kUnknown) return known == X64::kOn;
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const FlagValues> values, flags());
  return values->jax_enable_x64;
}

uint64_t flags_version() { return store().version.load(std::memory_order_acquire); }

Config& config() {
  static Config instance;
  return instance;
}

Status Config::set(std::string_view name, std::string_view value) {
  const FlagInfo* flag = find_flag(name);
  return flag == nullptr ? unknown_flag(name, name) : set_in_code(*flag, value);
}

Status Config::set_bool(std::string_view name, bool value) {
  const FlagInfo* flag = find_flag(name);
  if (flag == nullptr) return unknown_flag(name, name);
  const std::string_view text = value ? "true" : "false";
  return flag->is_bool() ? set_in_code(*flag, text) : wrong_kind(*flag, text);
}

Status Config::set_integer(std::string_view name, int64_t value) {
  const FlagInfo* flag = find_flag(name);
  if (flag == nullptr) return unknown_flag(name, name);
  const std::string text = std::to_string(value);
  return flag->is_integer() ? set_in_code(*flag, text) : wrong_kind(*flag, text);
}

Status Config::unset(std::string_view name) {
  const FlagInfo* flag = find_flag(name);
  if (flag == nullptr) return unknown_flag(name, name);
  Store& s = store();
  std::lock_guard lock(s.mutex);
  s.settings[flag - kFlags.data()].code.reset();
  changed(s);
  return ok_status();
}

Status set_from_command_line(std::string_view name, std::optional<std::string_view> value) {
  std::string_view bare = name;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  const FlagInfo* flag = find_flag(bare);
  if (flag == nullptr && !value && bare.starts_with("no")) {
    const FlagInfo* negated = find_flag(bare.substr(2));
    if (negated != nullptr && negated->is_bool()) {
      flag = negated;
      value = "false";
    }
  }
  if (flag == nullptr) return unknown_flag(name, bare);
  const std::string source = fmt::format("--{}", flag->name);
  if (!value && !flag->is_bool()) {
    return invalid_argument(fmt::format("{}: value missing; wanted {}.", source, flag_values_text(*flag)));
  }
  const std::string_view text = value.value_or("true");
  HILO_RETURN_IF_ERROR(check(source, *flag, text));
  Store& s = store();
  std::lock_guard lock(s.mutex);
  s.settings[flag - kFlags.data()].command_line = std::string(text);
  changed(s);
  return ok_status();
}

void reset_flags() {
  Store& s = store();
  std::lock_guard lock(s.mutex);
  s.settings = {};
  s.environment_read = false;
  changed(s);
}

std::string environment_name(const FlagInfo& flag) { return ascii_upper(flag.name); }

std::string flag_values_text(const FlagInfo& flag) {
  if (flag.is_bool()) return "true or false";
  if (flag.is_integer()) return fmt::format("an integer >= {}", flag.minimum);
  return flag.is_enum() ? join(flag.choices, " or ") : "text";
}

std::string flags_help() {
  constexpr size_t kWidth = 100;  // columns
  std::string text;
  for (const FlagInfo& flag : kFlags) {
    text += fmt::format("  --{} ({}; default: {})\n", flag.name, flag_values_text(flag), default_in_words(flag));
    text += wrapped(flag.help, "      ", kWidth);
  }
  return text;
}

std::string flags_markdown() {
  std::string text =
      "# Flags\n\n"
      "Generated from the table in `src/hilo/base/flag_table.h`; a test compares the two.\n\n"
      "A value set in code (`hilo::config().update(\"jax_enable_x64\", true)`) takes precedence over the command line\n"
      "(`--jax_enable_x64=true`), the command line over the environment (`JAX_ENABLE_X64=true`), and the environment "
      "over\n"
      "the default. Booleans accept y, yes, t, true, on, 1 and n, no, f, false, off, 0, in upper or lower case.\n"
      "The environment is read when hilo first needs a flag.\n\n"
      "| flag | environment | values | default | meaning |\n"
      "|---|---|---|---|---|\n";
  for (const FlagInfo& flag : kFlags) {
    const std::string own =
        flag.own_variable.empty() ? "" : fmt::format(", or `{}`, which takes precedence", flag.own_variable);
    text += fmt::format("| `--{}` | `{}`{} | {} | {} | {} |\n", flag.name, environment_name(flag), own,
                        flag_values_text(flag), default_in_words(flag), flag.help);
  }
  text += "\n## Other environment variables\n\n| variable | default | meaning |\n|---|---|---|\n";
  for (const EnvironmentVariable& variable : kEnvironmentVariables) {
    text += fmt::format("| `{}` | {} | {} |\n", variable.name, variable.default_text, variable.help);
  }
  return text;
}

}  // namespace hilo
