// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/bisect/bisect.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/inspect/bisect/agreement.h"
#include "hilo/types/literal_leaves.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kBatchBytes = int64_t{256} << 20;  // limit for the values of one run
constexpr int64_t kShownElements = 16;               // shown elements of each operand

using Values = std::unordered_map<InstructionId, Literal>;

bool is_all_arrays(const Shape& shape) {
  return std::ranges::all_of(shape.leaves(), [](const Shape& leaf) { return leaf.is_array(); });
}

/// Whether the op is deterministic. Custom calls are assumed to be.
bool is_comparable(const Computation& computation, const Instruction& i) {
  const bool has_effect = has_trait(i.opcode, kEffect) && i.opcode != Opcode::kCustomCall;
  if (has_effect || !is_all_arrays(i.shape)) return false;
  return std::ranges::all_of(
      i.operands, [&](InstructionId operand) { return is_all_arrays(computation.instruction(operand).shape); });
}

/// Instructions whose values one run of the engine returns, and those of them to compare.
struct Batch {
  std::vector<InstructionId> ops, values;
};

/// Groups the ops in order; each batch includes the operands of its ops.
std::vector<Batch> batches_of(const Computation& entry) {
  std::vector<Batch> batches;
  std::vector<size_t> batch_of(entry.size(), 0);  // last batch that contains the value, counted from 1
  int64_t bytes = 0;
  for (const Instruction& i : entry.instructions()) {
    if (!is_op(i) || !is_comparable(entry, i)) continue;
    if (batches.empty() || bytes > kBatchBytes) {
      batches.emplace_back();
      bytes = 0;
    }
    const auto give = [&](InstructionId id) {
      if (batch_of[id] == batches.size()) return;
      batch_of[id] = batches.size();
      batches.back().values.push_back(id);
      bytes += entry.instruction(id).shape.byte_size();
    };
    for (InstructionId operand : i.operands) give(operand);
    give(i.id);
    batches.back().ops.push_back(i.id);
  }
  return batches;
}

/// The values of some instructions, as the engine gives them.
StatusOr<Values> engine_values(const Invocation& program, const std::vector<InstructionId>& ids,
                               const EngineFunction& engine) {
  const Computation& entry = *program.module.entry;
  ComputationDraft draft(entry.name());
  std::vector<Shape> shapes;
  for (const Instruction& i : entry.instructions()) draft.append_copy(i, i.operands);
  for (InstructionId id : ids) shapes.push_back(entry.instruction(id).shape);
  const InstructionId root = draft.append(Opcode::kTuple, Shape::tuple(shapes), ids);
  Module module;
  module.name = program.module.name;
  HILO_ASSIGN_OR_RETURN(module.entry, std::move(draft).finish(root));
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> leaves, engine(module, leaves_of(program.arguments)));
  if (leaves.size() != module.entry->result_shape().leaves().size())
    return internal_error(fmt::format("the engine gives {} arrays; wanted {}", leaves.size(),
                                      module.entry->result_shape().leaves().size()));
  Values values;
  size_t next = 0;
  for (size_t k = 0; k < ids.size(); ++k) values[ids[k]] = packed(shapes[k], leaves, next);
  return values;
}

/// A diverging op: its program with the values it had.
struct Found {
  InstructionId op{};
  std::string difference;
  Values operands;
};

StatusOr<Invocation> op_alone(const Invocation& program, const Instruction& i, const Values& operands) {
  Invocation alone;
  ComputationDraft draft("main");
  std::vector<InstructionId> parameters;
  for (InstructionId operand : i.operands) {
    auto number = std::make_shared<ParameterAttributes>();
    number->number = std::ssize(parameters);
    const Literal& value = operands.at(operand);
    parameters.push_back(draft.append(Opcode::kParameter, value.shape(), {}, std::move(number)));
    alone.arguments.push_back(value);
  }
  const InstructionId root = draft.append_copy(i, parameters);
  alone.module.name = program.module.name;
  HILO_ASSIGN_OR_RETURN(alone.module.entry, std::move(draft).finish(root));
  return alone;
}

/// Describes the difference of the engine's value of an op and the reference's on the same operands; "" if they agree.
StatusOr<std::string> op_difference(const Invocation& program, const Instruction& i, const Values& operands,
                                    const Literal& got, const CompareOptions& options) {
  HILO_ASSIGN_OR_RETURN(const Invocation alone, op_alone(program, i, operands));
  HILO_ASSIGN_OR_RETURN(const std::vector<Expected> expected, expected_of(alone, {.cancel_word = options.cancel_word}));
  const std::vector<Literal> leaves = leaves_of(got);
  const bool exact = options.exact && options.exact(i);
  std::string text;
  for (size_t k = 0; k < expected.size() && text.empty(); ++k) {
    text = parting(leaves[k], expected[k].value, expected[k].scale, exact);
    if (!text.empty() && expected.size() > 1) text = fmt::format("result {}: {}", k, text);
  }
  return text;
}

Values operands_of(const Instruction& i, const Values& values) {
  Values operands;
  for (InstructionId operand : i.operands) operands[operand] = values.at(operand);
  return operands;
}

/// Returns the first op of the entry that diverges on its own operands. `agreed` counts those before it.
StatusOr<std::optional<Found>> first_parting_op(const Invocation& program, const EngineFunction& engine,
                                                const CompareOptions& options, int64_t& agreed) {
  const Computation& entry = *program.module.entry;
  for (const Batch& batch : batches_of(entry)) {
    HILO_ASSIGN_OR_RETURN(const Values values, engine_values(program, batch.values, engine));
    for (InstructionId op : batch.ops) {
      if (options.progress) options.progress("comparing", op, entry.size());
      const Instruction& i = entry.instruction(op);
      Values operands = operands_of(i, values);
      HILO_ASSIGN_OR_RETURN(std::string text, op_difference(program, i, operands, values.at(op), options));
      if (!text.empty()) return std::optional<Found>(Found{op, std::move(text), std::move(operands)});
      ++agreed;
    }
  }
  return std::optional<Found>();
}

/// A called computation with the arguments of the call.
struct Inner {
  std::string place;
  Invocation program;
};

Inner inner_of(const Invocation& outer, const Instruction& i, std::string_view place, ComputationPtr called,
               std::vector<Literal> arguments) {
  Inner inner;
  inner.place = describe(i) + std::string(place);
  inner.program.module.name = outer.module.name;
  inner.program.module.entry = std::move(called);
  inner.program.arguments = std::move(arguments);
  return inner;
}

/// Returns a loop's body, or its condition, on the first carry for which it diverges by itself.
StatusOr<std::optional<Inner>> parting_iteration(const Invocation& outer, const Instruction& i, Literal carry,
                                                 const EngineFunction& engine, const CompareOptions& options) {
  const auto& loop = attributes_of<WhileAttributes>(i);
  EvaluateOptions how;
  how.cancel_word = options.cancel_word;
  for (int64_t k = 0;; ++k) {
    if (options.progress) options.progress("running iterations of " + i.name, k, -1);
    for (const bool condition : {true, false}) {
      Inner inner = inner_of(outer, i, fmt::format(", {} in iteration {}", condition ? "condition" : "body", k),
                             condition ? loop.condition : loop.body, {carry});
      HILO_ASSIGN_OR_RETURN(Literal value, evaluate(*inner.program.module.entry, inner.program.arguments, how));
      if (!disagreement(inner.program, engine, options).empty()) return std::optional<Inner>(std::move(inner));
      if (!condition) carry = std::move(value);
      else if (!value.data<bool>()[0]) return std::optional<Inner>();
    }
  }
}

/// Returns the computation that a control flow op calls.
StatusOr<std::optional<Inner>> called_by(const Invocation& outer, const Found& found, const EngineFunction& engine,
                                         const CompareOptions& options) {
  const Instruction& i = outer.module.entry->instruction(found.op);
  std::vector<Literal> operands;
  for (InstructionId operand : i.operands) operands.push_back(found.operands.at(operand));
  switch (i.opcode) {
    case Opcode::kCall:
      return std::optional(inner_of(outer, i, "", attributes_of<CallAttributes>(i).to_apply, std::move(operands)));
    case Opcode::kFusion:
      return std::optional(inner_of(outer, i, "", attributes_of<RawAttributes>(i).called[0], std::move(operands)));
    case Opcode::kConditional: {
      const auto& conditional = attributes_of<ConditionalAttributes>(i);
      const size_t branch = chosen_branch(conditional, operands[0]);
      return std::optional(
          inner_of(outer, i, fmt::format(", branch {}", branch), conditional.branches[branch], {operands[branch + 1]}));
    }
    case Opcode::kWhile: return parting_iteration(outer, i, operands[0], engine, options);
    default: return std::optional<Inner>();
  }
}

std::string described(const Computation& computation, const Instruction& i) {
  std::string operands;
  for (InstructionId operand : i.operands) {
    if (!operands.empty()) operands += ", ";
    operands += computation.instruction(operand).shape.to_string();
  }
  return fmt::format("{}: {} {}({})", describe(i), i.shape.to_string(), i.def().name, operands);
}

/// Returns the op alone, with its constants if it diverges with them; nullopt if it doesn't diverge alone.
std::optional<Invocation> parting_alone(const Invocation& program, const Found& found, const EngineFunction& engine,
                                        const CompareOptions& options) {
  Values varying = found.operands;
  std::erase_if(varying, [&](const auto& operand) {
    return program.module.entry->instruction(operand.first).opcode == Opcode::kConstant;
  });
  for (const Values* const known : {&std::as_const(varying), &found.operands}) {
    StatusOr<Invocation> alone = part_of(program, found.op, *known);
    if (alone.ok() && !disagreement(*alone, engine, options).empty()) return *std::move(alone);
  }
  return std::nullopt;
}

Parting parting_at(const Invocation& program, const Found& found) {
  const Instruction& i = program.module.entry->instruction(found.op);
  Parting parting;
  parting.op = described(*program.module.entry, i);
  parting.difference = found.difference;
  for (InstructionId operand : i.operands)
    parting.operands.push_back(found.operands.at(operand).to_string(kShownElements));
  return parting;
}

/// Descends from a diverging op of the entry to the innermost one, and to a small program that diverges.
StatusOr<Bisection> descended(Invocation program, Found found, const EngineFunction& engine,
                              const CompareOptions& options) {
  std::vector<std::string> path;
  Bisection bisection;
  for (;;) {
    HILO_ASSIGN_OR_RETURN(std::optional<Inner> inner, called_by(program, found, engine, options));
    if (!inner) break;
    int64_t agreed = 0;
    HILO_ASSIGN_OR_RETURN(std::optional<Found> further, first_parting_op(inner->program, engine, options, agreed));
    if (!further) {
      bisection.parting = parting_at(program, found);
      bisection.parting->together = true;
      bisection.parting->path = std::move(path);
      const bool inside = !disagreement(inner->program, engine, options).empty();
      bisection.reduced = reduced(inside ? std::move(inner->program) : std::move(program), engine, options);
      return bisection;
    }
    path.push_back(std::move(inner->place));
    program = std::move(inner->program);
    found = *std::move(further);
  }
  bisection.parting = parting_at(program, found);
  bisection.parting->path = std::move(path);
  std::optional<Invocation> alone = parting_alone(program, found, engine, options);
  bisection.parting->alone = alone.has_value();
  bisection.reduced = alone ? *std::move(alone) : reduced(std::move(program), engine, options);
  return bisection;
}

}  // namespace

StatusOr<Bisection> bisect(const Invocation& program, const EngineFunction& engine, const CompareOptions& options) {
  Bisection bisection;
  int64_t agreed = 0;
  HILO_ASSIGN_OR_RETURN(std::optional<Found> found, first_parting_op(program, engine, options, agreed));
  if (found) {
    HILO_ASSIGN_OR_RETURN(bisection, descended(program, *std::move(found), engine, options));
  } else if (std::string difference = disagreement(program, engine, options); !difference.empty()) {
    bisection.parting.emplace();
    bisection.parting->together = true;
    bisection.parting->difference = std::move(difference);
    bisection.reduced = reduced(program, engine, options);
  }
  bisection.agreed = agreed;
  for (const Instruction& i : program.module.entry->instructions())
    bisection.not_compared += is_op(i) && !is_comparable(*program.module.entry, i) ? 1 : 0;
  if (bisection.parting) bisection.reduced_difference = disagreement(bisection.reduced, engine, options);
  return bisection;
}

}  // namespace hilo::hlo
