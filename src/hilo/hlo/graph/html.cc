// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/html.h"

#include "hilo/hlo/graph/labels.h"
#include "hilo/hlo/graph/layout.h"

namespace hilo::hlo {
namespace {

// All sizes in CSS pixels.
constexpr int64_t kBoxWidth = 190, kBoxHeight = 48, kColumnStep = 206, kLayerStep = 84, kMargin = 12;
constexpr int64_t kLineStep = 13;
constexpr size_t kLineCharacters = 27;  // of 11 px monospace that fit a box

// Marks the nodes that hold the text, fades the others and unfolds the computations with a hit.
constexpr std::string_view kSearch =
    "const q=this.value.toLowerCase();this.closest('section').querySelectorAll('.node').forEach(n=>{"
    "const hit=q!==''&amp;&amp;n.textContent.toLowerCase().includes(q);n.style.stroke=hit?'#d00000':'';"
    "n.style.opacity=q===''||hit?1:0.25;if(hit)n.closest('details').open=true})";

constexpr std::string_view kPageStyle =
    "body{font-family:sans-serif;margin:1.5em}summary{cursor:pointer;font-family:monospace;padding:.3em 0}"
    ".scroll{overflow:auto;max-height:85vh;border:1px solid #ccc}";

/// What fits a box; never half of a UTF-8 sequence.
std::string fitted(const std::string& line) {
  if (line.size() <= kLineCharacters) return line;
  size_t end = kLineCharacters - 2;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  return line.substr(0, end) + "..";
}

int64_t left_of(const graph::Place& place) { return kMargin + place.column * kColumnStep; }
int64_t top_of(const graph::Place& place) { return kMargin + place.layer * kLayerStep; }

void append_edge(const graph::Place& from, const graph::Place& to, std::string& out) {
  const std::string x1 = std::to_string(left_of(from) + kBoxWidth / 2);
  const std::string x2 = std::to_string(left_of(to) + kBoxWidth / 2);
  const int64_t y1 = top_of(from) + kBoxHeight, y2 = top_of(to);
  const std::string middle = std::to_string((y1 + y2) / 2);
  out += "<path d=\"M" + x1 + " " + std::to_string(y1) + "C" + x1 + " " + middle + " " + x2 + " " + middle + " " + x2 +
         " " + std::to_string(y2) + "\"/>";
}

void append_text(int64_t x, int64_t y, const std::string& line, std::string& out) {
  if (line.empty()) return;
  out +=
      "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\">" + html_escaped(fitted(line)) + "</text>";
}

std::string_view fill_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kParameter) return "#fff3d6";
  if (instruction.opcode == Opcode::kConstant) return "#eeeeee";
  return is_elementwise(instruction.opcode) ? "#e3f0ff" : "#e2f5e4";
}

void append_node(const Instruction& instruction, const graph::Place& place, bool is_root, std::string& out) {
  const graph::NodeLabel label = graph::label_of(instruction);
  const int64_t x = left_of(place), y = top_of(place);
  std::string hint = label.title + " " + label.shape;
  for (const std::string* line : {&label.source, &label.calls}) {
    if (!line->empty()) hint += "\n" + *line;
  }
  out += "<g class=\"node\"><title>" + html_escaped(hint) + "</title><rect x=\"" + std::to_string(x) + "\" y=\"" +
         std::to_string(y) + "\" width=\"" + std::to_string(kBoxWidth) + "\" height=\"" + std::to_string(kBoxHeight) +
         "\" rx=\"4\" fill=\"" + std::string(fill_of(instruction)) + "\"" + (is_root ? " stroke-width=\"3\"" : "") +
         "/><g fill=\"#111\" stroke=\"none\">";
  append_text(x + 6, y + 15, label.title, out);
  append_text(x + 6, y + 15 + kLineStep, label.shape, out);
  append_text(x + 6, y + 15 + 2 * kLineStep, label.calls.empty() ? label.source : label.calls, out);
  out += "</g></g>\n";
}

std::string folded(const Computation& computation, bool open) {
  return std::string(open ? "<details open>" : "<details>") + "<summary>" + html_escaped(computation.name()) + " (" +
         std::to_string(computation.size()) + " instructions)</summary><div class=\"scroll\">" +
         svg_graph(computation) + "</div></details>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else if (c == 'h' && text.substr(i, 4) == "http") out += "&#104;";  // a page that holds no address at all
    else if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) out += ' ';
    else out += c;
  }
  return out;
}

std::string svg_graph(const Computation& computation) {
  const graph::Layout layout = graph::layered_layout(computation);
  const std::string width = std::to_string(2 * kMargin + layout.columns * kColumnStep);
  const std::string height = std::to_string(2 * kMargin + layout.layers * kLayerStep);
  std::string out = "<svg width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
                    "\" font-family=\"monospace\" font-size=\"11\">\n<g fill=\"none\" stroke=\"#8a8a8a\">";
  for (const Instruction& instruction : computation.instructions()) {
    for (const InstructionId operand : instruction.operands) {
      append_edge(layout.places[operand], layout.places[instruction.id], out);
    }
  }
  out += "</g>\n<g stroke=\"#4a5a6a\">";
  for (const Instruction& instruction : computation.instructions()) {
    append_node(instruction, layout.places[instruction.id], instruction.id == computation.root_id(), out);
  }
  return out + "</g></svg>";
}

std::string html_section(const Module& module, std::string_view title) {
  const std::vector<ComputationPtr> computations = computations_of(module);
  std::string out = "<section><h2>" + html_escaped(title) + "</h2>\n<p>" + std::to_string(instruction_count(module)) +
                    " instructions in " + std::to_string(computations.size()) +
                    (computations.size() == 1 ? " computation" : " computations") +
                    ". <label>Search <input type=\"search\" oninput=\"" + std::string(kSearch) + "\"></label></p>\n";
  // The entry comes last in the list; callers are shown before what they call.
  for (size_t i = computations.size(); i-- > 0;) out += folded(*computations[i], i + 1 == computations.size());
  return out + "</section>\n";
}

std::string html_graph(const Module& module, std::string_view title) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + html_escaped(title) +
         "</title><style>" + std::string(kPageStyle) + "</style></head>\n<body>" + html_section(module, title) +
         "</body></html>\n";
}

}  // namespace hilo::hlo
