// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/html.h"

#include <fmt/format.h>

#include "hilo/inspect/graph/layout.h"
#include "hilo/inspect/graph/viewer.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kPageStyle = "body{font-family:sans-serif;margin:1.5em}";

/// Appends a JSON string that is valid inside a <script>: without '<' and addresses.
void append_json(std::string_view text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '<' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else if (c == 'h' && text.substr(i, 4) == "http") out += "\\u0068";
    else out += c;
  }
  out += '"';
}

template <typename List, typename Number>
void append_numbers(const List& list, Number&& number, std::string& out) {
  out += '[';
  bool first = true;
  for (const auto& item : list) {
    out += fmt::format("{}{}", first ? "" : ",", number(item));
    first = false;
  }
  out += ']';
}

/// Appends a row that graph/viewer.cc reads.
void append_node(const graph::Node& node, int64_t layer, std::string& out) {
  out += '[';
  for (const std::string* text : {&node.label.title, &node.label.shape, &node.label.source, &node.label.cost}) {
    append_json(*text, out);
    out += ',';
  }
  out += fmt::format("\"{}\",{},", node.kind, layer);
  append_numbers(node.operands, [](const graph::Source& operand) { return operand.node; }, out);
  out += ',';
  std::vector<uint32_t> opens = node.calls;
  if (node.region != graph::kNone) opens.push_back(node.region);
  append_numbers(opens, [](uint32_t sheet) { return sheet; }, out);
  out += ']';
}

void append_sheet(const graph::Sheet& sheet, std::string& out) {
  const graph::Layout layout = graph::layered_layout(sheet);
  out += "{\"name\":";
  append_json(sheet.name, out);
  out += ",\"cost\":";
  append_json(sheet.cost, out);
  out += fmt::format(",\"root\":{},\"region\":{},\"columns\":", sheet.root, sheet.is_region());
  append_numbers(layout.places, [](const graph::Place& place) { return place.column; }, out);
  out += ",\"nodes\":[\n";
  for (size_t n = 0; n < sheet.nodes.size(); ++n) {
    if (n != 0) out += ",\n";
    append_node(sheet.nodes[n], layout.places[n].layer, out);
  }
  out += "]}";
}

std::string json_of(const graph::Scene& scene) {
  std::string out = fmt::format("{{\"entry\":{},\"computations\":[\n", scene.entry);
  for (size_t s = 0; s < scene.sheets.size(); ++s) {
    if (s != 0) out += ",\n";
    append_sheet(scene.sheets[s], out);
  }
  return out + "]}";
}

/// "1 computation", "3 computations"
std::string counted(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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
    else if (c == 'h' && text.substr(i, 4) == "http") out += "&#104;";  // the page must not contain addresses
    else if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) out += ' ';
    else out += c;
  }
  return out;
}

std::string html_section(const Module& module, std::string_view title, std::span<const InstructionGroup> groups) {
  const graph::Scene scene = graph::scene_of(module, groups);
  std::string size =
      fmt::format("{} in {}", counted(scene.instructions, "instruction"), counted(scene.entry + 1, "computation"));
  if (scene.region_count() > 0) size += ", " + counted(scene.region_count(), "fused region");
  return fmt::format(
      "<section class=\"hilo-graph\"><h2>{}</h2>\n<style>{}</style>\n<p>{}. "
      "<label>Search <input type=\"search\"></label> <span class=\"count\"></span></p>\n<div class=\"hits\"></div>\n"
      "<div class=\"panels\"></div>\n<svg hidden></svg>\n<noscript>This picture is drawn by a script in the page."
      "</noscript>\n<script type=\"application/json\">{}</script>\n<script>{}</script></section>\n",
      html_escaped(title), graph::viewer_style(), size, json_of(scene), graph::viewer_script());
}

std::string html_graph(const Module& module, std::string_view title, std::span<const InstructionGroup> groups) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{}</style></head>\n"
      "<body>{}</body></html>\n",
      html_escaped(title), kPageStyle, html_section(module, title, groups));
}

}  // namespace hilo::hlo
