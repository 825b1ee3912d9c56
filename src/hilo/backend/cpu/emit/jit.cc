// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/jit.h"

#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <string>

#include "hilo/backend/cpu/emit/aarch64_table.h"
#include "hilo/backend/cpu/emit/machine_code.h"
#include "hilo/backend/cpu/emit/quick_mark.h"
#include "hilo/backend/cpu/emit/wide_constants.h"
#include "hilo/backend/cpu/load/spare_memory.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/stop.h"

namespace hilo::cpu {

void initialize_back_end() {
#if defined(__aarch64__)
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
#else
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
#endif
}

namespace {

bool verifies_code() {
  static const char* const flag = std::getenv("HILO_VERIFY_CODE");
  return flag != nullptr && *flag == '1';
}

Status verify(const llvm::Module& module) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (!llvm::verifyModule(module, &stream)) return ok_status();
  return internal_error(fmt::format("code generation: malformed LLVM IR: {}", problems));
}

void set_function_attributes(llvm::Module& module, Isa isa) {
  const std::string width = std::to_string(vector_bytes(isa) * 8);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.setDoesNotThrow();
    function.addFnAttr("prefer-vector-width", width);
  }
}

/// A module and its own context.
struct Draft {
  explicit Draft(const char* name) : module(name, context) {}
  llvm::LLVMContext context;
  llvm::Module module;
};

/// Writes the module. Returns the target machine for it; null for another architecture.
StatusOr<llvm::TargetMachine*> write_module(llvm::Module& module, Isa isa, CodeLevel level, EmitFunction emit) {
  llvm::TargetMachine* machine = nullptr;
  module.setTargetTriple(llvm_triple(isa));
  if (is_native(isa)) {
    HILO_ASSIGN_OR_RETURN(machine, target_machine(isa, level));
    module.setDataLayout(machine->createDataLayout());
  } else if (is_arm(isa)) module.setDataLayout(kAArch64Layout);
  else return unimplemented("code generation: hilo on AArch64 writes no code for x86-64");
  if (level == CodeLevel::kQuick) mark_quick(module);
  HILO_RETURN_IF_ERROR(emit(module));
  return machine;
}

/// Another library has the code generator of another architecture, and an LLVM of its own: it reads the module as text.
StatusOr<std::vector<char>> object_elsewhere(const llvm::Module& module) {
  HILO_ASSIGN_OR_RETURN(const AArch64Table* const back_end, open_companion<AArch64Table>());
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return back_end->object_of(text);
}

StatusOr<std::vector<char>> write_object(llvm::Module& module, Isa isa, CodeLevel level, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(llvm::TargetMachine * machine, write_module(module, isa, level, emit));
  load_wide_constants(module, isa);
  if (verifies_code()) HILO_RETURN_IF_ERROR(verify(module));
  set_function_attributes(module, isa);
  if (machine == nullptr) return object_elsewhere(module);
  llvm::SmallVector<char, 0> object;
  HILO_RETURN_IF_ERROR(generate(module, *machine, object));
  return std::vector<char>(object.begin(), object.end());
}

/// Leaks LLVM's objects and the target machine: after a failure they can't be destroyed safely.
Status abandon(std::unique_ptr<Draft>& draft, MachinePtr& machine, Status status) {
  static_cast<void>(draft.release());
  static_cast<void>(machine.release());
  return status;
}

/// Returns the relocatable ELF object. May use spare memory.
StatusOr<std::vector<char>> try_compile(const SpareMemory& memory, const char* name, Isa isa, CodeLevel level,
                                        EmitFunction emit) {
  MachinePtr& machine = machine_slot(isa, level);
  auto draft = std::make_unique<Draft>(name);
  try {
    return write_object(draft->module, isa, level, emit);
  } catch (const CodegenFailure& failure) {
    return abandon(draft, machine, failure.status);
  } catch (const std::bad_alloc&) {  // thrown by `emit`, unless LLVM itself had no memory
    if (memory.exhausted()) return abandon(draft, machine, out_of_memory());
    return out_of_memory();
  }
}

StatusOr<std::vector<char>> compile_object(const char* name, Isa isa, CodeLevel level, EmitFunction emit) {
  HILO_RETURN_IF_ERROR(stop_status());
  const SpareMemory memory;
  StatusOr<std::vector<char>> object = try_compile(memory, name, isa, level, emit);
  if (!memory.used()) return object;
  machine_slot(isa, level).reset();  // it uses spare memory, which the next compilation may need
  return out_of_memory();
}

}  // namespace

StatusOr<std::string> module_text(const char* name, Isa isa, EmitFunction emit) {
  Draft draft(name);
  HILO_RETURN_IF_ERROR(write_module(draft.module, isa, CodeLevel::kGood, emit).status());
  HILO_RETURN_IF_ERROR(verify(draft.module));
  std::string text;
  llvm::raw_string_ostream(text) << draft.module;
  return text;
}

StatusOr<std::string> object_code(const char* name, Isa isa, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(const std::vector<char> object, compile_object(name, isa, CodeLevel::kGood, emit));
  return std::string(object.begin(), object.end());
}

StatusOr<std::shared_ptr<CompiledCode>> compile_code(const char* name, Isa isa, CodeLevel level, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(std::vector<char> object, compile_object(name, isa, level, emit));
  auto bytes = std::make_shared<const std::string>(object.begin(), object.end());
  return is_native(isa) ? load_object(bytes) : unloaded_object(bytes);
}

}  // namespace hilo::cpu
