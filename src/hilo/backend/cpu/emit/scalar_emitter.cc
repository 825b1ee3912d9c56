// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/scalar_emitter.h"

#include <algorithm>
#include <bit>

#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/engine/region_ops.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {

using hlo::attributes_of;
using hlo::Opcode;
using llvm::Value;

namespace {
constexpr size_t kMinPacked = 4;  // elements of a function that share a register
}

Values ScalarEmitter::emit(const hlo::Computation& computation, const std::vector<Values>& arguments) {
  std::vector<Values> leaves(computation.size());
  for (const hlo::Instruction& i : computation.instructions())
    leaves[i.id] = emit_instruction(computation, i, leaves, arguments);
  return leaves[computation.root_id()];
}

Values ScalarEmitter::emit_loop(const hlo::Computation& condition, const hlo::Computation& body,
                                const Values& initial) {
  const Shape carry_shape = body.result_shape();
  return b_.while_loop(
      widened(initial, carry_shape), [&](const Values& carry) { return emit(condition, {carry})[0]; },
      [&](const Values& carry) {
        Values next = widened(emit(body, {carry}), carry_shape);
        if (cancel_word_ != nullptr) b_.leave_if_cancelled(cancel_word_, cancelled_);
        return next;
      });
}

/// Returns a builder for an op on these operands. Widens all of them to the widest.
SimdBuilder ScalarEmitter::builder_for(Values& operands) {
  const auto is_wide = [](Value* v) { return v->getType()->isVectorTy(); };
  if (batch_.size == 1) return b_;
  if (std::ranges::none_of(operands, is_wide)) return with_lanes(b_, 1);
  for (Value*& v : operands) {
    if (!is_wide(v)) v = b_.splat(v);
  }
  return b_;
}

/// Returns the elements of the leaves of `shape`, widened to the widest of all values of that shape. Needed where loops
/// and branches join.
Values ScalarEmitter::widened(Values elements, const Shape& shape) {
  if (batch_.size == 1) return elements;
  size_t next = 0;
  for (const Shape& leaf : shape.leaves()) {
    const bool is_wide =
        engine::batch_dimension(leaf, batch_.size).has_value() && !engine::is_in_memory(leaf, batch_.size);
    for (int64_t e = 0; e < width(leaf); ++e, ++next) {
      if (is_wide && !elements[next]->getType()->isVectorTy()) elements[next] = b_.splat(elements[next]);
    }
  }
  return elements;
}

int64_t ScalarEmitter::width(const Shape& shape) const { return engine::registers_of(shape, batch_.size); }

Values ScalarEmitter::emit_tuple_element(const hlo::Instruction& i, const Shape& tuple, const Values& elements) const {
  const int64_t index = attributes_of<hlo::GetTupleElementAttributes>(i).index;
  int64_t begin = 0;
  for (int64_t k = 0; k < index; ++k) begin += width(tuple.tuple_element(k));
  return Values(elements.begin() + begin, elements.begin() + begin + width(i.shape));
}

Values ScalarEmitter::emit_instruction(const hlo::Computation& computation, const hlo::Instruction& i,
                                       const std::vector<Values>& leaves, const std::vector<Values>& arguments) {
  const auto all_operands = [&] {
    Values operands;
    for (hlo::InstructionId o : i.operands) operands.insert(operands.end(), leaves[o].begin(), leaves[o].end());
    return operands;
  };
  switch (i.opcode) {  // NOLINT: only ops of is_scalar_op and emit_array_op
    case Opcode::kParameter: return arguments[attributes_of<hlo::ParameterAttributes>(i).number];
    case Opcode::kConstant: {
      Values none;
      SimdBuilder b = builder_for(none);
      return emit_small_constant(b, attributes_of<hlo::ConstantAttributes>(i).value, batch_);
    }
    case Opcode::kTuple:
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier: return all_operands();
    case Opcode::kGetTupleElement:
      return emit_tuple_element(i, computation.instruction(i.operands[0]).shape, leaves[i.operands[0]]);
    case Opcode::kCall: {
      std::vector<Values> inner;
      for (hlo::InstructionId o : i.operands) inner.push_back(leaves[o]);
      return emit(*attributes_of<hlo::CallAttributes>(i).to_apply, inner);
    }
    case Opcode::kWhile: {
      const auto& a = attributes_of<hlo::WhileAttributes>(i);
      return emit_loop(*a.condition, *a.body, all_operands());
    }
    case Opcode::kConditional: return emit_conditional(i, leaves);
    default:
      return engine::is_lanewise(i.opcode) ? emit_lanewise(computation, i, leaves)
                                           : emit_array_op(computation, i, leaves);
  }
}

Values ScalarEmitter::emit_array_op(const hlo::Computation& computation, const hlo::Instruction& i,
                                    const std::vector<Values>& leaves) {
  const bool is_slice = i.opcode == Opcode::kDynamicSlice || i.opcode == Opcode::kDynamicUpdateSlice;
  if (is_slice && engine::is_in_memory(computation.instruction(i.operands[0]).shape, batch_.size))
    return emit_slice(computation, i, leaves);
  std::vector<SmallArray> operands;
  for (hlo::InstructionId o : i.operands) operands.push_back({computation.instruction(o).shape, leaves[o]});
  if (i.opcode != Opcode::kReduce) {
    return emit_small_array(i, operands, batch_, [&](Values& values) { return builder_for(values); });
  }
  const hlo::Computation& body = *attributes_of<hlo::ReduceAttributes>(i).to_apply;
  return emit_small_reduce(i, operands, batch_, [&](const Values& arguments) {
    std::vector<Values> each;
    for (Value* argument : arguments) each.push_back({argument});
    return emit(body, each);
  });
}

/// Emits a dynamic-slice of an array in memory, or its update there: then the result is its address.
Values ScalarEmitter::emit_slice(const hlo::Computation& computation, const hlo::Instruction& i,
                                 const std::vector<Values>& leaves) {
  const bool reads = i.opcode == Opcode::kDynamicSlice;
  const Shape& array = computation.instruction(i.operands[0]).shape;
  const Shape& extents = reads ? i.shape : computation.instruction(i.operands[1]).shape;
  const size_t starts = reads ? 1 : 2;
  MemorySlice slice{array, extents};
  for (int64_t d = 0; d < array.rank(); ++d) {
    const int64_t last = array.dimension(d) - extents.dimension(d);
    const hlo::InstructionId start = i.operands[starts + static_cast<size_t>(d)];
    if (last != 0) slice.start = clamped(leaves[start][0], computation.instruction(start).shape.element_type(), last);
  }
  Value* const address = leaves[i.operands[0]][0];
  if (reads) return memory_->load(slice, address);
  Values elements = leaves[i.operands[1]];
  memory_->store(slice, address, widened(std::move(elements), extents));
  return {address};
}

/// Returns the index as i64, between 0 and `last`.
Value* ScalarEmitter::clamped(Value* index, ElementType type, int64_t last) {
  llvm::IRBuilder<>& ir = b_.ir();
  if (!is_signed_integer(type))
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateZExt(index, ir.getInt64Ty()), b_.index(last));
  Value* const wide = ir.CreateSExt(index, ir.getInt64Ty());
  Value* const above = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, b_.index(0));
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, above, b_.index(last));
}

/// Emits the op for each element. A scalar operand is used for each element.
Values ScalarEmitter::emit_lanewise(const hlo::Computation& computation, const hlo::Instruction& i,
                                    const std::vector<Values>& leaves) {
  const size_t data = i.opcode == Opcode::kSelect ? 1 : 0;
  const ElementType type = computation.instruction(i.operands[data]).shape.element_type();
  std::vector<Values> elements(width(i.shape));
  for (size_t e = 0; e < elements.size(); ++e) {
    for (hlo::InstructionId o : i.operands) elements[e].push_back(leaves[o][leaves[o].size() == 1 ? 0 : e]);
  }
  if (b_.lanes() == 1 && elements.size() >= kMinPacked && i.def().cost == hlo::CostClass::kTranscendental &&
      !is_complex(type))
    return emit_packed(i, type, elements);
  Values values;
  for (Values& operands : elements) {
    SimdBuilder b = builder_for(operands);
    values.push_back(emit_op(b, i, type, operands));
  }
  return values;
}

/// Emits a function of several elements at once: one lane costs as much as a whole register.
Values ScalarEmitter::emit_packed(const hlo::Instruction& i, ElementType type, const std::vector<Values>& elements) {
  llvm::IRBuilder<>& ir = b_.ir();
  SimdBuilder b = with_lanes(b_, static_cast<int>(std::bit_ceil(elements.size())));
  Values operands;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    Value* packed = b.splat(elements[0][k]);
    for (size_t e = 1; e < elements.size(); ++e) packed = ir.CreateInsertElement(packed, elements[e][k], e);
    operands.push_back(packed);
  }
  Value* const result = emit_op(b, i, type, operands);
  Values values;
  for (size_t e = 0; e < elements.size(); ++e) values.push_back(ir.CreateExtractElement(result, e));
  return values;
}

Value* ScalarEmitter::emit_op(SimdBuilder& b, const hlo::Instruction& i, ElementType type, const Values& operands) {
  StatusOr<Value*> value = emit_elementwise(b, i.opcode, type, i.shape.element_type(), i.attributes.get(), operands);
  if (value.ok()) return *value;
  if (status_.ok()) status_ = value.status().with_context(describe(i));
  return llvm::Constant::getNullValue(b.register_type(i.shape.element_type()));
}

Values ScalarEmitter::emit_conditional(const hlo::Instruction& i, const std::vector<Values>& leaves) {
  const auto& a = attributes_of<hlo::ConditionalAttributes>(i);
  Value* selector = leaves[i.operands[0]][0];
  return emit_branch(i, a, leaves, selector, 0);
}

/// Emits branch k and those after it. The number of branches bounds the recursion.
Values ScalarEmitter::emit_branch(const hlo::Instruction& i, const hlo::ConditionalAttributes& a,
                                  const std::vector<Values>& leaves, Value* selector, size_t k) {
  const auto run = [&](size_t branch) {
    return widened(emit(*a.branches[branch], {leaves[i.operands[1 + branch]]}), i.shape);
  };
  if (k + 1 == a.branches.size()) return run(k);
  Value* chosen =
      a.predicated ? selector : b_.ir().CreateICmpEQ(selector, llvm::ConstantInt::get(selector->getType(), k));
  return b_.if_else(chosen, [&] { return run(k); }, [&] { return emit_branch(i, a, leaves, selector, k + 1); });
}

}  // namespace hilo::cpu
