// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/labels.h"

#include <fmt/format.h>

namespace hilo::hlo::graph {
namespace {

/// "12 kB", "1.5 Mflop"
std::string amount(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  constexpr double kStep = 1000;
  size_t prefix = 0;
  for (; value >= kStep && prefix + 1 < std::size(kPrefixes); ++prefix) value /= kStep;
  return fmt::format("{:.3g} {}{}", value, kPrefixes[prefix], unit);
}

}  // namespace

std::string cost_text(const Cost& cost) {
  std::string text;
  const auto add = [&text](double value, std::string_view unit) {
    if (value > 0) text += (text.empty() ? "" : ", ") + amount(value, unit);
  };
  add(cost.flops, "flop");
  add(cost.bytes, "B");
  add(cost.transcendentals, "transcendental");
  return cost.exact || text.empty() ? text : "at least " + text;
}

NodeLabel label_of(const Instruction& instruction, const Cost& cost, const SourceLines& lines) {
  NodeLabel label;
  label.title = std::string(opcode_name(instruction.opcode)) + " " + instruction.name;
  label.shape = instruction.shape.to_string();
  label.source = lines.of(instruction);
  label.source.erase(0, label.source.find_last_of('/') + 1);
  for (const ComputationPtr& called : called_computations(instruction)) {
    label.calls += (label.calls.empty() ? "calls " : ", ") + called->name();
  }
  label.cost = cost_text(cost);
  return label;
}

}  // namespace hilo::hlo::graph
