// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/scalar_emitter.h"

#include <bit>

#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/engine/region_ops.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {

using engine::splat_bits;
using hlo::attributes_of;
using hlo::Opcode;
using llvm::Value;

Values ScalarEmitter::emit(const hlo::Computation& computation, const std::vector<Values>& arguments) {
  std::vector<Values> leaves(computation.size());
  for (const hlo::Instruction& i : computation.instructions())
    leaves[i.id] = emit_instruction(computation, i, leaves, arguments);
  return leaves[computation.root_id()];
}

Values ScalarEmitter::emit_loop(const hlo::Computation& condition, const hlo::Computation& body,
                                const Values& initial) {
  return b_.while_loop(
      initial, [&](const Values& carry) { return emit(condition, {carry})[0]; },
      [&](const Values& carry) {
        Values next = emit(body, {carry});
        poll();
        return next;
      });
}

/// Leaves the function if somebody asked for it.
void ScalarEmitter::poll() {
  if (cancel_word_ == nullptr) return;
  llvm::IRBuilder<>& ir = b_.ir();
  llvm::LoadInst* word = ir.CreateLoad(ir.getInt32Ty(), cancel_word_);
  word->setAtomic(llvm::AtomicOrdering::Monotonic);
  word->setAlignment(llvm::Align(4));
  llvm::BasicBlock* go_on = llvm::BasicBlock::Create(ir.getContext(), "", ir.GetInsertBlock()->getParent());
  ir.CreateCondBr(ir.CreateICmpEQ(word, ir.getInt32(0)), go_on, cancelled_);
  ir.SetInsertPoint(go_on);
}

Value* ScalarEmitter::constant(const hlo::Instruction& i) {
  const ElementType type = i.shape.element_type();
  const uint64_t bits = splat_bits(attributes_of<hlo::ConstantAttributes>(i).value).value_or(0);
  llvm::Type* wide = b_.register_type(type);
  if (type == ElementType::kF64) return llvm::ConstantFP::get(wide, std::bit_cast<double>(bits));
  if (type == ElementType::kF32)
    return llvm::ConstantFP::get(wide, llvm::APFloat(std::bit_cast<float>(static_cast<uint32_t>(bits))));
  if (computes_in_f32(type)) return llvm::ConstantFP::get(wide, llvm::APFloat(widened_bits(type, bits)));
  if (type == ElementType::kPred) return b_.boolean(bits != 0);
  return llvm::ConstantInt::get(wide, llvm::APInt(64, bits).zextOrTrunc(wide->getScalarSizeInBits()));
}

Values ScalarEmitter::emit_instruction(const hlo::Computation& computation, const hlo::Instruction& i,
                                       const std::vector<Values>& leaves, const std::vector<Values>& arguments) {
  Values operands;
  for (hlo::InstructionId o : i.operands) operands.insert(operands.end(), leaves[o].begin(), leaves[o].end());
  switch (i.opcode) {  // NOLINT: the ops of is_scalar_op
    case Opcode::kParameter: return arguments[static_cast<size_t>(attributes_of<hlo::ParameterAttributes>(i).number)];
    case Opcode::kConstant: return {constant(i)};
    case Opcode::kIota: return {llvm::Constant::getNullValue(b_.register_type(i.shape.element_type()))};
    case Opcode::kTuple:
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier: return operands;
    case Opcode::kGetTupleElement: {
      const Shape& tuple = computation.instruction(i.operands[0]).shape;
      const int64_t index = attributes_of<hlo::GetTupleElementAttributes>(i).index;
      size_t begin = 0;
      for (int64_t k = 0; k < index; ++k)
        begin += tuple.tuple_element(k).is_tuple() ? tuple.tuple_element(k).leaves().size() : 1;
      const size_t count = i.shape.is_tuple() ? i.shape.leaves().size() : 1;
      return Values(operands.begin() + static_cast<std::ptrdiff_t>(begin),
                    operands.begin() + static_cast<std::ptrdiff_t>(begin + count));
    }
    case Opcode::kCall: {
      std::vector<Values> inner;
      for (hlo::InstructionId o : i.operands) inner.push_back(leaves[o]);
      return emit(*attributes_of<hlo::CallAttributes>(i).to_apply, inner);
    }
    case Opcode::kWhile: {
      const auto& a = attributes_of<hlo::WhileAttributes>(i);
      return emit_loop(*a.condition, *a.body, operands);
    }
    case Opcode::kConditional: return emit_conditional(i, leaves);
    default: break;
  }
  const size_t data = i.opcode == Opcode::kSelect ? 1 : 0;
  const ElementType type = computation.instruction(i.operands[data]).shape.element_type();
  StatusOr<Value*> value = emit_elementwise(b_, i.opcode, type, i.shape.element_type(), i.attributes.get(), operands);
  if (value.ok()) return {*value};
  if (status_.ok()) status_ = value.status().with_context(describe(i));
  return {llvm::Constant::getNullValue(b_.register_type(i.shape.element_type()))};
}

Values ScalarEmitter::emit_conditional(const hlo::Instruction& i, const std::vector<Values>& leaves) {
  const auto& a = attributes_of<hlo::ConditionalAttributes>(i);
  Value* selector = leaves[i.operands[0]][0];
  return emit_branch(i, a, leaves, selector, 0);
}

/// Branch k, or one of those after it; the number of branches bounds the recursion.
Values ScalarEmitter::emit_branch(const hlo::Instruction& i, const hlo::ConditionalAttributes& a,
                                  const std::vector<Values>& leaves, Value* selector, size_t k) {
  const auto run = [&](size_t branch) { return emit(*a.branches[branch], {leaves[i.operands[1 + branch]]}); };
  if (k + 1 == a.branches.size()) return run(k);
  Value* chosen =
      a.predicated ? selector : b_.ir().CreateICmpEQ(selector, llvm::ConstantInt::get(selector->getType(), k));
  return b_.if_else(chosen, [&] { return run(k); }, [&] { return emit_branch(i, a, leaves, selector, k + 1); });
}

}  // namespace hilo::cpu
