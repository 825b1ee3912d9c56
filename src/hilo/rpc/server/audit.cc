// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/audit.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>

#include "hilo/base/files.h"
#include "hilo/base/json.h"
#include "hilo/base/start_thread.h"

namespace hilo::rpc {
namespace {

// maximum bytes of a peer or a cause, so that an escaped line can be written to a pipe at once
constexpr size_t kMaxText = 200;
constexpr size_t kMaxLines = 4096;      // maximum number of queued lines
constexpr size_t kMaxStrangers = 1024;  // number of queued lines above which only lines about sessions are accepted
constexpr int kLookMilliseconds = 100;  // interval of checks while a reader is stuck

bool is_of_session(const AuditEvent& event) { return event.event == "opened" || event.event == "closed"; }

int64_t now_in_milliseconds() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string audit_line(const AuditEvent& event, int64_t unix_milliseconds, int64_t lost) {
  const auto time = fmt::gmtime(static_cast<std::time_t>(unix_milliseconds / 1000));
  std::string line = fmt::format("{{\"time\": \"{:%Y-%m-%dT%H:%M:%S}.{:03}Z\"", time, unix_milliseconds % 1000);
  const auto add = [&line](std::string_view name, std::string_view text) {
    if (!text.empty()) line += fmt::format(", \"{}\": {}", name, json_string(text.substr(0, kMaxText)));
  };
  add("event", event.event);
  add("peer", event.peer);
  add("token", event.token);
  if (event.session != 0) line += fmt::format(", \"session\": {}", event.session);
  add("cause", event.cause);
  if (lost != 0) line += fmt::format(", \"lost\": {}", lost);
  return line + "}";
}

StatusOr<std::unique_ptr<Audit>> Audit::open(const AuditOptions& options) {
  if (options.to.empty()) return std::unique_ptr<Audit>();
  std::unique_ptr<Audit> audit(new Audit(options));
  HILO_RETURN_IF_ERROR(audit->open_file());
  HILO_ASSIGN_OR_RETURN(audit->thread_, start_thread("for audit lines", [all = audit.get()] { all->write_lines(); }));
  return audit;
}

Audit::~Audit() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Audit::record(const AuditEvent& event) {
  {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() >= (is_of_session(event) ? kMaxLines : kMaxStrangers)) {
      ++lost_;
      return;
    }
    lines_.push_back(audit_line(event, now_in_milliseconds(), std::exchange(lost_, 0)) + "\n");
  }
  changed_.notify_one();
}

void Audit::write_lines() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_over_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::string line = std::move(lines_.front());
    lines_.pop_front();
    lock.unlock();
    const bool is_written = write_line(line);
    lock.lock();
    if (!is_written) ++lost_;
    if (!is_written && is_over_) return;
  }
}

// ---- Files.

Status Audit::open_file() {
  const bool is_stderr = options_.to == "stderr";
  file_ =
      OwnedFile(is_stderr ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                          : ::open(options_.to.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat about{};
  if (file_.get() < 0 || ::fstat(file_.get(), &about) != 0) return errno_status(errno, "audit: " + options_.to);
  size_ = !is_stderr && S_ISREG(about.st_mode) ? static_cast<int64_t>(about.st_size) : -1;
  return ok_status();
}

/// Writes a line. To a pipe or terminal it writes only if there is room for the complete line.
bool Audit::write_line(const std::string& line) {
  if (size_ > 0 && size_ + std::ssize(line) > options_.file_bytes) rotate();
  for (pollfd room{.fd = file_.get(), .events = POLLOUT, .revents = 0}; ::poll(&room, 1, kLookMilliseconds) == 0;) {
    const std::scoped_lock lock(mutex_);
    if (is_over_) return false;
  }
  const ssize_t written = ::write(file_.get(), line.data(), line.size());
  if (size_ < 0) return written > 0;
  if (written == std::ssize(line)) {
    size_ += written;
    return true;
  }
  if (written > 0) static_cast<void>(::ftruncate(file_.get(), size_));  // the disk is full: remove the partial line
  return false;
}

void Audit::rotate() {
  const auto name = [this](int age) { return age == 0 ? options_.to : fmt::format("{}.{}", options_.to, age); };
  if (file_exists(options_.to)) {  // otherwise the last attempt has renamed it
    for (int age = options_.old_files; age > 0; --age) ::rename(name(age - 1).c_str(), name(age).c_str());
    if (options_.old_files == 0) ::unlink(options_.to.c_str());
  }
  OwnedFile last = std::move(file_);
  if (!open_file().ok()) file_ = std::move(last);  // continue with the renamed file
}

}  // namespace hilo::rpc
