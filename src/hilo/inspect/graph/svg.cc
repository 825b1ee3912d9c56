// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/inspect/graph/html.h"
#include "hilo/inspect/graph/layout.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kWidth = 210, kLine = 15, kTitle = 20, kGap = 16, kLayerGap = 34, kMargin = 12, kLetter = 7;
constexpr size_t kLetters = 31;  // maximum text length in a box

constexpr std::string_view kStyle =
    "text{font:11px monospace;fill:#1c2733}.title{font-weight:bold}path{fill:none;stroke:#8a8a8a}"
    "rect{stroke:#4a5a6a;fill:#e2f5e4}rect.parameter{fill:#fff3d6}rect.constant{fill:#eeeeee}"
    "rect.elementwise{fill:#e3f0ff}rect.library{fill:#fbe3ee}rect.input{fill:none;stroke-dasharray:3}"
    "rect.region{fill:#f2f6fb}rect.root{stroke-width:3}";

struct Box {
  int64_t x = 0, y = 0, width = 0, height = 0;  ///< relative to the sheet
};

/// The positions of a sheet's boxes, and its size.
struct Frame {
  std::vector<Box> boxes;
  int64_t width = 0, height = 0;
};

int64_t width_of(std::string_view title) { return std::ssize(title) * kLetter; }

std::vector<std::string> lines_of(const graph::Node& node) {
  std::vector<std::string> lines;
  for (const std::string* line :
       {&node.label.title, &node.label.shape, &node.label.source, &node.label.calls, &node.label.cost}) {
    if (line->empty()) continue;
    lines.push_back(line->size() <= kLetters ? *line : line->substr(0, kLetters - 3).append("..."));
  }
  return lines;
}

std::string region_title(const graph::Node& node) {
  return node.label.title + (node.label.cost.empty() ? "" : " (" + node.label.cost + ")");
}

class SvgWriter {
 public:
  explicit SvgWriter(const graph::Scene& scene) : scene_(scene), frames_(scene.sheets.size()) {
    for (uint32_t s = size32(scene.sheets); s-- > 0;) frames_[s] = frame_of(scene.sheets[s]);
  }

  std::string text() && {
    int64_t width = 0, y = kMargin;
    for (uint32_t s = scene_.entry + 1; s-- > 0;) {  // the entry first
      const graph::Sheet& sheet = scene_.sheets[s];
      const std::string title = sheet.name + (sheet.cost.empty() ? "" : " (" + sheet.cost + ")");
      append_text(kMargin, y + kLine, "title", title);
      append_sheet(s, kMargin, y + kTitle + kMargin);
      width = std::max({width, frames_[s].width + 2 * kMargin, width_of(title) + 2 * kMargin});
      y += kTitle + frames_[s].height + 3 * kMargin;
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<title>{2}</title><style>{3}</style>\n<rect width=\"{0}\" height=\"{1}\" "
        "style=\"fill:#ffffff;stroke:none\"/>\n"
        "{4}</svg>\n",
        width, y, html_escaped(scene_.name), kStyle, out_);
  }

 private:
  Box size_of(const graph::Node& node) const {
    if (node.region == graph::kNone) return {0, 0, kWidth, std::ssize(lines_of(node)) * kLine + 6};
    const Frame& inner = frames_[node.region];
    return {0, 0, std::max(inner.width, width_of(region_title(node))) + 2 * kMargin,
            inner.height + kTitle + 2 * kMargin};
  }

  /// Arranges rows below each other, centred. Regions have larger numbers than the sheets that contain them, so their
  /// frames already exist.
  Frame frame_of(const graph::Sheet& sheet) const {
    const graph::Layout layout = graph::layered_layout(sheet);
    std::vector<std::vector<size_t>> rows(layout.layers);
    Frame frame;
    for (size_t n = 0; n < sheet.nodes.size(); ++n) {
      frame.boxes.push_back(size_of(sheet.nodes[n]));
      rows[layout.places[n].layer].push_back(n);
    }
    std::vector<int64_t> widths;
    for (std::vector<size_t>& row : rows) {
      std::ranges::sort(row, {}, [&](size_t n) { return layout.places[n].column; });
      int64_t x = 0, height = 0;
      for (const size_t n : row) {
        frame.boxes[n].x = x;
        frame.boxes[n].y = frame.height;
        x += frame.boxes[n].width + kGap;
        height = std::max(height, frame.boxes[n].height);
      }
      widths.push_back(x - kGap);
      frame.width = std::max(frame.width, widths.back());
      frame.height += height + kLayerGap;
    }
    frame.height -= kLayerGap;
    for (size_t r = 0; r < rows.size(); ++r) {
      for (const size_t n : rows[r]) frame.boxes[n].x += (frame.width - widths[r]) / 2;
    }
    return frame;
  }

  void append_sheet(uint32_t s, int64_t x, int64_t y) {
    const graph::Sheet& sheet = scene_.sheets[s];
    const Frame& frame = frames_[s];
    for (size_t n = 0; n < sheet.nodes.size(); ++n) {
      for (const graph::Source& operand : sheet.nodes[n].operands)
        append_edge(frame.boxes[operand.node], frame.boxes[n], x, y);
    }
    for (uint32_t n = 0; n < sheet.nodes.size(); ++n) {
      const graph::Node& node = sheet.nodes[n];
      const Box& box = frame.boxes[n];
      out_ += fmt::format("<rect class=\"{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\n", node.kind,
                          n == sheet.root ? " root" : "", x + box.x, y + box.y, box.width, box.height);
      if (node.region == graph::kNone) append_lines(node, x + box.x, y + box.y);
      else append_region(node, box, x, y);
    }
  }

  void append_region(const graph::Node& node, const Box& box, int64_t x, int64_t y) {
    append_text(x + box.x + 6, y + box.y + kLine, "title", region_title(node));
    const int64_t left = (box.width - frames_[node.region].width) / 2;
    append_sheet(node.region, x + box.x + left, y + box.y + kTitle + kMargin);
  }

  void append_lines(const graph::Node& node, int64_t x, int64_t y) {
    bool first = true;
    for (const std::string& line : lines_of(node)) {
      append_text(x + 6, y += kLine, first ? "title" : "", line);
      first = false;
    }
  }

  void append_text(int64_t x, int64_t y, std::string_view kind, const std::string& text) {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, y,
                        kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), html_escaped(text));
  }

  void append_edge(const Box& from, const Box& to, int64_t x, int64_t y) {
    const int64_t x1 = x + from.x + from.width / 2, y1 = y + from.y + from.height;
    const int64_t x2 = x + to.x + to.width / 2, y2 = y + to.y, middle = (y1 + y2) / 2;
    out_ += fmt::format("<path d=\"M{} {}C{} {} {} {} {} {}\"/>\n", x1, y1, x1, middle, x2, middle, x2, y2);
  }

  const graph::Scene& scene_;
  std::vector<Frame> frames_;
  std::string out_;
};

}  // namespace

std::string svg_graph(const Module& module, std::span<const InstructionGroup> groups) {
  const graph::Scene scene = graph::scene_of(module, groups);
  return SvgWriter(scene).text();
}

}  // namespace hilo::hlo
