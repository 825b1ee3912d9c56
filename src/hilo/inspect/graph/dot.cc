// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/dot.h"

#include "hilo/inspect/graph/scene.h"

namespace hilo::hlo {
namespace {

/// Returns `text` for a double-quoted DOT string; control bytes become spaces.
std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out;
}

class Writer {
 public:
  explicit Writer(const graph::Scene& scene) : scene_(scene) {}

  std::string text() && {
    out_ = "digraph \"" + escaped(scene_.name) + "\" {\n  node [shape=box, fontname=monospace];\n";
    for (uint32_t s = 0; s <= scene_.entry; ++s) {
      out_ += "  subgraph cluster_" + std::to_string(s) + " {\n    label=\"" + escaped(scene_.sheets[s].name) + "\";\n";
      append_nodes(s);
      out_ += "  }\n";
    }
    return out_ + edges_ + "}\n";
  }

 private:
  static std::string name(uint32_t sheet, uint32_t node) {
    return "c" + std::to_string(sheet) + "_" + std::to_string(node);
  }

  /// Returns the instruction of an operand on sheet `s`; searches inside regions, then one level further out at a time.
  std::string name_of_source(uint32_t s, graph::Source source) const {
    const graph::Sheet& sheet = scene_.sheets[s];
    if (sheet.nodes[source.node].kind == "input")
      return name_of_source(sheet.owner, scene_.sheets[sheet.owner].nodes[sheet.place].operands[source.node]);
    const graph::Node& node = sheet.nodes[source.node];
    return node.region == graph::kNone ? name(s, source.node) : name(node.region, source.inner);
  }

  std::string name_of_root(uint32_t s) const {
    const graph::Sheet& sheet = scene_.sheets[s];
    const graph::Node& root = sheet.nodes[sheet.root];
    return root.region == graph::kNone ? name(s, sheet.root) : name_of_root(root.region);
  }

  void append_nodes(uint32_t s) {
    const graph::Sheet& sheet = scene_.sheets[s];
    for (uint32_t n = 0; n < sheet.nodes.size(); ++n) {
      if (sheet.nodes[n].region != graph::kNone) append_region(sheet.nodes[n].region);
      else if (sheet.nodes[n].kind != "input") append_node(s, n);
    }
  }

  void append_region(uint32_t s) {
    const graph::Sheet& sheet = scene_.sheets[s];
    out_ += "    subgraph cluster_" + std::to_string(s) + " {\n    label=\"" + escaped(sheet.name);
    if (!sheet.cost.empty()) out_ += "\\n" + escaped(sheet.cost);
    out_ += "\"; style=\"rounded,filled\"; fillcolor=\"#eef4fb\";\n";
    append_nodes(s);
    out_ += "    }\n";
  }

  void append_node(uint32_t s, uint32_t n) {
    const graph::Node& node = scene_.sheets[s].nodes[n];
    out_ += "    " + name(s, n) + " [label=\"" + escaped(node.label.title);
    for (const std::string* line : {&node.label.shape, &node.label.source, &node.label.calls, &node.label.cost}) {
      if (!line->empty()) out_ += "\\n" + escaped(*line);
    }
    const std::string self = name(s, n), root = name_of_root(s <= scene_.entry ? s : scene_.sheets[s].owner);
    out_ += self == root ? "\", penwidth=2];\n" : "\"];\n";
    for (const graph::Source& operand : node.operands)
      edges_ += "  " + name_of_source(s, operand) + " -> " + self + ";\n";
    for (const uint32_t called : node.calls)
      edges_ += "  " + name_of_root(called) + " -> " + self + " [style=dashed];\n";
  }

  const graph::Scene& scene_;
  std::string out_, edges_;
};

}  // namespace

std::string dot_graph(const Module& module, std::span<const InstructionGroup> groups) {
  const graph::Scene scene = graph::scene_of(module, groups);
  return Writer(scene).text();
}

}  // namespace hilo::hlo
