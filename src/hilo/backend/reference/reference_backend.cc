// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/reference/reference_backend.h"

#include <mutex>
#include <unordered_map>

#include "hilo/backend/limits.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/types/literal_leaves.h"

namespace hilo {
namespace {

/// What observers are told of every instruction.
std::unordered_map<const hlo::Instruction*, ExecutionUnit> units_of(const hlo::Module& module) {
  std::unordered_map<const hlo::Instruction*, ExecutionUnit> units;
  const hlo::CostAnalysis costs(module.entry);
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions())
      units.emplace(&i, ExecutionUnit{std::string(i.def().name), {&i}, costs.of(i, *computation).bytes});
  }
  return units;
}

class ReferenceExecutable final : public Executable {
 public:
  ReferenceExecutable(const hlo::Module& module, int64_t replica_count, double run_seconds) : module_(module) {
    set_signature(module, replica_count, run_seconds);
  }
  const hlo::Module& optimized_module() const override { return module_; }

 protected:
  Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
             const ExecuteOptions& options) override {
    std::vector<Literal> leaves;
    for (const BufferPtr& argument : arguments) {
      HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_held_buffer(*argument));
      leaves.push_back(std::move(literal));
    }
    std::vector<Literal> parameters;
    size_t next = 0;
    for (hlo::InstructionId id : module_.entry->parameters())
      parameters.push_back(packed(module_.entry->instruction(id).shape, leaves, next));
    for (size_t i = 0; i < options.donated.size(); ++i) {
      if (options.donated[i]) arguments[i]->release(BufferState::kDonated);
    }
    hlo::EvaluateOptions how;
    how.cancel_word = stop_word();
    if (options.observer != nullptr) observe(*options.observer, how);
    how.collective = collective_function(options.communicator, hlo::evaluate_called);
    const FloatingPointScope control(program_underflow());
    const StatusOr<Literal> value = hlo::evaluate(module_, parameters, how);
    if (!value.ok()) return stop_requested() ? value.status().with_context("Execute '" + name() + "'") : value.status();
    const std::vector<Literal> flat = leaves_of(*value);
    for (size_t i = 0; i < flat.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(results[i], buffer_from_literal(flat[i], result_shapes()[i], options.replica));
    }
    return ok_status();
  }

 private:
  /// A unit an instruction. They are made for the first observer.
  void observe(ExecutionObserver& observer, hlo::EvaluateOptions& how) {
    std::call_once(units_made_, [this] { units_ = units_of(module_); });
    how.timed = [this, &observer](const hlo::Instruction& i, auto begin, auto end) {
      observer.on_unit(units_.at(&i), begin, end);
    };
  }

  hlo::Module module_;
  std::once_flag units_made_;
  std::unordered_map<const hlo::Instruction*, ExecutionUnit> units_;
};

class ReferenceBackend final : public Backend {
 public:
  std::string_view platform_name() const override { return "Reference"; }
  int device_count() const override { return 1; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                hlo::PassObserver*) override try {
    if (module.entry == nullptr) return invalid_argument("module '" + module.name + "' has no entry computation");
    HILO_ASSIGN_OR_RETURN(const int64_t replicas, replica_count_of(module, options.replica_count));
    HILO_RETURN_IF_ERROR(check_collectives(module, replicas));
    HILO_RETURN_IF_ERROR(check_instruction_limit(module, Counted::kOnce, options.limits));
    auto executable = std::make_unique<ReferenceExecutable>(module, replicas, options.limits.run_seconds);
    HILO_RETURN_IF_ERROR(check_memory_limit(*executable, options.limits));
    return std::unique_ptr<Executable>(std::move(executable));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace hilo
