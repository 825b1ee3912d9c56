// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"

namespace hilo::plugins {
namespace {

constexpr char kWell = 'y', kFailed = 'n';

/// Returns the text that the child writes: one letter, for an error the code in two digits, and the text.
std::string report_of(const StatusOr<std::string>& what) {
  if (what.ok()) return kWell + *what;
  return fmt::format("{}{:02}{}", kFailed, static_cast<int>(what.status().code()), what.status().message());
}

StatusOr<std::string> read_report(std::string_view report) {
  if (report.starts_with(kWell)) return std::string(report.substr(1));
  const std::optional<int64_t> code = parse_int64(report.substr(1, 2));
  return Status(code ? static_cast<StatusCode>(*code) : StatusCode::kUnknown, std::string(report.substr(3)));
}

StatusOr<std::string> describe_plugin(const PluginPlatform& platform) {
  HILO_ASSIGN_OR_RETURN(const Plugin* const plugin, Plugin::open(platform.path));
  const std::string version = "PJRT " + plugin->version_text();
  const StatusOr<ClientPtr> client = make_plugin_client(platform, {});
  if (!client.ok()) return client.status().with_context(version);  // a plugin without a device also has a version
  std::string text = version + "\n";
  for (const auto& [name, value] : plugin->attributes()) text += fmt::format("{} {}\n", name, value);
  for (const DevicePtr& device : (*client)->devices())
    text += fmt::format("{} {}\n", device->to_string(), device->kind());
  return text;
}

[[noreturn]] void be_the_child(const PluginPlatform& platform, int out) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) (void)::dup2(nowhere, standard);
  forget_fork();  // this plugin hasn't been opened yet
  const std::string report = report_of(describe_plugin(platform));
  size_t written = 0;
  while (written < report.size()) {
    const ssize_t bytes = ::write(out, report.data() + written, report.size() - written);
    if (bytes <= 0) break;
    written += bytes;
  }
  ::_exit(0);  // without the plugin's destructors, whose failures don't matter
}

/// Reads from the pipe until it is closed or the time is over.
StatusOr<std::string> read_until(int in, std::chrono::steady_clock::time_point end) {
  std::string text;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Status(StatusCode::kDeadlineExceeded, "it didn't finish in time");
    pollfd waiting{.fd = in, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
    char part[4096];
    const ssize_t bytes = ::read(in, part, sizeof part);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(part, bytes);
  }
}

}  // namespace

StatusOr<std::string> probe_plugin(const PluginPlatform& platform, std::chrono::seconds limit) {
  const auto where = [&] { return fmt::format("plugin {}", quote(platform.path)); };
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_status(errno, "pipe2");
  const pid_t child = ::fork();
  if (child == 0) be_the_child(platform, ends[1]);
  const int why = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return errno_status(why, "fork");
  }
  const StatusOr<std::string> report = read_until(ends[0], std::chrono::steady_clock::now() + limit);
  ::close(ends[0]);
  if (!report.ok()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!report.ok()) return report.status().with_context(where());
  if (report->size() > 1) return read_report(*report);
  return failed_precondition(fmt::format("{} ends the process that creates a client: {}", where(),
                                         WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "it exits"));
}

Status probe_once(const PluginPlatform& platform, const std::string& folder) {
  const StatusOr<std::string> file = file_identity(platform.path);
  if (!file.ok()) return Plugin::open(platform.path).status();  // it reports the error
  std::string key = fmt::format("plugin {}\n{}\n", platform.path, *file);
  for (const auto& [name, value] : platform.options) key += fmt::format("{} {}\n", name, option_text(value));
  const std::string marker = fmt::format("{}/{:016x}.plugin", folder, TextHash()(key));
  const std::string content = fmt::format("{}\n{}", key.size(), key);  // the format of programs in that folder
  if (!folder.empty()) {
    const StatusOr<std::string> known = read_file(marker, 1 << 20);
    if (known.ok() && *known == content) return ok_status();
  }
  HILO_RETURN_IF_ERROR(probe_plugin(platform).status());
  if (!folder.empty() && make_directories(folder).ok())
    (void)write_file_atomic(marker, content, Durability::kCached);  // in this case the next process probes it again
  return ok_status();
}

}  // namespace hilo::plugins
