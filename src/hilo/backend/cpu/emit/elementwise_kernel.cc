// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/elementwise_kernel.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/flat_loop.h"
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
  // A predicate's byte says nothing about width: compare and is-finite are as wide as what they look at.
  return lanes;
}

Status check(const ElementwiseKernelSpec& spec) {
  if (spec.lanes < 0 || spec.lanes > 64 ||
      (spec.lanes != 0 && !std::has_single_bit(static_cast<unsigned>(spec.lanes)))) {
    return invalid_argument(
        fmt::format("elementwise kernel: lane count; got {}; wanted 0 or a power of two up to 64", spec.lanes));
  }
  if (spec.operand_types.empty()) return internal_error("elementwise kernel: got no operands; wanted at least one");
  for (ElementType type : spec.operand_types) {
    HILO_RETURN_IF_ERROR(check_elementwise_types(spec.opcode, type, spec.result_type));
  }
  return ok_status();
}

Status emit_kernel(const ElementwiseKernelSpec& spec, Isa isa, llvm::Module& module) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, ir.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  SimdBuilder b(ir, isa, lanes_for(spec, isa));
  std::vector<Stream> inputs;
  for (std::size_t k = 0; k < spec.operand_types.size(); ++k) {
    Value* slot = ir.CreateConstGEP1_64(pointer, function->getArg(0), k);
    inputs.push_back({spec.operand_types[k], ir.CreateLoad(pointer, slot)});
  }
  const Stream output{spec.result_type, function->getArg(1)};
  auto body = [&](const Values& operands) -> StatusOr<Values> {
    HILO_ASSIGN_OR_RETURN(Value * result, emit_elementwise(b, spec.opcode, spec.operand_types.back(), spec.result_type,
                                                           spec.attributes, operands));
    return Values{result};
  };
  HILO_RETURN_IF_ERROR(emit_flat_loop(b, function->getArg(2), inputs, {&output, 1}, body));
  ir.CreateRetVoid();
  return ok_status();
}

}  // namespace

StatusOr<ElementwiseKernel> compile_elementwise_kernel(const ElementwiseKernelSpec& spec, Isa isa) {
  HILO_RETURN_IF_ERROR(check(spec));
  const auto emit = [&](llvm::Module& module) { return emit_kernel(spec, isa, module); };
  ElementwiseKernel kernel;
  HILO_ASSIGN_OR_RETURN(kernel.code, compile_code("elementwise", isa, emit));
  kernel.function = reinterpret_cast<decltype(kernel.function)>(kernel.code->lookup("kernel"));
  return kernel;
}

}  // namespace hilo::cpu
