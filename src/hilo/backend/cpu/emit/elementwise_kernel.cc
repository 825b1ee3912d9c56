// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/elementwise_kernel.h"

#include <llvm/IR/Module.h>

#include <algorithm>

#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/jit.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

int lanes_for(const ElementwiseKernelSpec& spec, Isa isa) {
  if (spec.lanes != 0) return spec.lanes;
  int lanes = natural_lanes(isa, spec.result_type);
  for (ElementType type : spec.operand_types) {
    if (type != ElementType::kPred) lanes = std::min(lanes, natural_lanes(isa, type));
  }
  // The byte of a predicate doesn't determine the width: compare and is-finite are as wide as their operands.
  return lanes;
}

Status emit_kernel(const ElementwiseKernelSpec& spec, Isa isa, llvm::Module& module) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* function = begin_function(ir, module, "kernel", ir.getVoidTy(), {pointer, pointer, ir.getInt64Ty()});
  SimdBuilder b(ir, isa, lanes_for(spec, isa));
  Values inputs;
  for (std::size_t k = 0; k < spec.operand_types.size(); ++k)
    inputs.push_back(ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(0), k)));
  Status status;
  // From `at` on: all lanes, or the last `left` of them.
  const auto turn = [&](Value* at, Value* left) {
    Values operands;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const ElementType operand = spec.operand_types[k];
      operands.push_back(left == nullptr ? b.load(operand, inputs[k], at) : b.load_tail(operand, inputs[k], at, left));
    }
    const StatusOr<Value*> result =
        emit_elementwise(b, spec.opcode, spec.operand_types.back(), spec.result_type, spec.attributes, operands);
    if (!result.ok()) status = result.status();
    else if (left == nullptr) b.store(spec.result_type, *result, function->getArg(1), at);
    else b.store_tail(spec.result_type, *result, function->getArg(1), at, left);
  };
  Value* whole = ir.CreateAnd(function->getArg(2), b.index(-b.lanes()));
  Value* left = ir.CreateSub(function->getArg(2), whole);
  b.for_each(b.index(0), whole, b.index(b.lanes()), [&](Value* at) { turn(at, nullptr); });
  b.branch(ir.CreateICmpNE(left, b.index(0)), [&] { turn(whole, left); });
  HILO_RETURN_IF_ERROR(status);
  ir.CreateRetVoid();
  return ok_status();
}

}  // namespace

StatusOr<ElementwiseKernel> compile_elementwise_kernel(const ElementwiseKernelSpec& spec, Isa isa) {
  for (ElementType type : spec.operand_types)
    HILO_RETURN_IF_ERROR(check_elementwise_types(spec.opcode, type, spec.result_type));
  const auto emit = [&](llvm::Module& module) { return emit_kernel(spec, isa, module); };
  ElementwiseKernel kernel;
  HILO_ASSIGN_OR_RETURN(kernel.code, compile_code("elementwise", isa, CodeLevel::kGood, emit));
  kernel.function = reinterpret_cast<decltype(kernel.function)>(kernel.code->lookup("kernel"));
  return kernel;
}

}  // namespace hilo::cpu
