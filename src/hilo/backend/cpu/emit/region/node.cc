// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/nodes.h"

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/numbers.h"
#include "hilo/backend/cpu/emit/region/index.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

Value* emit_op(RegionState& s, uint32_t at, bool wide) {
  const RegionNode& n = s.region.nodes[at];
  if (n.instruction->opcode == hlo::Opcode::kBitcastConvert)
    return cast_bits(s.builder(wide), s.region.nodes[n.operands[0]].type, n.type, value_of(s, n.operands[0], wide));
  Values operands;
  for (uint32_t o : n.operands) operands.push_back(value_of(s, o, wide));
  const size_t data = n.instruction->opcode == hlo::Opcode::kSelect ? 1 : 0;
  const ElementType type = s.facts.nodes[at].rounds_late ? ElementType::kF32 : n.type;
  StatusOr<Value*> value =
      emit_elementwise(s.builder(wide), n.instruction->opcode, s.region.nodes[n.operands[data]].type, type,
                       n.instruction->attributes.get(), operands, s.facts.nodes[at].is_called);
  if (value.ok()) return *value;
  s.fail(value.status().with_context(describe(*n.instruction)));
  return llvm::Constant::getNullValue(s.builder(wide).register_type(n.type));
}

Value* emit_index(RegionState& s, const RegionNode& n, uint32_t expression, bool wide) {
  SimdBuilder& b = s.builder(wide);
  Value* index = wide && s.facts.shape.lanes > 1 ? nullptr : index_in(s, expression, false);
  if (index == nullptr && is_integer(n.type) && !has_varying_terms(s, expression)) {
    // Arithmetic on narrow integers is exact modulo the type's range.
    llvm::Type* scalar = b.register_scalar(n.type);
    Value* base = s.ir.CreateTrunc(scalar_index(s, expression), scalar);
    return s.ir.CreateAdd(s.wide.splat(base), lane_constants(lane_offsets(s, expression), scalar));
  }
  if (index == nullptr) index = lane_indices(s, expression, s.ir.getInt64Ty());
  return emit_convert(b, ElementType::kS64, n.type, index);
}

/// Emits an i32 if the index and its limit fit, otherwise an i64. Vectors of i32 fill half as many registers, and AVX2
/// has no minima and maxima of wider integers.
Value* emit_clamped(RegionState& s, const RegionNode& n, bool wide) {
  SimdBuilder& b = s.builder(wide);
  const ElementType type = s.region.nodes[n.operands[0]].type;
  const bool is_small = element_type_info(type).bits <= 32 && bits_of_numbers(n.limit) <= 32;
  const ElementType number = !is_small                 ? ElementType::kS64
                             : is_signed_integer(type) ? ElementType::kS32
                                                       : ElementType::kU32;
  Value* const index = emit_convert(b, type, number, value_of(s, n.operands[0], wide));
  Value* const limit = b.int_like(index, static_cast<uint64_t>(n.limit));
  if (number == ElementType::kU32 || type == ElementType::kU64)
    return s.ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, limit);
  Value* const from_zero = s.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, b.int_like(index, 0));
  return s.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, from_zero, limit);
}

}  // namespace

void emit_node(RegionState& s, uint32_t n) {
  const RegionNode& node = s.region.nodes[n];
  const bool wide = s.facts.nodes[n].varies;
  Value* value = nullptr;
  switch (node.kind) {
    case NodeKind::kLoad: value = emit_load(s, n, wide); break;
    case NodeKind::kIndex: value = emit_index(s, node, s.node_expression[n], wide); break;
    case NodeKind::kConstant: return;
    case NodeKind::kOp: value = emit_op(s, n, wide); break;
    case NodeKind::kClampedIndex: value = emit_clamped(s, node, wide); break;
    case NodeKind::kReduce: return;
    case NodeKind::kReduceResult: value = s.reduced[node.operands[0]][node.result]; break;
    case NodeKind::kGuarded: {
      const GuardState state = guard_state(s, node);
      if (node.operands.size() == 1 || state != GuardState::kMixed) {
        value = value_of(s, node.operands[state == GuardState::kOutside ? 1 : 0], wide);
        break;
      }
      bool wide_mask = false;
      Value* mask = guard_mask(s, n, wide_mask);
      if (wide && !wide_mask) mask = s.wide.splat(mask);
      Value* const inside = value_of(s, node.operands[0], wide);
      Value* const outside = value_of(s, node.operands[1], wide);
      value = is_complex(node.type) ? select_complex(s.builder(wide), mask, inside, outside)
                                    : s.ir.CreateSelect(mask, inside, outside);
      break;
    }
  }
  set_value(s, n, value, wide);
}

void emit_level(RegionState& s, int level) {
  std::vector<bool> is_loaded(s.region.nodes.size());
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    const NodeFacts& f = s.facts.nodes[n];
    if (f.level != level || f.stage != 0 || f.in_row || is_loaded[n]) continue;
    if (!emit_column_loads(s, n)) {
      emit_node(s, n);
      continue;
    }
    for (uint32_t column : s.facts.column_loads[n]) is_loaded[column] = true;
  }
}

std::vector<uint32_t> row_nodes(const RegionState& s, int loop, size_t k) {
  std::vector<uint32_t> nodes;
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    const NodeFacts& f = s.facts.nodes[n];
    if (s.facts.row.evaluated[loop][n] && f.in_row && f.level == static_cast<int>(k) &&
        s.region.nodes[n].kind != NodeKind::kReduce)
      nodes.push_back(n);
  }
  return nodes;
}

}  // namespace hilo::cpu
