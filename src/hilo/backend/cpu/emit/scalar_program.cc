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

Status emit_function(llvm::Module& module, Isa isa, const hlo::Computation& computation) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* function = begin_function(ir, module, ScalarProgram::kName, ir.getInt32Ty(), {pointer, pointer, pointer});
  llvm::BasicBlock* cancelled = llvm::BasicBlock::Create(ir.getContext(), "cancelled", function);
  SimdBuilder b(ir, isa, 1);
  const auto slot = [&](unsigned argument, size_t k) {
    return ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(argument), k));
  };
  std::vector<Values> arguments;
  size_t next = 0;
  for (const Shape& parameter : computation.parameter_shapes()) {
    arguments.emplace_back();
    for (const Shape& leaf : parameter.leaves())
      arguments.back().push_back(b.load_scalar(leaf.element_type(), slot(0, next++), b.index(0)));
  }
  ScalarEmitter emitter(b, function->getArg(2), cancelled);
  const Values values = emitter.emit(computation, arguments);
  HILO_RETURN_IF_ERROR(emitter.status());
  const std::vector<Shape> leaves = computation.result_shape().leaves();
  for (size_t k = 0; k < leaves.size(); ++k)
    b.store_scalar(leaves[k].element_type(), values[k], slot(1, k), b.index(0));
  ir.CreateRet(ir.getInt32(0));
  ir.SetInsertPoint(cancelled);
  ir.CreateRet(ir.getInt32(1));
  return ok_status();
}

StatusOr<ScalarProgram> compile(Isa isa, CodeLevel level, const hlo::Computation& computation) {
  const auto write = [&](llvm::Module& module) { return emit_function(module, isa, computation); };
  ScalarProgram program;
  HILO_ASSIGN_OR_RETURN(program.code, compile_code(ScalarProgram::kName, isa, level, write));
  program.function = reinterpret_cast<ScalarFunction>(program.code->lookup(ScalarProgram::kName));
  return program;
}

std::string key_of(Isa isa, const hlo::Computation& c) {
  return fmt::format("{} {:x} {:x}", isa_name(isa), c.fingerprint().high, c.fingerprint().low);
}

}  // namespace

StatusOr<ScalarProgram> compile_scalar_program(const hlo::Computation& computation, Isa isa) {
  static auto* const cache = new CodeCache<ScalarProgram>;
  return find_or_compile(*cache, key_of(isa, computation),
                         kSecondsAnOperation * static_cast<double>(computation.size()),
                         [&](CodeLevel level) { return compile(isa, level, computation); });
}

}  // namespace hilo::cpu
