// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/jit_probe.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <array>

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

llvm::Function* begin_probe(llvm::IRBuilder<>& b, llvm::Module& m, llvm::Type* result,
                            llvm::ArrayRef<llvm::Type*> args) {
  return begin_function(b, m, "probe", result, args);
}

void emit_call(llvm::IRBuilder<>& b, llvm::Module& m, const char* callee) {
  llvm::Type* f64 = b.getDoubleTy();
  llvm::Function* f = begin_probe(b, m, f64, {f64, f64});
  llvm::FunctionCallee outside = m.getOrInsertFunction(callee, llvm::FunctionType::get(f64, {f64, f64}, false));
  b.CreateRet(b.CreateCall(outside, {f->getArg(0), f->getArg(1)}));
}

void emit_table_read(llvm::IRBuilder<>& b, llvm::Module& m) {
  llvm::Function* f = begin_probe(b, m, b.getInt64Ty(), {b.getInt64Ty()});
  constexpr std::array<std::uint64_t, 8> kSquares = {0, 1, 4, 9, 16, 25, 36, 49};
  auto* squares = llvm::ConstantDataArray::get(b.getContext(), llvm::ArrayRef<std::uint64_t>(kSquares));
  auto* table = new llvm::GlobalVariable(m, squares->getType(), true, llvm::GlobalValue::PrivateLinkage, squares);
  Value* index = b.CreateAnd(f->getArg(0), 7);
  b.CreateRet(b.CreateLoad(b.getInt64Ty(), b.CreateGEP(b.getInt64Ty(), table, index)));
}

// Finds eight conflicts at once (vpconflictq), which needs AVX-512 CD.
void emit_impossible(llvm::IRBuilder<>& b, llvm::Module& m) {
  auto* lanes = llvm::FixedVectorType::get(b.getInt64Ty(), 8);
  llvm::Function* f = begin_probe(b, m, b.getInt64Ty(), {b.getInt64Ty()});
  Value* splat = b.CreateVectorSplat(8, f->getArg(0));
  Value* conflicts = b.CreateIntrinsic(lanes, llvm::Intrinsic::x86_avx512_conflict_q_512, {splat});
  b.CreateRet(b.CreateExtractElement(conflicts, std::uint64_t{0}));
}

void emit_short_numbers(llvm::IRBuilder<>& b, llvm::Module& m) {
  begin_probe(b, m, b.getInt64Ty(), {b.getInt64Ty()});
  SimdBuilder(b, Isa::kSse2, 128).lane_numbers(b.getInt8Ty());
}

void emit_probe(JitProbe probe, llvm::IRBuilder<>& b, llvm::Module& m) {
  switch (probe) {
    case JitProbe::kAddOne: {
      llvm::Function* f = begin_probe(b, m, b.getInt64Ty(), {b.getInt64Ty()});
      b.CreateRet(b.CreateAdd(f->getArg(0), b.getInt64(1)));
      return;
    }
    case JitProbe::kCallsLibrary: return emit_call(b, m, "fmod");
    case JitProbe::kReadsTable: return emit_table_read(b, m);
    case JitProbe::kCallsStranger: return emit_call(b, m, "hilo_no_such_function");
    case JitProbe::kImpossible: return emit_impossible(b, m);
    case JitProbe::kShortNumbers: return emit_short_numbers(b, m);
  }
}

}  // namespace

StatusOr<std::shared_ptr<CompiledCode>> compile_probe(JitProbe probe, Isa isa) {
  const auto emit = [probe](llvm::Module& module) {
    llvm::IRBuilder<> builder(module.getContext());
    emit_probe(probe, builder, module);
    return ok_status();
  };
  return compile_code("probe", isa, CodeLevel::kGood, emit);
}

}  // namespace hilo::cpu
