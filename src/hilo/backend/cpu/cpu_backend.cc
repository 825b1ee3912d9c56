// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/cpu_backend.h"

#include <chrono>

#include "hilo/backend/cpu/executable.h"
#include "hilo/backend/cpu/isa.h"
#include "hilo/backend/cpu/planner.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/verify/verifier.h"

namespace hilo {
namespace {

class CpuBackend final : public Backend {
 public:
  std::string_view platform_name() const override { return "Host"; }
  int device_count() const override { return 1; }

  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                hlo::PassObserver* observer) override try {
    if (module.entry == nullptr) return invalid_argument("module '" + module.name + "' has no entry computation");
    const auto began = std::chrono::steady_clock::now();
    HILO_RETURN_IF_ERROR(hlo::verify(module));
    HILO_ASSIGN_OR_RETURN(const int64_t replicas, replica_count_of(module, options.replica_count));
    HILO_RETURN_IF_ERROR(check_collectives(module, replicas));
    HILO_ASSIGN_OR_RETURN(const cpu::Isa isa, cpu::selected_isa());
    auto optimized = std::make_unique<hlo::Module>(module);
    hlo::DriverOptions passes;
    passes.observer = observer;
    HILO_RETURN_IF_ERROR(hlo::run_passes(*optimized, hlo::default_pipeline(), passes).status());
    HILO_ASSIGN_OR_RETURN(cpu::Program program,
                          cpu::plan_program(*optimized, isa, cpu::LoopForm::kFunctions, observer));
    const double milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    return std::unique_ptr<Executable>(

        std::make_unique<cpu::CpuExecutable>(module, replicas, std::move(optimized), std::move(program), milliseconds));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace hilo
