// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"

namespace hilo::rpc {
namespace {

std::string bytes(int64_t count) { return bytes_text(static_cast<uint64_t>(std::max<int64_t>(count, 0))); }

/// Formats a duration: "3 s", "12 min", "2.5 h".
std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

double rate(int64_t now, int64_t before, double seconds) {
  return seconds > 0 ? (static_cast<double>(now) - static_cast<double>(before)) / seconds : 0;
}

const SessionOverview* session_of(const Overview* overview, int64_t number) {
  if (overview == nullptr) return nullptr;
  const auto found = std::ranges::find(overview->sessions, number, &SessionOverview::number);
  return found == overview->sessions.end() ? nullptr : &*found;
}

std::string session_text(const SessionOverview& session, const SessionOverview* before) {
  const double calls = before == nullptr ? rate(session.replies, 0, session.seconds)
                                         : rate(session.replies, before->replies, session.seconds - before->seconds);
  const std::string line = fmt::format("{:>7}  {:>7}  {:>10.0f}", session.number, time_text(session.seconds), calls);
  // The last report is old if the worker is busy or its client reads nothing.
  const SessionReport& report = session.report;
  const std::string age = session.report_seconds < 0
                              ? fmt::format("{:>8}  {:>8}  {:>10}  {:>8}  {:>10}", "", "", "", "", "")
                              : fmt::format("{:>8}  {:>8}  {:>10}  {:>8}  {:>10}", report.calls, report.buffers,
                                            bytes(report.live_bytes), report.executables, bytes(report.memory_bytes));
  std::string text = fmt::format("{}  {:>6}{}", line, session.waiting, age);
  if (session.report_seconds > 10) text += fmt::format("  of {} ago", time_text(session.report_seconds));
  if (!session.has_client) text += "  waits for its client";
  while (text.ends_with(' ')) text.pop_back();
  return text + "\n";
}

}  // namespace

std::string overview_text(const Overview& now, const Overview* before) {
  const double calls = before == nullptr ? rate(now.replies, 0, now.seconds)
                                         : rate(now.replies, before->replies, now.seconds - before->seconds);
  std::string text = fmt::format(
      "hilo {}, up {}: {} sessions of {} begun, {} workers lost, {:.0f} calls per second, {} connections, {} of "
      "strangers, {} cut",
      now.release, time_text(now.seconds), now.sessions.size(), now.sessions_begun, now.workers_lost, calls,
      now.connections, now.strangers, now.connections_cut);
  int64_t messages = 0;
  for (const SessionOverview& session : now.sessions) messages += session.message_bytes;
  if (now.queued > 0) text += fmt::format(", {} wait for a session", now.queued);
  if (messages > 0) text += fmt::format(", {} of messages wait for workers", bytes(messages));
  text += "\n";
  if (now.sessions.empty()) return text;
  text += fmt::format("{:>7}  {:>7}  {:>10}  {:>6}{:>8}  {:>8}  {:>10}  {:>8}  {:>10}\n", "session", "age", "calls/s",
                      "queue", "running", "arrays", "bytes", "programs", "memory");
  for (const SessionOverview& session : now.sessions) text += session_text(session, session_of(before, session.number));
  return text;
}

}  // namespace hilo::rpc
