// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/machine_code.h"

#include <fmt/format.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <array>
#include <mutex>
#include <string>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/sizes.h"
#include "hilo/base/thread_own.h"

namespace hilo::cpu {
namespace {

void on_fatal_error(void*, const char* reason, bool) {
  throw CodegenFailure{or_out_of_memory([&] { return internal_error(fmt::format("code generation: {}", reason)); })};
}

/// LLVM calls it if malloc fails there, or if even the spare memory is used up.
void on_bad_alloc(void*, const char*, bool) { throw CodegenFailure{out_of_memory()}; }

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    initialize_back_end();
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

llvm::CodeGenOptLevel llvm_level(CodeLevel level) {
  switch (level) {
    case CodeLevel::kQuick: return llvm::CodeGenOptLevel::None;
    case CodeLevel::kGood: return llvm::CodeGenOptLevel::Default;
    case CodeLevel::kBest: return llvm::CodeGenOptLevel::Aggressive;
  }
  return llvm::CodeGenOptLevel::Default;
}

}  // namespace

MachinePtr& machine_slot(Isa isa, CodeLevel level) {
  return thread_own<std::array<MachinePtr, kIsaCount * kCodeLevelCount>>()[ordinal(isa) * kCodeLevelCount +
                                                                           ordinal(level)];
}

StatusOr<llvm::TargetMachine*> target_machine(Isa isa, CodeLevel level) {
  initialize_llvm();
  MachinePtr& slot = machine_slot(isa, level);
  if (slot != nullptr) return slot.get();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(llvm_triple(isa), error);
  if (target == nullptr) return internal_error(fmt::format("code generation: {}", error));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // fused multiply-adds are explicit; LLVM must not form others
  options.EmitStackSizeSection = true;  // files of `hilo compile --to object` state how much stack a call needs
  slot.reset(target->createTargetMachine(llvm_triple(isa), llvm_cpu_name(isa), llvm_features(isa), options,
                                         llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm_level(level), /*JIT=*/true));
  if (slot == nullptr) return internal_error(fmt::format("code generation: no target machine for {}", isa_name(isa)));
  slot->setFastISel(level == CodeLevel::kQuick);
  slot->setGlobalISel(false);  // AArch64's default for quick code
  return slot.get();
}

namespace {

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

}  // namespace

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

}  // namespace hilo::cpu
