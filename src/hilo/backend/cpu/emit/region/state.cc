// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/state.h"

#include <algorithm>

#include "hilo/backend/cpu/library/costs.h"

namespace hilo::cpu {

using llvm::Value;

RegionState::RegionState(llvm::IRBuilder<>& builder, Isa isa, const Region& described, RegionFacts decided,
                         Values pointers, Values known_inputs)
    : region(described),
      facts(std::move(decided)),
      ir(builder),
      scalar(builder, isa, 1),
      wide(builder, isa, facts.shape.lanes),
      buffers(std::move(pointers)),
      known(std::move(known_inputs)),
      values(region.nodes.size()),
      reduced(region.nodes.size()),
      stored(region.outputs.size()),
      tiles(region.nodes.size()),
      polled(polled_loop(region, kCpuCosts)),
      here(region.extents.size()) {
  const auto add = [&](const IndexExpr& e) {
    expressions.push_back(&e);
    position.partial.push_back(scalar.index(e.constant));
    return static_cast<uint32_t>(expressions.size() - 1);
  };
  for (const RegionNode& n : region.nodes) {
    node_expression.push_back(add(n.index));
    guard_expressions.emplace_back();
    for (const Guard& g : n.guards) guard_expressions.back().push_back(add(g.index));
  }
  for (const RegionOutput& o : region.outputs) output_expression.push_back(add(o.index));
  position.indices.resize(region.extents.size());
}

namespace {

/// Whether a vector reads the node.
bool has_wide_user(const RegionState& s, uint32_t n) {
  for (uint32_t user = n + 1; user < s.region.nodes.size(); ++user) {
    const RegionNode& node = s.region.nodes[user];
    if (!s.facts.nodes[user].varies && node.kind != NodeKind::kReduce) continue;
    if (std::ranges::find(node.operands, n) != node.operands.end()) return true;
  }
  return false;
}

}  // namespace

void set_value(RegionState& s, uint32_t n, Value* value, bool wide) {
  if (value == nullptr) return;
  if (s.facts.shape.lanes == 1) s.values[n] = {value, value};
  else if (wide) s.values[n] = {nullptr, value};
  // Splats at the level of the value, so that inner loops can use it.
  else s.values[n] = {value, has_wide_user(s, n) ? s.wide.splat(value) : nullptr};
}

Value* value_of(RegionState& s, uint32_t n, bool wide) {
  const RegionNode& node = s.region.nodes[n];
  if (node.kind == NodeKind::kConstant) return s.builder(wide).constant(node.type, node.bits);
  if (wide && s.values[n].wide == nullptr && s.values[n].scalar != nullptr) return s.wide.splat(s.values[n].scalar);
  Value* value = wide ? s.values[n].wide : s.values[n].scalar;
  if (value == nullptr) {
    s.fail(internal_error("region: a node is read before it is computed"));
    return llvm::Constant::getNullValue(s.builder(wide).register_type(node.type));
  }
  return value;
}

}  // namespace hilo::cpu
