// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/math_code.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <string>

#include "hilo/backend/cpu/library/math/complex_math.h"

namespace hilo::cpu {
namespace {

using llvm::BasicBlock, llvm::Function, llvm::Value;

struct MathFunction {
  std::string_view name;  ///< libm's, for f64
  int operands;
};
// Those of scalar_math.cc.
constexpr auto kMath = std::to_array<MathFunction>({{"acos", 1},
                                                    {"acosh", 1},
                                                    {"asin", 1},
                                                    {"asinh", 1},
                                                    {"atan", 1},
                                                    {"atanh", 1},
                                                    {"atan2", 2},
                                                    {"cbrt", 1},
                                                    {"cos", 1},
                                                    {"cosh", 1},
                                                    {"erf", 1},
                                                    {"fmod", 2},
                                                    {"pow", 2},
                                                    {"sin", 1},
                                                    {"sinh", 1},
                                                    {"tan", 1}});
constexpr auto kOthers = std::to_array<std::string_view>({"memcpy", "memmove", "memset", "fma", "fmaf", "fmodf"});

/// Emits void(const T* x, const T* y, T* result, i64 count), which computes in f64. Precondition: count > 0
void emit_loop(llvm::Module& module, const std::string& name, const MathFunction& math, bool wide) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  llvm::Type* pointer = ir.getPtrTy();
  llvm::Type* number = wide ? ir.getDoubleTy() : ir.getFloatTy();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, pointer, ir.getInt64Ty()}, false);
  Function* function = Function::Create(type, Function::ExternalLinkage, name, module);
  BasicBlock* entry = BasicBlock::Create(context, "", function);
  BasicBlock* turn = BasicBlock::Create(context, "", function);
  BasicBlock* end = BasicBlock::Create(context, "", function);
  ir.SetInsertPoint(entry);
  ir.CreateBr(turn);
  ir.SetInsertPoint(turn);
  llvm::PHINode* i = ir.CreatePHI(ir.getInt64Ty(), 2);
  i->addIncoming(ir.getInt64(0), entry);
  std::vector<Value*> operands;
  for (int k = 0; k < math.operands; ++k) {
    Value* x = ir.CreateLoad(number, ir.CreateGEP(number, function->getArg(static_cast<unsigned>(k)), i));
    operands.push_back(wide ? x : ir.CreateFPExt(x, ir.getDoubleTy()));
  }
  const std::vector<llvm::Type*> types(operands.size(), ir.getDoubleTy());
  auto* signature = llvm::FunctionType::get(ir.getDoubleTy(), types, false);
  Value* y = ir.CreateCall(module.getOrInsertFunction(std::string(math.name), signature), operands);
  ir.CreateStore(wide ? y : ir.CreateFPTrunc(y, number), ir.CreateGEP(number, function->getArg(2), i));
  Value* next = ir.CreateAdd(i, ir.getInt64(1));
  i->addIncoming(next, turn);
  ir.CreateCondBr(ir.CreateICmpSLT(next, function->getArg(3)), turn, end);
  ir.SetInsertPoint(end);
  ir.CreateRetVoid();
}

void emit_never_stopped(llvm::Module& module, const std::string& name) {
  llvm::IRBuilder<> ir(module.getContext());
  auto* type = llvm::FunctionType::get(ir.getInt64Ty(), {}, false);
  Function* function = Function::Create(type, Function::ExternalLinkage, name, module);
  ir.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  ir.CreateRet(ir.getInt64(0));
}

/// Emits a function that calls that of libhilo_rt.a. Returns false if that has none.
bool emit_complex(llvm::Module& module, std::string_view name) {
  const std::vector<ComplexFunction> functions = complex_math_functions();
  const auto found = std::ranges::find(functions, name, &ComplexFunction::name);
  if (found == functions.end()) return false;
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, pointer, ir.getInt64Ty()}, false);
  Function* function = Function::Create(type, Function::ExternalLinkage, std::string(name), module);
  ir.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
  ir.CreateCall(module.getOrInsertFunction(found->symbol, type), arguments);
  ir.CreateRetVoid();
  return true;
}

}  // namespace

bool emit_math(llvm::Module& module, std::string_view name, ObjectRuntime runtime) {
  if (name == "hilo_stop_requested") {
    emit_never_stopped(module, std::string(name));
    return true;
  }
  if (runtime == ObjectRuntime::kLibrary && emit_complex(module, name)) return true;
  const bool wide = name.ends_with("_f64");
  if (!name.starts_with("hilo_") || !(wide || name.ends_with("_f32"))) return false;
  const std::string_view function = name.substr(5, name.size() - 9);
  const auto* found = std::ranges::find(kMath, function, &MathFunction::name);
  if (found == kMath.end()) return false;
  emit_loop(module, std::string(name), *found, wide);
  return true;
}

bool is_c_function(std::string_view name) {
  return std::ranges::find(kOthers, name) != kOthers.end() ||
         std::ranges::find(kMath, name, &MathFunction::name) != kMath.end();
}

}  // namespace hilo::cpu
