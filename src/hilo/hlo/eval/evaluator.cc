// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/eval/evaluator.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/random.h"

namespace hilo::hlo {
namespace {

using LiteralPointers = std::span<const Literal* const>;

/// The values of one run of a computation. Parameters point at the caller's literals; the frame owns all others.
struct Frame {
  explicit Frame(size_t size) : owned(size), values(size, nullptr) {}
  std::vector<std::optional<Literal>> owned;
  std::vector<const Literal*> values;
  std::vector<const Literal*> operands;  // operands of the current instruction
};

/// Facts that are computed once per computation, because a loop runs it many times.
struct Plan {
  // The instructions dead[dead_begin[i] .. dead_begin[i + 1]) have their last use in instruction i.
  std::vector<uint32_t> dead_begin;
  std::vector<InstructionId> dead;
  std::vector<std::unique_ptr<Frame>> spare_frames;
};

Plan make_plan(const Computation& computation) {
  constexpr InstructionId kUsedLater = kNoInstruction;
  std::vector<InstructionId> last_use(computation.size());
  for (const Instruction& i : computation.instructions()) {
    last_use[i.id] = i.id;  // an unused value is freed at once
    for (InstructionId operand : i.operands) last_use[operand] = i.id;
  }
  last_use[computation.root_id()] = kUsedLater;
  Plan plan;
  plan.dead_begin.assign(computation.size() + size_t{1}, 0);
  for (InstructionId use : last_use) {
    if (use != kUsedLater) ++plan.dead_begin[use + size_t{1}];
  }
  for (size_t i = 1; i < plan.dead_begin.size(); ++i) plan.dead_begin[i] += plan.dead_begin[i - 1];
  plan.dead.resize(plan.dead_begin.back());
  std::vector<uint32_t> next = plan.dead_begin;
  for (InstructionId id = 0; id < computation.size(); ++id) {
    if (last_use[id] != kUsedLater) plan.dead[next[last_use[id]]++] = id;
  }
  return plan;
}

class Evaluator {
 public:
  explicit Evaluator(const EvaluateOptions& options)
      : options_(options),
        memory_(options.memory != nullptr ? *options.memory : own_memory_),
        scope_(options.cancel_word),
        run_([this](const Computation& called, LiteralPointers arguments) { return run(called, arguments); }) {}

  StatusOr<Literal> run(const Computation& computation, LiteralPointers arguments) {
    if (stop_.raised()) return stop_status().with_context(fmt::format("evaluation of '{}'", computation.name()));
    if (depth_ == kMaxEvaluateDepth) {
      return resource_exhausted(fmt::format("'{}' is called at depth {}; the limit is {}. Hint: inline calls first",
                                            computation.name(), depth_ + 1, kMaxEvaluateDepth));
    }
    ++depth_;
    Plan& plan = plan_of(computation);
    std::unique_ptr<Frame> frame = take_frame(plan, computation.size());
    StatusOr<Literal> result = run_in(*frame, plan, computation, arguments);
    plan.spare_frames.push_back(std::move(frame));
    --depth_;
    return result;
  }

 private:
  Plan& plan_of(const Computation& computation) {
    const auto [it, fresh] = plans_.try_emplace(&computation);
    if (fresh) it->second = make_plan(computation);
    return it->second;  // unordered_map never moves its values
  }

  static std::unique_ptr<Frame> take_frame(Plan& plan, size_t size) {
    if (plan.spare_frames.empty()) return std::make_unique<Frame>(size);
    std::unique_ptr<Frame> frame = std::move(plan.spare_frames.back());
    plan.spare_frames.pop_back();
    return frame;
  }

  StatusOr<Literal> run_in(Frame& frame, const Plan& plan, const Computation& computation, LiteralPointers arguments) {
    for (const Instruction& instruction : computation.instructions()) {
      if (instruction.opcode == Opcode::kParameter) {
        frame.values[instruction.id] = arguments[attributes_of<ParameterAttributes>(instruction).number];
      } else {
        StatusOr<Literal> value = compute_timed(frame, computation, instruction);
        if (!value.ok()) {
          for (std::optional<Literal>& owned : frame.owned) owned.reset();
          return value;
        }
        frame.values[instruction.id] = &frame.owned[instruction.id].emplace(std::move(value).value());
      }
      if (options_.observe) options_.observe(instruction, *frame.values[instruction.id]);
      for (uint32_t d = plan.dead_begin[instruction.id]; d < plan.dead_begin[instruction.id + size_t{1}]; ++d) {
        frame.owned[plan.dead[d]].reset();
      }
    }
    std::optional<Literal>& root = frame.owned[computation.root_id()];
    if (!root) return *frame.values[computation.root_id()];  // the root is a parameter
    Literal result = *std::move(root);
    root.reset();
    return result;
  }

  StatusOr<Literal> compute_timed(Frame& frame, const Computation& computation, const Instruction& instruction) {
    if (!options_.timed || inside_timed_ || is_control_flow(instruction.opcode))
      return compute(frame, computation, instruction);
    inside_timed_ = true;
    const auto begin = EvaluateOptions::Clock::now();
    StatusOr<Literal> value = compute(frame, computation, instruction);
    options_.timed(instruction, begin, EvaluateOptions::Clock::now());
    inside_timed_ = false;
    return value;
  }

  static bool is_control_flow(Opcode opcode) {
    return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
  }

  StatusOr<Literal> compute(Frame& frame, const Computation& computation, const Instruction& instruction) {
    frame.operands.clear();
    for (InstructionId operand : instruction.operands) frame.operands.push_back(frame.values[operand]);
    const OpDef& def = instruction.def();
    if (instruction.opcode == Opcode::kRngGetAndUpdateState) return next_rng_state(instruction);
    if (def.evaluate == nullptr) return compute_decomposed(frame, computation, instruction);
    StatusOr<Literal> value = def.evaluate({instruction, frame.operands, run_, &options_.collective});
    // A kernel that was stopped returns an unfinished value or a misleading error.
    if (stop_.raised()) return located(stop_status(), instruction);
    if (!value.ok()) return located(value.status(), instruction);
    return value;
  }

  /// Returns the state of rng-get-and-update-state, the only op with a memory.
  Literal next_rng_state(const Instruction& instruction) {
    const std::scoped_lock lock(memory_.mutex);
    const auto [it, fresh] = memory_.rng_states.try_emplace(&instruction, first_rng_state());
    const Literal state = it->second;
    it->second = advanced_rng_state(state, attributes_of<RngStateAttributes>(instruction).delta);
    return state;
  }

  StatusOr<Literal> compute_decomposed(Frame& frame, const Computation& computation, const Instruction& instruction) {
    const StatusOr<ComputationPtr> decomposition = decomposition_of(computation, instruction);
    if (!decomposition.ok()) return located(decomposition.status(), instruction);
    return run(**decomposition, frame.operands);
  }

  StatusOr<ComputationPtr> decomposition_of(const Computation& computation, const Instruction& instruction) {
    const std::scoped_lock lock(memory_.mutex);
    if (const auto known = memory_.decompositions.find(&instruction); known != memory_.decompositions.end())
      return known->second;
    if (instruction.def().decompose == nullptr) return unimplemented("this op has no reference kernel in this version");
    std::vector<Shape> shapes;
    for (InstructionId operand : instruction.operands) shapes.push_back(computation.instruction(operand).shape);
    HILO_ASSIGN_OR_RETURN(ComputationPtr result, instruction.def().decompose(instruction, shapes));
    memory_.decompositions.emplace(&instruction, result);
    return result;
  }

  /// Adds the name of the innermost instruction, once; callers pass the error on unchanged.
  Status located(const Status& status, const Instruction& instruction) {
    if (located_) return status;
    located_ = true;
    return status.with_context(describe(instruction));
  }

  const EvaluateOptions& options_;
  EvaluatorMemory own_memory_;
  EvaluatorMemory& memory_;
  const StopScope scope_;
  const StopFlag stop_;  // declared after the scope, whose stop word it reads
  const std::function<StatusOr<Literal>(const Computation&, LiteralPointers)> run_;
  std::unordered_map<const Computation*, Plan> plans_;
  int depth_ = 0;
  bool inside_timed_ = false;
  bool located_ = false;
};

Status check_arguments(std::string_view name, const Computation& computation, std::span<const Literal> arguments) {
  const size_t expected = computation.parameter_count();
  if (arguments.size() != expected) {
    return invalid_argument(fmt::format("Execute '{}': got {} argument{}, compiled for {}", name, arguments.size(),
                                        arguments.size() == 1 ? "" : "s", expected));
  }
  for (size_t i = 0; i < expected; ++i) {
    const Instruction& parameter = computation.parameter(i);
    if (arguments[i].shape().compatible(parameter.shape)) continue;
    return invalid_argument(fmt::format("Execute '{}': argument {} '{}' is {}, compiled for {}", name, i,
                                        parameter.name, arguments[i].shape().to_string(), parameter.shape.to_string()));
  }
  return ok_status();
}

StatusOr<Literal> evaluate_named(std::string_view name, const Computation& computation,
                                 std::span<const Literal> arguments, const EvaluateOptions& options) {
  HILO_RETURN_IF_ERROR(check_arguments(name, computation, arguments));
  std::vector<const Literal*> pointers;
  pointers.reserve(arguments.size());
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  const FloatingPointScope nearest;
  return Evaluator(options).run(computation, pointers);
}

}  // namespace

StatusOr<Literal> evaluate(const Computation& computation, std::span<const Literal> arguments,
                           const EvaluateOptions& options) try {
  return evaluate_named(computation.name(), computation, arguments, options);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<Literal> evaluate(const Module& module, std::span<const Literal> arguments,
                           const EvaluateOptions& options) try {
  if (module.entry == nullptr)
    return invalid_argument(fmt::format("Execute '{}': the module has no entry computation", module.name));
  return evaluate_named(module.name.empty() ? module.entry->name() : module.name, *module.entry, arguments, options);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<Literal> evaluate_called(const Computation& computation, std::span<const Literal* const> arguments) {
  return Evaluator(EvaluateOptions()).run(computation, arguments);
}

}  // namespace hilo::hlo
