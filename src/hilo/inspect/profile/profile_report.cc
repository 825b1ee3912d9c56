// SPDX-License-Identifier: Apache-2.0
// inspect/profile/profile_report.cc -- profiles as text: table, JSON, trace, folded stacks.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/json.h"
#include "hilo/base/time_text.h"
#include "hilo/inspect/profile/profile.h"

namespace hilo {
namespace {

constexpr size_t kMaxColumns = 120;

/// Returns the rate over all calls; operations per nanosecond are 10^9 per second.
double rate(const ProfileRow& row, double each) {
  return row.nanoseconds > 0 ? each * static_cast<double>(row.calls) / row.nanoseconds : 0;
}

double units_nanoseconds(const Profile& profile) {
  double sum = 0;
  for (const ProfileRow& row : profile.rows) sum += row.nanoseconds;
  return sum;
}

std::string shortened(std::string_view text, size_t columns) {
  return text.size() <= columns ? std::string(text) : std::string(text.substr(0, columns - 3)) + "...";
}

void append_line(std::string& out, const std::string& line) { out += shortened(line, kMaxColumns) + "\n"; }

std::string label(const ProfileRow& row) { return row.name.empty() ? row.kind : row.kind + " " + row.name; }

std::string json_row(const ProfileRow& row) {
  std::vector<std::string> lines;
  for (const std::string& line : row.lines) lines.push_back(json_string(line));
  return fmt::format(
      R"({{"kind":{},"name":{},"operations":[{}],"scope":{},"calls":{},"nanoseconds":{:.0f},"flops":{:.0f},)"
      R"("transcendentals":{:.0f},"bytes":{:.0f}}})",
      json_string(row.kind), json_string(row.name), fmt::join(lines, ","), json_string(row.scope), row.calls,
      row.nanoseconds, row.flops, row.transcendentals, row.bytes);
}

std::string json_profile(const Profile& profile) {
  std::vector<std::string> rows, steps;
  for (const ProfileRow& row : profile.rows) rows.push_back(json_row(row));
  for (const CompileStep& step : profile.compile_steps) {
    steps.push_back(fmt::format(R"({{"name":{},"milliseconds":{:.3f},"bytes":{}}})", json_string(step.name),
                                step.milliseconds, step.bytes));
  }
  return fmt::format(R"({{"module":{},"runs":{},"wall_nanoseconds":{:.0f},"evaluated":{},"rows":[{}],"compile":[{}]}})",
                     json_string(profile.module), profile.runs, profile.wall_nanoseconds, profile.evaluated_count,
                     fmt::join(rows, ",\n"), fmt::join(steps, ","));
}

/// Replaces ';', which separates frames in the format.
std::string frame(std::string text) {
  std::ranges::replace(text, ';', ':');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::string profile_table(const Profile& profile) {
  std::string out;
  const double sum = units_nanoseconds(profile), wall = profile.wall_nanoseconds;
  append_line(out, fmt::format("profile of {}: {} runs, {} each; units take {:.1f} % of it", profile.module,
                               profile.runs, time_text(profile.runs > 0 ? wall / static_cast<double>(profile.runs) : 0),
                               wall > 0 ? 100 * sum / wall : 0.0));
  if (profile.evaluated_count > 0)
    append_line(out, fmt::format("instructions run by the reference evaluator: {}", profile.evaluated_count));
  append_line(out,
              fmt::format("{:>10} {:>6} {:>9} {:>8} {:>8}  {}", "time", "share", "calls", "GFLOP/s", "GB/s", "what"));
  for (const ProfileRow& row : profile.rows) {
    append_line(out, fmt::format("{:>10} {:>5.1f}% {:>9} {:>8.2f} {:>8.2f}  {}", time_text(row.nanoseconds),
                                 sum > 0 ? 100 * row.nanoseconds / sum : 0.0, row.calls,
                                 rate(row, row.flops + row.transcendentals), rate(row, row.bytes), label(row)));
    for (const std::string& line : row.lines) append_line(out, fmt::format("{:48}{}", "", line));
  }
  for (const CompileStep& step : profile.compile_steps) {
    append_line(out, fmt::format("{:>7.2f} ms {:>+12} bytes  {}", step.milliseconds, step.bytes, step.name));
  }
  return out;
}

std::string profile_json(const std::vector<Profile>& profiles) {
  std::vector<std::string> all;
  for (const Profile& profile : profiles) all.push_back(json_profile(profile));
  return fmt::format("[{}]\n", fmt::join(all, ",\n"));
}

std::string profile_trace(const std::vector<Profile>& profiles) {
  std::vector<std::string> events;
  for (size_t p = 0; p < profiles.size(); ++p) {
    const Profile& profile = profiles[p];
    events.push_back(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", p,
                                 json_string(profile.module)));
    for (const ProfileEvent& event : profile.events) {
      const ProfileRow& row = profile.rows[event.row];
      // Times are microseconds.
      events.push_back(fmt::format(R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
                                   json_string(label(row)), json_string(row.kind), p, event.lane,
                                   event.begin_nanoseconds / 1e3, event.nanoseconds / 1e3));
    }
  }
  return fmt::format("{{\"traceEvents\":[{}],\"displayTimeUnit\":\"ns\"}}\n", fmt::join(events, ",\n"));
}

std::string profile_stacks(const std::vector<Profile>& profiles) {
  std::string out;
  for (const Profile& profile : profiles) {
    for (const ProfileRow& row : profile.rows) {
      std::string stack = frame(profile.module);
      std::string scope = frame(row.scope);
      std::ranges::replace(scope, '/', ';');
      if (!scope.empty()) stack += ";" + scope;
      out += fmt::format("{};{} {:.0f}\n", stack, frame(label(row)), row.nanoseconds);
    }
  }
  return out;
}

}  // namespace hilo
