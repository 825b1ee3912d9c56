// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/bisect/reduce.h"

#include <algorithm>
#include <optional>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/inspect/bisect/agreement.h"
#include "hilo/types/literal_leaves.h"

namespace hilo::hlo {
namespace {

/// One run of the reference evaluator: the value of each instruction of the entry, and the largest magnitude it depends
/// on.
struct Reference {
  std::vector<Literal> values;
  std::vector<double> scales;
};

StatusOr<Reference> run_reference(const Invocation& program, const CompareOptions& options) {
  const Computation& entry = *program.module.entry;
  Reference run;
  run.values.resize(entry.size());
  run.scales.resize(entry.size());
  double inside = 0;  // largest magnitude in computations called by the current instruction
  EvaluateOptions how;
  how.cancel_word = options.cancel_word;
  how.observe = [&](const Instruction& i, const Literal& value) {
    inside = std::max(inside, greatest_magnitude(value));
    if (i.id >= entry.size() || &entry.instruction(i.id) != &i) return;
    run.values[i.id] = value;
    run.scales[i.id] = inside;
    for (InstructionId operand : i.operands) run.scales[i.id] = std::max(run.scales[i.id], run.scales[operand]);
    inside = 0;
  };
  HILO_RETURN_IF_ERROR(evaluate(entry, std::span<const Literal>(program.arguments), how).status());
  return run;
}

/// Returns the results of the entry: elements of the root, or the root.
std::vector<InstructionId> results_of(const Computation& entry) {
  const Instruction& root = entry.root();
  if (root.opcode == Opcode::kTuple) return {root.operands.begin(), root.operands.end()};
  return {entry.root_id()};
}

bool is_exact(const Instruction& instruction, const CompareOptions& options) {
  return options.exact && options.exact(instruction);
}

struct Finding {
  InstructionId result;
  std::string text;
};

std::optional<Finding> first_finding(const Invocation& program, const EngineFunction& engine,
                                     const CompareOptions& options) {
  const Computation& entry = *program.module.entry;
  const std::vector<InstructionId> results = results_of(entry);
  if (results.empty()) return std::nullopt;
  const StatusOr<Reference> reference = run_reference(program, options);
  if (!reference.ok()) return Finding{results[0], "reference: " + reference.status().to_string()};
  const StatusOr<std::vector<Literal>> got = engine(program.module, leaves_of(program.arguments));
  if (!got.ok()) return Finding{results[0], "engine: " + got.status().to_string()};
  size_t leaf = 0;
  for (InstructionId result : results) {
    const Instruction& instruction = entry.instruction(result);
    for (const Literal& expected : leaves_of(reference->values[result])) {
      if (leaf == got->size()) return Finding{result, "the engine returned too few results"};
      const std::string text =
          parting((*got)[leaf++], expected, reference->scales[result], is_exact(instruction, options));
      if (!text.empty()) return Finding{result, instruction.name + ": " + text};
    }
  }
  return std::nullopt;
}

/// Copies the required part of a program.
class Part {
 public:
  Part(const Invocation& program, const std::unordered_map<InstructionId, Literal>& known)
      : program_(program), known_(known), draft_("main"), moved_(program.module.entry->size()) {}

  StatusOr<Invocation> up_to(InstructionId result) && {
    const Computation& entry = *program_.module.entry;
    const std::vector<bool> needed = needed_for(result);
    for (const Instruction& i : entry.instructions()) {
      if (needed[i.id]) copy(i);
    }
    part_.module.name = program_.module.name;
    HILO_ASSIGN_OR_RETURN(part_.module.entry, std::move(draft_).finish(moved_[result]));
    return std::move(part_);
  }

 private:
  std::vector<bool> needed_for(InstructionId result) const {
    const Computation& entry = *program_.module.entry;
    std::vector<bool> needed(entry.size());
    needed[result] = true;
    for (InstructionId id = result + 1; id-- > 0;) {
      if (!needed[id] || known_.contains(id)) continue;
      for (InstructionId operand : entry.instruction(id).operands) needed[operand] = true;
    }
    return needed;
  }

  void copy(const Instruction& i) {
    if (const auto it = known_.find(i.id); it != known_.end()) return parameter(i, it->second);
    if (i.opcode == Opcode::kParameter)
      return parameter(i, program_.arguments[attributes_of<ParameterAttributes>(i).number]);
    std::vector<InstructionId> operands;
    for (InstructionId operand : i.operands) operands.push_back(moved_[operand]);
    moved_[i.id] = draft_.append_copy(i, operands);
  }

  void parameter(const Instruction& i, Literal value) {
    auto number = std::make_shared<ParameterAttributes>();
    number->number = std::ssize(part_.arguments);
    moved_[i.id] = draft_.append(Opcode::kParameter, value.shape(), {}, std::move(number), i.name);
    part_.arguments.push_back(std::move(value));
  }

  const Invocation& program_;
  const std::unordered_map<InstructionId, Literal>& known_;
  ComputationDraft draft_;
  std::vector<InstructionId> moved_;
  Invocation part_;
};

/// Copies a program and makes its arguments constants or parameters.
class WithConstants {
 public:
  WithConstants(const Invocation& program, const std::function<bool(const Literal&)>& written)
      : program_(program), written_(written), draft_("main") {}

  StatusOr<Invocation> made() && {
    const Computation& entry = *program_.module.entry;
    std::vector<InstructionId> moved(entry.size());
    for (const Instruction& i : entry.instructions()) {
      if (i.opcode == Opcode::kParameter) {
        const int64_t number = attributes_of<ParameterAttributes>(i).number;
        moved[i.id] = value(program_.arguments[number], i.name);
        continue;
      }
      std::vector<InstructionId> operands;
      for (InstructionId operand : i.operands) operands.push_back(moved[operand]);
      moved[i.id] = draft_.append_copy(i, operands);
    }
    out_.module.name = program_.module.name;
    HILO_ASSIGN_OR_RETURN(out_.module.entry, std::move(draft_).finish(moved[entry.root_id()]));
    return std::move(out_);
  }

 private:
  InstructionId value(const Literal& literal, const std::string& name) {  // nesting of shapes bounds the recursion
    if (literal.is_tuple()) {
      std::vector<InstructionId> elements;
      for (const Literal& element : literal.elements()) elements.push_back(value(element, name));
      return draft_.append(Opcode::kTuple, literal.shape(), elements);
    }
    if (written_(literal)) {
      auto constant = std::make_shared<ConstantAttributes>();
      constant->value = literal;
      const InstructionId id = draft_.append(Opcode::kConstant, literal.shape(), {}, std::move(constant));
      return draft_.append(Opcode::kOptimizationBarrier, literal.shape(), std::span(&id, 1), nullptr, name);
    }
    auto number = std::make_shared<ParameterAttributes>();
    number->number = std::ssize(out_.arguments);
    out_.arguments.push_back(literal);
    return draft_.append(Opcode::kParameter, literal.shape(), {}, std::move(number), name);
  }

  const Invocation& program_;
  const std::function<bool(const Literal&)>& written_;
  ComputationDraft draft_;
  Invocation out_;
};

}  // namespace

StatusOr<std::vector<Expected>> expected_of(const Invocation& program, const CompareOptions& options) {
  const Computation& entry = *program.module.entry;
  HILO_ASSIGN_OR_RETURN(const Reference reference, run_reference(program, options));
  std::vector<Expected> all;
  for (InstructionId result : results_of(entry)) {
    const bool exact = is_exact(entry.instruction(result), options);
    for (Literal& leaf : leaves_of(reference.values[result]))
      all.push_back({std::move(leaf), exact, reference.scales[result]});
  }
  return all;
}

std::string disagreement(const Invocation& program, const EngineFunction& engine, const CompareOptions& options) {
  const std::optional<Finding> finding = first_finding(program, engine, options);
  return finding ? finding->text : "";
}

StatusOr<Invocation> part_of(const Invocation& program, InstructionId result,
                             const std::unordered_map<InstructionId, Literal>& known) {
  return Part(program, known).up_to(result);
}

Invocation reduced(Invocation program, const EngineFunction& engine, const CompareOptions& options) {
  const std::optional<Finding> finding = first_finding(program, engine, options);
  if (!finding) return program;
  const auto differs = [&](const StatusOr<Invocation>& smaller) {
    return smaller.ok() && first_finding(*smaller, engine, options).has_value();
  };
  StatusOr<Invocation> smaller = part_of(program, finding->result, {});
  if (differs(smaller)) program = *std::move(smaller);
  // From the last instruction on, values that needn't be computed become arguments, and their operands are removed.
  const int64_t of = program.module.entry->root_id();
  for (InstructionId id = program.module.entry->root_id(); id-- > 0;) {
    if (id >= program.module.entry->size() || program.module.entry->instruction(id).opcode == Opcode::kParameter)
      continue;
    if (options.progress) options.progress("reducing", of - static_cast<int64_t>(id), of);
    const StatusOr<Reference> reference = run_reference(program, options);
    if (!reference.ok()) break;
    smaller = part_of(program, program.module.entry->root_id(), {{id, reference->values[id]}});
    if (!differs(smaller)) continue;
    program = *std::move(smaller);
    id = program.module.entry->root_id();
  }
  return program;
}

StatusOr<Invocation> with_constants(const Invocation& program, const std::function<bool(const Literal&)>& written) {
  return WithConstants(program, written).made();
}

bool is_op(const Instruction& instruction) {
  return instruction.opcode != Opcode::kParameter && instruction.opcode != Opcode::kTuple &&
         instruction.opcode != Opcode::kGetTupleElement;
}

int64_t op_count(const Computation& computation) {
  return std::ranges::count_if(computation.instructions(),
                               [](const Instruction& i) { return is_op(i) && i.opcode != Opcode::kCopy; });
}

}  // namespace hilo::hlo
