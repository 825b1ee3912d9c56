// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/jit.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>

#include "hilo/backend/cpu/emit/wide_constants.h"
#include "hilo/backend/cpu/load/spare_memory.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/sizes.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_own.h"

namespace hilo::cpu {
namespace {

/// Thrown by LLVM's fatal error handlers and caught below, in the same file. LLVM's frames in between have no clean-up:
/// their memory leaks, and the thread creates a new target machine.
struct CodegenFailure {
  Status status;
};

void on_fatal_error(void*, const char* reason, bool) {
  throw CodegenFailure{or_out_of_memory([&] { return internal_error(fmt::format("code generation: {}", reason)); })};
}

/// LLVM calls it if malloc fails there, or if even the spare memory is used up.
void on_bad_alloc(void*, const char*, bool) { throw CodegenFailure{out_of_memory()}; }

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    // Omits passes that take a third of the time and change the speed of explicit vector code by at most 10 %.
    constexpr std::array<const char*, 7> kLean = {"hilo",
                                                  "-disable-lsr",
                                                  "-enable-misched=false",
                                                  "-disable-machine-sink",
                                                  "-disable-machine-licm",
                                                  "-disable-early-ifcvt",
                                                  "-disable-block-placement"};
    llvm::cl::ParseCommandLineOptions(kLean.size(), kLean.data(), "", &llvm::nulls());
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
  });
}

/// Target machines aren't thread safe and cost 0.35 ms to create. Each thread caches one per instruction set.
using MachinePtr = std::unique_ptr<llvm::TargetMachine>;

MachinePtr& machine_slot(Isa isa) { return thread_own<std::array<MachinePtr, 5>>()[ordinal(isa)]; }

StatusOr<llvm::TargetMachine*> target_machine(Isa isa) {
  initialize_llvm();
  MachinePtr& slot = machine_slot(isa);
  if (slot != nullptr) return slot.get();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(llvm_triple(isa), error);
  if (target == nullptr) return internal_error(fmt::format("code generation: {}", error));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // fused multiply-adds are explicit; LLVM must not form others
  options.EmitStackSizeSection = true;  // files of `hilo compile --to object` state how much stack a call needs
  slot.reset(target->createTargetMachine(llvm_triple(isa), llvm_cpu_name(isa), llvm_features(isa), options,
                                         llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default,
                                         /*JIT=*/true));
  if (slot == nullptr) return internal_error(fmt::format("code generation: no target machine for {}", isa_name(isa)));
  slot->setFastISel(false);
  return slot.get();
}

/// Stores the first error that LLVM reports. By default LLVM would print it and end the process.
struct FirstError final : llvm::DiagnosticHandler {
  explicit FirstError(std::string* to) : message(to) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error || !message->empty()) return true;
    llvm::raw_string_ostream stream(*message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string* message;
};

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

Status generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::SmallVectorImpl<char>& object) {
  std::string diagnostic;
  module.getContext().setDiagnosticHandler(std::make_unique<FirstError>(&diagnostic));
  llvm::raw_svector_ostream stream(object);
  // A bare pointer on purpose: after a CodegenFailure the passes can't be destroyed safely.
  auto* passes = new llvm::legacy::PassManager;
  llvm::MCContext* context = nullptr;
  if (machine.addPassesToEmitMC(*passes, context, stream, /*DisableVerify=*/true)) {
    delete passes;
    return internal_error("code generation: LLVM can't write object code for this target");
  }
  passes->run(module);
  delete passes;
  module.getContext().setDiagnosticHandler(nullptr);
  if (!diagnostic.empty()) return internal_error(fmt::format("code generation: {}", diagnostic));
  return ok_status();
}

/// A module and its own context.
struct Draft {
  explicit Draft(const char* name) : module(name, context) {}
  llvm::LLVMContext context;
  llvm::Module module;
};

/// Writes the module. Returns the target machine for it.
StatusOr<llvm::TargetMachine*> write_module(llvm::Module& module, Isa isa, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(llvm::TargetMachine * machine, target_machine(isa));
  module.setTargetTriple(llvm_triple(isa));
  module.setDataLayout(machine->createDataLayout());
  HILO_RETURN_IF_ERROR(emit(module));
  return machine;
}

StatusOr<std::vector<char>> write_object(llvm::Module& module, Isa isa, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(llvm::TargetMachine * machine, write_module(module, isa, emit));
  load_wide_constants(module, isa);
  if (verifies_code()) HILO_RETURN_IF_ERROR(verify(module));
  set_function_attributes(module, isa);
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
StatusOr<std::vector<char>> try_compile(const SpareMemory& memory, const char* name, Isa isa, EmitFunction emit) {
  MachinePtr& machine = machine_slot(isa);
  auto draft = std::make_unique<Draft>(name);
  try {
    return write_object(draft->module, isa, emit);
  } catch (const CodegenFailure& failure) {
    return abandon(draft, machine, failure.status);
  } catch (const std::bad_alloc&) {  // thrown by `emit`, unless LLVM itself had no memory
    if (memory.exhausted()) return abandon(draft, machine, out_of_memory());
    return out_of_memory();
  }
}

StatusOr<std::vector<char>> compile_object(const char* name, Isa isa, EmitFunction emit) {
  HILO_RETURN_IF_ERROR(stop_status());
  const SpareMemory memory;
  StatusOr<std::vector<char>> object = try_compile(memory, name, isa, emit);
  if (!memory.used()) return object;
  machine_slot(isa).reset();  // it uses spare memory, which the next compilation may need
  return out_of_memory();
}

}  // namespace

StatusOr<std::string> module_text(const char* name, Isa isa, EmitFunction emit) {
  Draft draft(name);
  HILO_RETURN_IF_ERROR(write_module(draft.module, isa, emit).status());
  HILO_RETURN_IF_ERROR(verify(draft.module));
  std::string text;
  llvm::raw_string_ostream(text) << draft.module;
  return text;
}

StatusOr<std::string> object_code(const char* name, Isa isa, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(const std::vector<char> object, compile_object(name, isa, emit));
  return std::string(object.begin(), object.end());
}

StatusOr<std::shared_ptr<CompiledCode>> compile_code(const char* name, Isa isa, EmitFunction emit) {
  HILO_ASSIGN_OR_RETURN(std::vector<char> object, compile_object(name, isa, emit));
  auto bytes = std::make_shared<const std::string>(object.begin(), object.end());
  return is_native(isa) ? load_object(bytes) : unloaded_object(bytes);
}

}  // namespace hilo::cpu
