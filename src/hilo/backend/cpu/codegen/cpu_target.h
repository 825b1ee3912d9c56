// SPDX-License-Identifier: Apache-2.0
// backend/cpu/codegen/cpu_target.h -- x86-64 processors as a target of plans.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/costs.h"
#include "hilo/engine/planner.h"

namespace hilo::cpu {

class CpuTarget final : public engine::Target {
 public:
  explicit CpuTarget(Isa isa, engine::LoopForm form = engine::LoopForm::kStraight) : isa_(isa), form_(form) {}

  std::string_view name() const override { return isa_name(isa_); }
  const engine::Costs& costs() const override;
  engine::RegionShape shape_of(const engine::Region& region) const override;
  std::span<const hlo::Opcode> whole_ops() const override;
  /// Selects the function and compiles the code that the call needs.
  StatusOr<engine::LibraryChoice> library_choice(const engine::LibraryProblem& problem) const override;
  bool reads_view(const hlo::Instruction& instruction, size_t operand, std::span<const Shape> operands,
                  const engine::OperandView& view) const override;
  bool writes_view(const hlo::Instruction& instruction, std::span<const Shape> operands,
                   const engine::OperandView& view) const override;
  StatusOr<std::optional<engine::CodeFunction>> register_loop(const hlo::Computation& condition,
                                                              const hlo::Computation& body,
                                                              const engine::RegisterLoopForm& form) const override;
  std::optional<engine::StraightLineOptions> straight_line_options() const override;
  StatusOr<engine::CodeFunction> straight_line(const engine::StraightLine& line) const override;

 private:
  Isa isa_;
  engine::LoopForm form_;
};

}  // namespace hilo::cpu
