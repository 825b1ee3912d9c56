// SPDX-License-Identifier: Apache-2.0
// backend/cpu/aarch64/back_end.cc -- the table that libhilo_codegen.so reads from libhilo_aarch64.so.
#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include "hilo/backend/cpu/emit/aarch64_table.h"
#include "hilo/backend/cpu/emit/machine_code.h"
#include "hilo/version.h"

namespace hilo::cpu {

void initialize_back_end() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

namespace {

struct Draft {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

StatusOr<std::vector<char>> write_object(Draft& draft, std::string_view text) {
  HILO_ASSIGN_OR_RETURN(llvm::TargetMachine * machine, target_machine(Isa::kNeon));
  llvm::SMDiagnostic error;
  draft.module = llvm::parseAssemblyString(llvm::StringRef(text), error, draft.context);
  if (draft.module == nullptr) return internal_error(fmt::format("code generation: {}", error.getMessage().str()));
  if (draft.module->getDataLayout() != machine->createDataLayout())
    return internal_error("code generation: another data layout than that of AArch64");
  llvm::SmallVector<char, 0> object;
  HILO_RETURN_IF_ERROR(generate(*draft.module, *machine, object));
  return std::vector<char>(object.begin(), object.end());
}

/// After a failure LLVM's objects can't be destroyed safely: they leak.
StatusOr<std::vector<char>> object_of(std::string_view module) {
  auto draft = std::make_unique<Draft>();
  try {
    StatusOr<std::vector<char>> object = write_object(*draft, module);
    machine_slot(Isa::kNeon).reset();  // it may use the caller's spare memory
    return object;
  } catch (const CodegenFailure& failure) {
    static_cast<void>(draft.release());
    static_cast<void>(machine_slot(Isa::kNeon).release());
    return failure.status;
  }
}

}  // namespace
}  // namespace hilo::cpu

extern "C" __attribute__((visibility("default"))) const hilo::cpu::AArch64Table hilo_aarch64;
const hilo::cpu::AArch64Table hilo_aarch64 = {{HILO_VERSION_STRING}, hilo::cpu::object_of};
