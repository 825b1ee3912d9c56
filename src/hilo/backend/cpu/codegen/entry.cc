// SPDX-License-Identifier: Apache-2.0
// The table that libhilo.so reads from libhilo_codegen.so. Its version is that of the headers at build time.
#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/backend/cpu/codegen/cpu_target.h"
#include "hilo/backend/cpu/object/object_figures.h"
#include "hilo/backend/cpu/object/test_program.h"
#include "hilo/backend/cpu/object/write_object.h"
#include "hilo/version.h"

namespace hilo::cpu {
namespace {

std::unique_ptr<engine::Target> target(Isa isa) { return std::make_unique<CpuTarget>(isa); }

}  // namespace
}  // namespace hilo::cpu

extern "C" const hilo::cpu::CodegenTable hilo_codegen = {{HILO_VERSION_STRING},     hilo::cpu::target,
                                                         hilo::cpu::compile_plan,   hilo::cpu::write_object,
                                                         hilo::cpu::isas_of_target, hilo::cpu::test_program};
