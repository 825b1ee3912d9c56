// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/cpu_target.h"

#include "hilo/backend/cpu/emit/new_code.h"
#include "hilo/backend/cpu/emit/region.h"
#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/engine/scalar_program.h"

namespace hilo::cpu {
RegionShape CpuTarget::shape_of(const Region& region) const { return shape_of_region(region, isa_); }

StatusOr<LibraryChoice> CpuTarget::library_choice(const LibraryProblem& problem) const {
  NewCode code(isa_);
  HILO_ASSIGN_OR_RETURN(const ChosenHero chosen, choose_hero({problem, isa_, code}));
  return LibraryChoice{chosen.symbol, chosen.hero->updates_in_place(), std::move(code).functions()};
}

StatusOr<std::optional<CodeFunction>> CpuTarget::register_loop(const hlo::Computation& condition,
                                                               const hlo::Computation& body) const {
  if (!is_scalar_program(condition) || !is_scalar_program(body)) return std::optional<CodeFunction>();
  HILO_ASSIGN_OR_RETURN(const ScalarProgram program, compile_scalar_loop(condition, body, isa_));
  return std::optional(CodeFunction{program.code->object(), ScalarProgram::kName});
}

}  // namespace hilo::cpu
