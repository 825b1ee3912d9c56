// SPDX-License-Identifier: Apache-2.0
// rpc/server/audit.h -- who did what to a server: a line of JSON for each session, refusal, cut connection and limit,
// for the operator.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "hilo/rpc/worker/frames.h"

namespace hilo::rpc {

struct AuditOptions {
  std::string to = {};                     ///< "stderr", or the path of a file; "": no lines
  int64_t file_bytes = int64_t{16} << 20;  ///< above it FILE becomes FILE.1, FILE.1 becomes FILE.2
  int old_files = 4;
};

struct AuditEvent {
  std::string_view event;       ///< "opened", "refused"
  std::string_view peer = {};   ///< "ipv4:127.0.0.1:1234"
  std::string_view token = {};  ///< its name, never its text
  int64_t session = 0;          ///< its number in `hilo top`; 0: none
  std::string_view cause = {};
};

/// Writes events on its own thread. Safe to use from several threads at once. A reader or a disk that is slow loses
/// lines, and the next line says how many: it never holds up the server. Strangers can't push out lines about sessions.
class Audit {
 public:
  /// Opens the file, which is created with mode 600. Null for no lines.
  /// Errors    as errno_status; RESOURCE_EXHAUSTED without a thread
  static StatusOr<std::unique_ptr<Audit>> open(const AuditOptions& options);
  /// Writes the lines that are queued, unless nothing reads them.
  ~Audit();
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  /// Queues a line. Never waits for a reader or a disk.
  void record(const AuditEvent& event);

 private:
  explicit Audit(AuditOptions options) : options_(std::move(options)) {}
  Status open_file();
  void write_lines();
  bool write_line(const std::string& line);
  void rotate();

  const AuditOptions options_;
  // Of the thread alone.
  OwnedFile file_;
  int64_t size_ = 0;  // of the file

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  int64_t lost_ = 0;  // since the last line that was written
  bool is_over_ = false;
  std::thread thread_;
};

/// The line of an event without its end; texts above 200 bytes are cut.
std::string audit_line(const AuditEvent& event, int64_t unix_milliseconds, int64_t lost);

}  // namespace hilo::rpc
