// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/program_module.h"

#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"

namespace hilo::cpu {

const hlo::Module* ProgramModule::get() const {
  std::call_once(read_, [this] {
    if (module_ != nullptr || proto_.empty()) return;
    if (StatusOr<hlo::Module> read = hlo::from_proto(proto_); read.ok())
      module_ = std::make_unique<const hlo::Module>(*std::move(read));
  });
  return module_.get();
}

std::string ProgramModule::proto() const {
  if (!proto_.empty() || get() == nullptr) return proto_;
  StatusOr<std::string> bytes = hlo::to_proto(*get());
  return bytes.ok() ? *std::move(bytes) : std::string();
}

std::span<const ExecutionUnit> ProgramModule::units(const engine::Plan& plan) const {
  std::call_once(units_once_, [&] {
    std::vector<hlo::ComputationPtr> computations;
    if (get() != nullptr) computations = hlo::computations_of(*get());
    for (const engine::PlannedWork& work : plan.work) {
      ExecutionUnit& unit = units_.emplace_back(ExecutionUnit{work.kind, {}, work.bytes, work.form});
      for (const engine::InstructionPlace& place : work.instructions) {
        if (place.computation < computations.size() && place.id < computations[place.computation]->size())
          unit.instructions.push_back(&computations[place.computation]->instruction(place.id));
      }
    }
  });
  return units_;
}

int64_t ProgramModule::held_bytes() const {
  // A module that is parsed later replaces its bytes, which need about as much memory.
  return proto_.empty() && module_ != nullptr ? hlo::held_bytes(module_->entry) : std::ssize(proto_);
}

}  // namespace hilo::cpu
