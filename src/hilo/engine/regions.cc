// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/regions.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::engine {
namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace

std::optional<GuardRange> range_of(const Guard& guard, std::span<const int64_t> extents) {
  if (!guard.index.terms.empty()) return std::nullopt;
  std::optional<size_t> dimension;
  for (size_t k = 0; k < guard.index.coefficients.size(); ++k) {
    if (guard.index.coefficients[k] == 0) continue;
    if (dimension) return std::nullopt;
    dimension = k;
  }
  if (!dimension) return std::nullopt;
  const int64_t step = guard.index.coefficients[*dimension], extent = extents[*dimension];
  // Returns the first index at which step * i + constant reaches a bound, or the first beyond it if the step is
  // negative.
  const auto reach = [&](int64_t bound) {
    const int64_t distance = bound - guard.index.constant;
    return step > 0 ? -floor_divide(-distance, step) : floor_divide(-distance, -step) + 1;
  };
  const int64_t first = std::clamp<int64_t>(reach(step > 0 ? guard.low : guard.high), 0, extent);
  return GuardRange{*dimension, first, std::clamp<int64_t>(reach(step > 0 ? guard.high : guard.low), first, extent)};
}

bool copies_elements(const Region& region) {
  if (region.inputs.size() != 1 || region.outputs.size() != 1 || region.nodes.size() != 1) return false;
  const RegionNode& node = region.nodes[0];
  const RegionOutput& output = region.outputs[0];
  return node.kind == NodeKind::kLoad && node.guards.empty() && node.index.terms.empty() && node.type == output.type &&
         output.index.terms.empty() && region.updated == kNoValue && !region.has_row() &&
         region.inputs[0].value != kNoValue && output.value != kNoValue;
}

bool reads_row_once(const Region& region) {
  std::vector<bool> is_late, in_row;  // whether the node depends on a reduction; whether it differs along the row
  const auto is_set = [](const std::vector<bool>& of) { return [&of](uint32_t n) { return of[n]; }; };
  for (const RegionNode& n : region.nodes) {
    const bool is_result = n.kind == NodeKind::kReduceResult;
    bool late = is_result || std::ranges::any_of(n.operands, is_set(is_late));
    bool along = n.index.coefficients.size() > region.row_begin ||
                 (!is_result && std::ranges::any_of(n.operands, is_set(in_row)));
    for (const IndexTerm& t : n.index.terms) {
      late = late || is_late[t.node];
      along = along || in_row[t.node];
    }
    if (late && (along || n.kind == NodeKind::kReduce || !n.guards.empty())) return false;
    is_late.push_back(late);
    in_row.push_back(along);
  }
  return std::ranges::none_of(region.outputs, [&](const RegionOutput& o) {
    return is_late[o.node] && o.index.coefficients.size() > region.row_begin;
  });
}

hlo::ReducerKind reducer_of(const RegionNode& reduce) {
  return reduce.is_dot ? hlo::ReducerKind::kAdd : reduce.body->reducer_kind();
}

namespace {

std::string text_of(const IndexExpr& e) {
  std::string text = fmt::format("{}", e.constant);
  for (size_t k = 0; k < e.coefficients.size(); ++k) text += fmt::format("+{}d{}", e.coefficients[k], k);
  for (const IndexTerm& t : e.terms) text += fmt::format("+{}n{}", t.coefficient, t.node);
  return text;
}

}  // namespace

std::string canonical_text(const Region& region) {
  std::string text = fmt::format("row {} extents", region.row_begin);
  for (int64_t e : region.extents) text += fmt::format(" {}", e);
  for (const RegionNode& n : region.nodes) {
    text += fmt::format("; {} {} i{} b{} l{} r{} {}", static_cast<int>(n.kind), element_type_name(n.type), n.input,
                        n.bits, n.limit, n.result, text_of(n.index));
    for (uint32_t o : n.operands) text += fmt::format(" n{}", o);
    for (const Guard& g : n.guards) text += fmt::format(" {}<={}<{}", g.low, text_of(g.index), g.high);
    if (n.kind == NodeKind::kReduce) {
      text += n.is_dot ? fmt::format(" dot {}", n.count)
                       : fmt::format(" {} {:x} {:x}", n.count, n.body->fingerprint().high, n.body->fingerprint().low);
      continue;
    }
    if (n.instruction == nullptr) continue;
    text += fmt::format(" {}", static_cast<int>(n.instruction->opcode));
    if (n.instruction->attributes != nullptr)
      text += fmt::format(" {:x}", fields_hash(n.instruction->def().attributes.fields, *n.instruction->attributes));
  }
  for (const RegionOutput& o : region.outputs)
    text += fmt::format("; out n{} {} {}", o.node, element_type_name(o.type), text_of(o.index));
  return text;
}

}  // namespace hilo::engine
