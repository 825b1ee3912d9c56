// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/node_traits.h"

namespace hilo::cpu {

bool is_expensive(const RegionNode& node) {
  if (node.kind != NodeKind::kOp) return false;
  const hlo::CostClass cost = node.instruction->def().cost;
  return cost == hlo::CostClass::kExpensive || cost == hlo::CostClass::kTranscendental;
}

bool is_function(const RegionNode& node) {
  return node.kind == NodeKind::kOp && node.instruction->def().cost == hlo::CostClass::kTranscendental;
}

int register_bytes(ElementType type) {
  if (is_floating(type) && element_type_info(type).bits < 32) return 4;
  return element_size_bytes(type);
}

int64_t weighted_nodes(const Region& region) {
  constexpr int64_t kHeavy = 8;
  int64_t weight = 0;
  for (const RegionNode& n : region.nodes) {
    const bool is_narrow = is_floating(n.type) && element_type_info(n.type).bits <= 8;
    weight += is_narrow || n.type == ElementType::kC128 ? kHeavy : 1;
  }
  return weight;
}

ElementType accumulator_type(ElementType type) {
  return is_floating(type) && element_type_info(type).bits < 32 ? ElementType::kF32 : type;
}

ElementType accumulator_of(const RegionNode& reduce) {
  return is_wide_product(reduce) ? ElementType::kF64 : accumulator_type(reduce.type);
}

bool is_wide_product(const RegionNode& reduce) {
  return reducer_of(reduce) == hlo::ReducerKind::kMultiply && is_floating(reduce.type) &&
         element_type_info(reduce.type).bits <= 32;
}

bool is_extreme(const RegionNode& reduce) {
  const hlo::ReducerKind kind = reducer_of(reduce);
  return kind == hlo::ReducerKind::kMaximum || kind == hlo::ReducerKind::kMinimum;
}

bool reduces_bits(const RegionNode& reduce, Isa isa) {
  if (reduce.is_dot || !is_extreme(reduce) || !is_floating(reduce.type)) return false;
  return isa == Isa::kAvx512 || (isa == Isa::kAvx2 && register_bytes(reduce.type) == 4);
}

size_t accumulator_count(const RegionNode& reduce, Isa isa) {
  return reduces_bits(reduce, isa) ? kBitAccumulators : reduce.count;
}

}  // namespace hilo::cpu
