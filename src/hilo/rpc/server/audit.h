// SPDX-License-Identifier: Apache-2.0
// rpc/server/audit.h -- the audit log of a server: a JSON line for each session, rejection, cut connection and exceeded
// limit.
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
  std::string to = {};                     ///< "stderr" or the path of a file; "" means no log
  int64_t file_bytes = int64_t{16} << 20;  ///< size at which FILE is renamed to FILE.1, and FILE.1 to FILE.2
  int old_files = 4;
};

struct AuditEvent {
  std::string_view event;       ///< "opened", "refused"
  std::string_view peer = {};   ///< "ipv4:127.0.0.1:1234"
  std::string_view token = {};  ///< name of the token, never its text
  int64_t session = 0;          ///< number of the session in `hilo top`; 0 means none
  std::string_view cause = {};
};

/// Writes events on a separate thread. Thread-safe. It never delays the server: if a reader or disk is slow, lines are
/// dropped, and the next line contains their number. Lines about strangers can't displace lines about sessions.
class Audit {
 public:
  /// Opens the file, which is created with mode 600. Returns null if there is no log.
  /// Errors    those of errno_status; RESOURCE_EXHAUSTED without a thread
  static StatusOr<std::unique_ptr<Audit>> open(const AuditOptions& options);
  /// Writes the queued lines, unless the reader is stuck.
  ~Audit();
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  /// Queues a line without blocking.
  void record(const AuditEvent& event);

 private:
  explicit Audit(AuditOptions options) : options_(std::move(options)) {}
  Status open_file();
  void write_lines();
  bool write_line(const std::string& line);
  void rotate();

  const AuditOptions options_;
  // Used by the thread only.
  OwnedFile file_;
  int64_t size_ = 0;  // size of the file

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  int64_t lost_ = 0;  // lines dropped since the last written line
  bool is_over_ = false;
  std::thread thread_;
};

/// Formats an event as a line without a line end. Texts above 200 bytes are cut.
std::string audit_line(const AuditEvent& event, int64_t unix_milliseconds, int64_t lost);

}  // namespace hilo::rpc
