// SPDX-License-Identifier: Apache-2.0
// base/log.h -- log messages, on stderr or to a sink of the program.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <string_view>

namespace hilo {

enum class LogLevel { kOff, kError, kWarning, kInfo, kDebug };

/// "off", "error", "warning", "info", "debug".
std::string_view log_level_name(LogLevel level);
std::optional<LogLevel> log_level_from_name(std::string_view name);

/// Returns the most detailed level that is shown. The default is HILO_LOG, read on first use, or else warning.
LogLevel log_level();
void set_log_level(LogLevel level);
inline bool log_enabled(LogLevel level) { return level != LogLevel::kOff && level <= log_level(); }

using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Sends messages to `sink` instead of stderr; an empty sink restores stderr. The text has no level, colour or line
/// end. Several threads may call the sink at once, and a message in progress may still reach the old sink after this
/// call. Exceptions of a sink are dropped, so that logging never changes the program's behaviour.
void set_log_sink(LogSink sink);

/// Logs a formatted text.
void log_text(LogLevel level, std::string_view text);
/// Logs `text` unless a message with the same key was logged before.
void log_text_once(LogLevel level, std::string_view key, std::string_view text);

/// Logs a formatted message.
/// Example   log_warning("dumping to {} is off: {}", path, status.to_string());
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kError)) log_text(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kWarning)) log_text(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kInfo)) log_text(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kDebug)) log_text(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
/// Logs a warning once per process and key.
template <typename... Args>
void log_warning_once(std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
  if (!log_enabled(LogLevel::kWarning)) return;
  log_text_once(LogLevel::kWarning, key, fmt::format(format, std::forward<Args>(args)...));
}

/// Returns whether output to the file descriptor may be coloured: it is a terminal, and NO_COLOR is unset or empty.
bool may_colour(int file_descriptor);

}  // namespace hilo
