// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/codegen/cpu_target.h"

#include <limits>

#include "hilo/backend/cpu/emit/new_code.h"
#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/register_loop.h"
#include "hilo/backend/cpu/emit/straight_line.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/ir/extensions.h"

namespace hilo::cpu {

using engine::CodeFunction, engine::LibraryChoice;

std::span<const hlo::Opcode> CpuTarget::whole_ops() const {
  static constexpr hlo::Opcode kFused[] = {hlo::kExtFma};
  return has_fma(isa_) ? std::span<const hlo::Opcode>(kFused) : std::span<const hlo::Opcode>();
}

RegionShape CpuTarget::shape_of(const Region& region) const { return shape_of_region(region, isa_); }

StatusOr<LibraryChoice> CpuTarget::library_choice(const LibraryProblem& problem) const {
  NewCode code(isa_);
  HILO_ASSIGN_OR_RETURN(const ChosenHero chosen, choose_hero({problem, library_isa(isa_), code}));
  return LibraryChoice{chosen.symbol, chosen.hero->updates_in_place(), std::move(code).functions()};
}

// A dot copies what it can't read in place as fast as a region would.
bool CpuTarget::reads_view(const hlo::Instruction& instruction, size_t, std::span<const Shape>,
                           const OperandView&) const {
  return instruction.opcode == hlo::Opcode::kDot;
}

bool CpuTarget::writes_view(const hlo::Instruction& instruction, std::span<const Shape> operands,
                            const OperandView&) const {
  return instruction.opcode == hlo::Opcode::kDot && dot_writes_view(library_isa(isa_), instruction, operands);
}

StatusOr<std::optional<CodeFunction>> CpuTarget::register_loop(const hlo::Computation& condition,
                                                               const hlo::Computation& body,
                                                               const engine::RegisterLoopForm& form) const {
  if (form_ > engine::LoopForm::kRegisters) return std::optional<CodeFunction>();
  HILO_ASSIGN_OR_RETURN(const RegisterLoop loop, compile_register_loop(condition, body, form, isa_));
  return std::optional(CodeFunction{loop.code->object(), RegisterLoop::kName});
}

const engine::Costs& CpuTarget::costs() const {
  static constexpr engine::Costs kAlone = [] {
    engine::Costs costs = kCpuCosts;
    costs.product_call = std::numeric_limits<double>::infinity();
    return costs;
  }();
  return form_ == engine::LoopForm::kAlone ? kAlone : kCpuCosts;
}

std::optional<engine::StraightLineOptions> CpuTarget::straight_line_options() const {
  if (form_ > engine::LoopForm::kAlone) return std::nullopt;
  return engine::StraightLineOptions{
      .fused = has_fma(isa_), .vector_bytes = vector_bytes(isa_), .guarded = form_ == engine::LoopForm::kStraight};
}

StatusOr<engine::CodeFunction> CpuTarget::straight_line(const engine::StraightLine& line) const {
  HILO_ASSIGN_OR_RETURN(const StraightLineCode code, compile_straight_line(line, isa_));
  return engine::CodeFunction{code.code->object(), StraightLineCode::kName};
}

}  // namespace hilo::cpu
