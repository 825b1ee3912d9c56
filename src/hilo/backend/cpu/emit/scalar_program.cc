// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/scalar_program.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "hilo/backend/cpu/emit/code_cache.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/emit/scalar_emitter.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

std::vector<Shape> leaves_of(const std::vector<Shape>& shapes) {
  std::vector<Shape> leaves;
  for (const Shape& shape : shapes) {
    const std::vector<Shape> inner = shape.is_tuple() ? shape.leaves() : std::vector<Shape>{shape};
    leaves.insert(leaves.end(), inner.begin(), inner.end());
  }
  return leaves;
}

/// Writes the function of what `emit(arguments by parameter)` returns, the results' leaves.
template <typename Emit>
Status emit_function(llvm::Module& module, Isa isa, const std::vector<Shape>& parameters,
                     const std::vector<Shape>& results, const Emit& emit) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  llvm::Type* pointer = ir.getPtrTy();
  auto* type = llvm::FunctionType::get(ir.getInt32Ty(), {pointer, pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, ScalarProgram::kName, module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  llvm::BasicBlock* cancelled = llvm::BasicBlock::Create(context, "cancelled", function);
  SimdBuilder b(ir, isa, 1);
  const auto slot = [&](unsigned argument, size_t k) {
    return ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(argument), k));
  };
  std::vector<Values> arguments;
  size_t next = 0;
  for (const Shape& parameter : parameters) {
    arguments.emplace_back();
    for (const Shape& leaf : leaves_of({parameter}))
      arguments.back().push_back(b.load_scalar(leaf.element_type(), slot(0, next++), b.index(0)));
  }
  ScalarEmitter emitter(b, function->getArg(2), cancelled);
  const Values values = emit(emitter, arguments);
  HILO_RETURN_IF_ERROR(emitter.status());
  const std::vector<Shape> leaves = leaves_of(results);
  for (size_t k = 0; k < leaves.size(); ++k)
    b.store_scalar(leaves[k].element_type(), values[k], slot(1, k), b.index(0));
  ir.CreateRet(ir.getInt32(0));
  ir.SetInsertPoint(cancelled);
  ir.CreateRet(ir.getInt32(1));
  return ok_status();
}

template <typename Emit>
StatusOr<ScalarProgram> compile(Isa isa, const std::vector<Shape>& parameters, const std::vector<Shape>& results,
                                const Emit& emit) {
  const auto write = [&](llvm::Module& module) { return emit_function(module, isa, parameters, results, emit); };
  ScalarProgram program;
  HILO_ASSIGN_OR_RETURN(program.code, compile_code(ScalarProgram::kName, isa, write));
  program.function = reinterpret_cast<ScalarFunction>(program.code->lookup(ScalarProgram::kName));
  return program;
}

CodeCache<ScalarProgram>& scalar_program_cache() {
  static auto* const instance = new CodeCache<ScalarProgram>;
  return *instance;
}

std::string key_of(Isa isa, const hlo::Computation& c) {
  return fmt::format("{} {:x} {:x}", isa_name(isa), c.fingerprint().high, c.fingerprint().low);
}

}  // namespace

StatusOr<ScalarProgram> compile_scalar_program(const hlo::Computation& computation, Isa isa) {
  return find_or_compile(scalar_program_cache(), key_of(isa, computation), [&] {
    return compile(isa, computation.parameter_shapes(), {computation.result_shape()},
                   [&](ScalarEmitter& emitter, const std::vector<Values>& arguments) {
                     return emitter.emit(computation, arguments);
                   });
  });
}

}  // namespace hilo::cpu
