// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/html.h"

#include <fmt/format.h>

#include <unordered_map>

#include "hilo/hlo/graph/labels.h"
#include "hilo/hlo/graph/layout.h"
#include "hilo/hlo/graph/viewer.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kPageStyle = "body{font-family:sans-serif;margin:1.5em}";

/// A JSON string that can stand inside a <script>: no '<', and no address.
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

std::string_view kind_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kParameter) return "parameter";
  if (instruction.opcode == Opcode::kConstant) return "constant";
  return is_elementwise(instruction.opcode) ? "elementwise" : "other";
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

/// Writes the rows that graph/viewer.cc reads.
class Data {
 public:
  explicit Data(const Module& module) : computations_(computations_of(module)), costs_(module.entry) {
    for (size_t i = 0; i < computations_.size(); ++i) numbers_.emplace(computations_[i].get(), i);
  }

  std::string json() const {
    std::string out = fmt::format("{{\"entry\":{},\"computations\":[\n", computations_.size() - 1);
    for (size_t i = 0; i < computations_.size(); ++i) {
      if (i != 0) out += ",\n";
      append_computation(*computations_[i], out);
    }
    return out + "]}";
  }
  size_t size() const { return computations_.size(); }

 private:
  void append_computation(const Computation& computation, std::string& out) const {
    const graph::Layout layout = graph::layered_layout(computation);
    out += "{\"name\":";
    append_json(computation.name(), out);
    out += ",\"cost\":";
    append_json(graph::cost_text(costs_.of(computation)), out);
    out += fmt::format(",\"root\":{},\"columns\":", computation.root_id());
    append_numbers(layout.places, [](const graph::Place& place) { return place.column; }, out);
    out += ",\"nodes\":[\n";
    for (const Instruction& instruction : computation.instructions()) {
      if (instruction.id != 0) out += ",\n";
      append_node(instruction, computation, layout.places[instruction.id], out);
    }
    out += "]}";
  }

  void append_node(const Instruction& instruction, const Computation& computation, const graph::Place& place,
                   std::string& out) const {
    const graph::NodeLabel label = graph::label_of(instruction, costs_.of(instruction, computation));
    out += '[';
    for (const std::string* text : {&label.title, &label.shape, &label.source, &label.cost}) {
      append_json(*text, out);
      out += ',';
    }
    out += fmt::format("\"{}\",{},", kind_of(instruction), place.layer);
    append_numbers(instruction.operands, [](InstructionId id) { return id; }, out);
    out += ',';
    append_numbers(
        called_computations(instruction), [this](const ComputationPtr& c) { return numbers_.at(c.get()); }, out);
    out += ']';
  }

  std::vector<ComputationPtr> computations_;
  CostAnalysis costs_;
  std::unordered_map<const Computation*, size_t> numbers_;
};

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

std::string html_section(const Module& module, std::string_view title) {
  const Data data(module);
  return fmt::format(
      "<section class=\"hilo-graph\"><h2>{}</h2>\n<style>{}</style>\n<p>{} instructions in {} computation{}. "
      "<label>Search <input type=\"search\"></label> <span class=\"count\"></span></p>\n<div class=\"hits\"></div>\n"
      "<div class=\"panels\"></div>\n<svg hidden></svg>\n<noscript>This picture is drawn by a script in the page."
      "</noscript>\n<script type=\"application/json\">{}</script>\n<script>{}</script></section>\n",
      html_escaped(title), graph::viewer_style(), instruction_count(module), data.size(), data.size() == 1 ? "" : "s",
      data.json(), graph::viewer_script());
}

std::string html_graph(const Module& module, std::string_view title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{}</style></head>\n"
      "<body>{}</body></html>\n",
      html_escaped(title), kPageStyle, html_section(module, title));
}

}  // namespace hilo::hlo
