// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hilo/base/sizes.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/rewrite/fold.h"

namespace hilo::hlo {
namespace {

struct RuleEntry {
  Opcode root;
  RewriteRule rule;
};

constexpr RuleEntry kEntries[] = {
    {Opcode::kAbs, simplify_abs},
    {Opcode::kAdd, simplify_add},
    {Opcode::kAnd, simplify_and},
    {Opcode::kBitcastConvert, simplify_bitcast_convert},
    {Opcode::kBroadcast, simplify_broadcast},
    {Opcode::kCeil, simplify_rounding},
    {Opcode::kClamp, simplify_clamp},
    {Opcode::kCompare, simplify_compare},
    {Opcode::kComplex, simplify_complex},
    {Opcode::kConcatenate, simplify_concatenate},
    {Opcode::kConstant, simplify_constant},
    {Opcode::kConvert, simplify_convert},
    {Opcode::kConvolution, simplify_convolution},
    {Opcode::kCopy, simplify_copy},
    {Opcode::kDivide, simplify_divide},
    {Opcode::kDot, simplify_dot},
    {Opcode::kDynamicSlice, simplify_dynamic_slice},
    {Opcode::kDynamicUpdateSlice, simplify_dynamic_update_slice},
    {Opcode::kFloor, simplify_rounding},
    {Opcode::kGather, simplify_gather},
    {Opcode::kGetTupleElement, simplify_get_tuple_element},
    {Opcode::kImag, simplify_imag},
    {Opcode::kIota, simplify_iota},
    {Opcode::kMaximum, simplify_maximum},
    {Opcode::kMinimum, simplify_minimum},
    {Opcode::kMultiply, simplify_multiply},
    {Opcode::kNegate, simplify_negate},
    {Opcode::kNot, simplify_not},
    {Opcode::kOr, simplify_or},
    {Opcode::kPad, simplify_pad},
    {Opcode::kPower, simplify_power},
    {Opcode::kReal, simplify_real},
    {Opcode::kReduce, simplify_reduce},
    {Opcode::kReducePrecision, simplify_reduce_precision},
    {Opcode::kRemainder, simplify_remainder},
    {Opcode::kReshape, simplify_reshape},
    {Opcode::kReverse, simplify_reverse},
    {Opcode::kRoundNearestAfz, simplify_rounding},
    {Opcode::kRoundNearestEven, simplify_rounding},
    {Opcode::kScatter, simplify_scatter},
    {Opcode::kSelect, simplify_select},
    {Opcode::kShiftLeft, simplify_shift},
    {Opcode::kShiftRightArithmetic, simplify_shift},
    {Opcode::kShiftRightLogical, simplify_shift},
    {Opcode::kSlice, simplify_slice},
    {Opcode::kSort, simplify_sort},
    {Opcode::kSubtract, simplify_subtract},
    {Opcode::kTranspose, simplify_transpose},
    {Opcode::kTuple, simplify_tuple},
    {Opcode::kXor, simplify_xor},
};

constexpr std::array<RewriteRule, kHloOpcodeCount> kRuleOf = [] {
  std::array<RewriteRule, kHloOpcodeCount> table{};
  for (const RuleEntry& entry : kEntries) table[static_cast<size_t>(entry.root)] = entry.rule;
  return table;
}();

/// Returns whether the result has no elements; then it is an empty constant.
bool is_empty(const RewriteNode& n) {
  return n.shape.is_array() && n.shape.element_count() == 0 && n.opcode != Opcode::kConstant &&
         n.opcode != Opcode::kParameter && !is_pinned(n.opcode, n.attributes);
}

InstructionId apply(RewriteBuilder& b, const RewriteNode& n) {
  if (is_empty(n)) return b.constant(Literal(n.shape.with_default_layout()));
  if (const InstructionId folded = fold_constant(b, n); folded != kNoInstruction) return folded;
  if (is_extension(n.opcode)) return kNoInstruction;
  const RewriteRule rule = kRuleOf[ordinal(n.opcode)];
  return rule == nullptr ? kNoInstruction : rule(b, n);
}

}  // namespace

StatusOr<bool> simplify(Module& module) {
  return rewrite_computations(module,
                              [](const ComputationPtr& c) { return rewrite(c, {.share = true, .rule = apply}); });
}

}  // namespace hilo::hlo
