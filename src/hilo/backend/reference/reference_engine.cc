// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/reference/reference_engine.h"

#include <mutex>
#include <unordered_map>

#include "hilo/backend/host/host_clock.h"
#include "hilo/backend/limits.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/types/literal_leaves.h"

namespace hilo {
namespace {

/// Returns the descriptions of all instructions for observers.
std::unordered_map<const hlo::Instruction*, ExecutionUnit> units_of(const hlo::Module& module) {
  std::unordered_map<const hlo::Instruction*, ExecutionUnit> units;
  const hlo::CostAnalysis costs(module.entry);
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions())
      units.emplace(&i, ExecutionUnit{std::string(i.def().name), {&i}, costs.of(i, *computation).bytes});
  }
  return units;
}

class ReferenceProgram final : public HostProgram {
 public:
  ReferenceProgram(ProgramSignature signature, const hlo::Module& module)
      : signature_(std::move(signature)), module_(module) {}
  const ProgramSignature& signature() const override { return signature_; }
  const hlo::Module* optimized_module() const override { return &module_; }
  ExecutableStatistics statistics() const override {
    ExecutableStatistics statistics;
    statistics.program_bytes = hlo::held_bytes(module_.entry);
    return statistics;
  }

  Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results, std::span<const bool> donated,
             const RunContext& context) override {
    std::vector<Literal> leaves;
    for (const BufferPtr& argument : arguments) {
      HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_held_buffer(*argument));
      leaves.push_back(std::move(literal));
    }
    std::vector<Literal> parameters;
    size_t next = 0;
    for (hlo::InstructionId id : module_.entry->parameters())
      parameters.push_back(packed(module_.entry->instruction(id).shape, leaves, next));
    for (size_t i = 0; i < donated.size(); ++i) {
      if (donated[i]) host(arguments[i]).take_memory();
    }
    hlo::EvaluateOptions how;
    how.cancel_word = context.stop_word;
    if (context.observer != nullptr) observe(*context.observer, how);
    how.collective = collective_function(context.communicator, hlo::evaluate_called);
    how.memory = &memory_;
    const FloatingPointScope control(program_underflow());
    const StatusOr<Literal> value = hlo::evaluate(module_, parameters, how);
    if (!value.ok())
      return stop_requested() ? value.status().with_context("Execute '" + signature_.name + "'") : value.status();
    const std::vector<Literal> flat = leaves_of(*value);
    for (size_t i = 0; i < flat.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(results[i], buffer_from_literal(*context.device, flat[i], signature_.result_shapes[i]));
    }
    return ok_status();
  }

 private:
  /// Reports one unit per instruction. They are created for the first observer.
  void observe(ExecutionObserver& observer, hlo::EvaluateOptions& how) {
    std::call_once(units_made_, [this] { units_ = units_of(module_); });
    how.timed = [this, &observer](const hlo::Instruction& i, auto begin, auto end) {
      const int64_t began = nanoseconds_of(begin);
      observer.on_unit(units_.at(&i), {began, nanoseconds_of(end) - began, host_lane()});
    };
  }

  const ProgramSignature signature_;
  const hlo::Module module_;
  hlo::EvaluatorMemory memory_;
  std::once_flag units_made_;
  std::unordered_map<const hlo::Instruction*, ExecutionUnit> units_;
};

class ReferenceEngine final : public HostEngine {
 public:
  std::string_view platform_name() const override { return "Reference"; }
  std::string device_kind() const override { return "evaluator"; }
  StatusOr<std::unique_ptr<HostProgram>> compile(const hlo::Module& module, const CompileOptions& options,
                                                 hlo::PassObserver*) override try {
    HILO_RETURN_IF_ERROR(check_collectives(module, options.replica_count));
    HILO_RETURN_IF_ERROR(check_instruction_limit(module, options.limits));
    hlo::Module row_major = module;
    HILO_RETURN_IF_ERROR(hlo::normalize_layouts(row_major).status());
    auto program = std::make_unique<ReferenceProgram>(host_signature(module, options), row_major);
    HILO_RETURN_IF_ERROR(check_memory_limit(program->signature(), {}, options.limits));
    return std::unique_ptr<HostProgram>(std::move(program));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
};

}  // namespace

HostEngine& reference_engine() {
  static auto* const engine = new ReferenceEngine;
  return *engine;
}

}  // namespace hilo
