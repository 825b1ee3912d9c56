// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/pass_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/inspect/dumps/line_diff.h"
#include "hilo/inspect/graph/html.h"

namespace hilo {
namespace {

constexpr size_t kContext = 3;  // unchanged lines shown around a change

constexpr std::string_view kStyle =
    "body{font-family:sans-serif;margin:1.5em}summary{cursor:pointer;font-family:monospace;padding:.3em 0}"
    "pre{overflow:auto;border:1px solid #ccc;padding:.5em;font-size:12px}"
    ".r{background:#fde0e0}.a{background:#dff5df}.g{color:#888}";

/// Returns whether each line is near a change.
std::vector<bool> shown_lines(const std::vector<DiffLine>& lines) {
  std::vector<bool> shown(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].mark == DiffMark::kSame) continue;
    const size_t begin = i < kContext ? 0 : i - kContext;
    for (size_t n = begin; n < std::min(lines.size(), i + kContext + 1); ++n) shown[n] = true;
  }
  return shown;
}

void append_line(const DiffLine& line, std::string& out) {
  const std::string text = static_cast<char>(line.mark) + hlo::html_escaped(line.text);
  if (line.mark == DiffMark::kSame) out += text + "\n";
  else out += fmt::format("<span class=\"{}\">{}</span>\n", line.mark == DiffMark::kAdded ? "a" : "r", text);
}

std::string diff_html(const std::vector<DiffLine>& lines) {
  const std::vector<bool> shown = shown_lines(lines);
  std::string out;
  for (size_t i = 0; i < lines.size();) {
    if (shown[i]) {
      append_line(lines[i++], out);
      continue;
    }
    const size_t begin = i;
    while (i < lines.size() && !shown[i]) ++i;
    out += fmt::format("<span class=\"g\">... {} equal lines</span>\n", i - begin);
  }
  return out;
}

}  // namespace

PassPage::PassPage(std::string_view module, std::string text) : module_(module), text_(std::move(text)) {}

void PassPage::add_change(std::string_view pass, double milliseconds, std::string text, std::string_view file) {
  ++passes_;
  ++changes_;
  const std::vector<DiffLine> lines = diff_lines(text_, text);
  const auto count = [&](DiffMark mark) {
    return std::count_if(lines.begin(), lines.end(), [mark](const DiffLine& line) { return line.mark == mark; });
  };
  sections_ += fmt::format(
      "<details{}><summary>{}. {}: {} lines went, {} came, {:.3f} ms</summary>\n<p>{}</p><pre>{}</pre></details>\n",
      changes_ == 1 ? " open" : "", passes_, hlo::html_escaped(pass), count(DiffMark::kRemoved),
      count(DiffMark::kAdded), milliseconds, hlo::html_escaped(file), diff_html(lines));
  text_ = std::move(text);
}

void PassPage::add_no_change(std::string_view pass, double milliseconds) {
  sections_ += fmt::format("<p class=\"g\">{}. {}: no change, {:.3f} ms</p>\n", ++passes_, hlo::html_escaped(pass),
                           milliseconds);
}

std::string PassPage::html() const {
  const std::string name = hlo::html_escaped(module_);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: passes</title><style>{1}</style>"
      "</head>\n<body><h1>{0}</h1>\n<p>{2} passes, {3} changed the module.</p>\n{4}</body></html>\n",
      name, kStyle, passes_, changes_, sections_);
}

}  // namespace hilo
