// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/log.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "hilo/base/sizes.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

constexpr std::array<std::string_view, 5> kLevelNames = {"off", "error", "warning", "info", "debug"};
constexpr LogLevel kDefaultLevel = LogLevel::kWarning;
constexpr int kUnread = -1;  // HILO_LOG has not been read yet

std::atomic<int> level_now{kUnread};

struct Sinks {
  std::mutex mutex;
  std::shared_ptr<const LogSink> sink;  // null means stderr
  std::set<std::string, std::less<>> logged_keys;
};

// Never destroyed: destructors of other objects may log.
Sinks& sinks() {
  static Sinks* instance = new Sinks;
  return *instance;
}

std::string_view colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return "\x1b[31m";
    case LogLevel::kWarning: return "\x1b[33m";
    case LogLevel::kOff:
    case LogLevel::kInfo:
    case LogLevel::kDebug: break;
  }
  return "\x1b[2m";
}

// Writes each message by one call, so that lines of several threads or processes don't mix.
void write_to_stderr(LogLevel level, std::string_view text) {
  std::string line;
  line.reserve(text.size() + 32);
  line += "hilo: ";
  if (may_colour(STDERR_FILENO)) {
    line.append(colour_of(level)).append(log_level_name(level)).append("\x1b[0m");
  } else {
    line.append(log_level_name(level));
  }
  line.append(": ").append(printable(text)).append("\n");
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(written);
  }
}

LogLevel read_level() {
  const char* text = std::getenv("HILO_LOG");
  const std::optional<LogLevel> level = text == nullptr ? kDefaultLevel : log_level_from_name(text);
  // The level must be set before the warning below, which reads it.
  int unread = kUnread;
  const bool first = level_now.compare_exchange_strong(unread, static_cast<int>(level.value_or(kDefaultLevel)));
  if (first && !level) {
    log_warning("HILO_LOG: unknown level; got {}; wanted one of {}; using {}", quote(text), join(kLevelNames, ", "),
                log_level_name(kDefaultLevel));
  }
  return static_cast<LogLevel>(level_now.load());
}

}  // namespace

std::string_view log_level_name(LogLevel level) { return kLevelNames[ordinal(level)]; }

std::optional<LogLevel> log_level_from_name(std::string_view name) {
  const std::string lower = ascii_lower(name);
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (lower == kLevelNames[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

LogLevel log_level() {
  const int level = level_now.load(std::memory_order_relaxed);
  return level == kUnread ? read_level() : static_cast<LogLevel>(level);
}

void set_log_level(LogLevel level) { level_now.store(static_cast<int>(level)); }

void set_log_sink(LogSink sink) {
  std::shared_ptr<const LogSink> next;
  if (sink) next = std::make_shared<const LogSink>(std::move(sink));
  std::lock_guard lock(sinks().mutex);
  sinks().sink.swap(next);
}

void log_text(LogLevel level, std::string_view text) {
  if (!log_enabled(level)) return;
  std::shared_ptr<const LogSink> sink;
  {
    std::lock_guard lock(sinks().mutex);
    sink = sinks().sink;
  }
  if (sink == nullptr) {
    write_to_stderr(level, text);
    return;
  }
  try {  // outside the lock, because a sink may log
    (*sink)(level, text);
  } catch (...) {  // NOLINT: the header promises this
  }
}

void log_text_once(LogLevel level, std::string_view key, std::string_view text) {
  if (!log_enabled(level)) return;
  {
    std::lock_guard lock(sinks().mutex);
    if (!sinks().logged_keys.emplace(key).second) return;
  }
  log_text(level, text);
}

bool may_colour(int file_descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return (no_colour == nullptr || *no_colour == '\0') && ::isatty(file_descriptor) == 1;
}

}  // namespace hilo
