// SPDX-License-Identifier: Apache-2.0
// inspect/profile/profile_flame.cc -- profiles as flame graphs: a bar per program, below it its scopes, below these its
// units.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hilo/inspect/graph/html.h"
#include "hilo/inspect/profile/profile.h"

namespace hilo {
namespace {

constexpr double kWidth = 1000, kRow = 20, kMargin = 10, kLetter = 6.7;
constexpr double kMinWidth = 0.3;  // minimum width of a bar
constexpr std::string_view kFlameStyle = "text{font:11px monospace;fill:#1c2733}rect{stroke:#ffffff}";
constexpr std::string_view kColours[] = {"#f6c667", "#f2a65a", "#eebf7a", "#f4d38c", "#e9945c"};

/// A bar. Parents precede their children.
struct Frame {
  std::string name;
  size_t parent, depth;
  double nanoseconds = 0;
  double x = 0, end_of_children = 0;
};

std::vector<std::string> stack_of(const Profile& profile, const ProfileRow& row) {
  std::vector<std::string> stack = {profile.module};
  for (size_t at = 0; at < row.scope.size();) {
    const size_t end = std::min(row.scope.find('/', at), row.scope.size());
    if (end > at) stack.push_back(row.scope.substr(at, end - at));
    at = end + 1;
  }
  stack.push_back(row.name.empty() ? row.kind : row.kind + " " + row.name);
  return stack;
}

/// The first frame is the total.
std::vector<Frame> frames_of(const std::vector<Profile>& profiles) {
  std::vector<Frame> frames = {{"all", 0, 0}};
  std::map<std::pair<size_t, std::string>, size_t> known;
  for (const Profile& profile : profiles) {
    for (const ProfileRow& row : profile.rows) {
      size_t frame = 0;
      frames[0].nanoseconds += row.nanoseconds;
      for (std::string& name : stack_of(profile, row)) {
        const auto [entry, fresh] = known.try_emplace({frame, name}, frames.size());
        if (fresh) frames.push_back({std::move(name), frame, frames[frame].depth + 1});
        frame = entry->second;
        frames[frame].nanoseconds += row.nanoseconds;
      }
    }
  }
  return frames;
}

std::string bar(const Frame& frame, double width, double share) {
  const std::string name = hlo::html_escaped(frame.name);
  const double x = kMargin + frame.x, y = kMargin + static_cast<double>(frame.depth) * kRow;
  const std::string_view colour = kColours[frame.depth % std::size(kColours)];
  const auto letters = static_cast<size_t>(std::max(0.0, (width - 6) / kLetter));
  const std::string shown = frame.name.size() <= letters ? name
                            : letters < 4                ? ""
                                                         : hlo::html_escaped(frame.name.substr(0, letters - 2)) + "..";
  return fmt::format(
      "<g><title>{}: {:.3f} ms, {:.1f} %</title><rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
      "fill=\"{}\"/><text x=\"{:.1f}\" y=\"{:.0f}\">{}</text></g>\n",
      name, frame.nanoseconds / 1e6, share, x, y, width, kRow, colour, x + 3, y + 14, shown);
}

}  // namespace

std::string profile_flame(const std::vector<Profile>& profiles) {
  std::vector<Frame> frames = frames_of(profiles);
  size_t depth = 0;
  std::string bars;
  const double scale = frames[0].nanoseconds > 0 ? kWidth / frames[0].nanoseconds : 0;
  for (size_t f = 0; f < frames.size(); ++f) {
    Frame& frame = frames[f];
    const double width = frame.nanoseconds * scale;
    if (f > 0) {
      frame.x = frames[frame.parent].end_of_children;
      frames[frame.parent].end_of_children += width;
    }
    frame.end_of_children = frame.x;
    if (width < kMinWidth) continue;
    depth = std::max(depth, frame.depth);
    bars += bar(frame, width, 100 * width / kWidth);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<title>profile</title><style>{2}</style>\n{3}</svg>\n",
      kWidth + 2 * kMargin, 2 * kMargin + static_cast<double>(depth + 1) * kRow, kFlameStyle, bars);
}

}  // namespace hilo
