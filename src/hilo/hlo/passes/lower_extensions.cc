// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/known_calls.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

constexpr int kMostLevels =
    16;  // decompositions in decompositions; a decomposition that needs itself must end somewhere

constexpr int64_t kMaxExpansion = 16;  // instructions for each of the program: what is beyond is called

/// Ops that every engine runs as they are: the decomposition of fma rounds twice.
constexpr Opcode kNativeEverywhere[] = {kExtFma};

/// What all levels of one pass share.
struct Lowering {
  std::span<const Opcode> native;
  GrowthBudget budget;
};

StatusOr<bool> lower(Module& module, Lowering& how, int level);

/// The decomposition of one extension op, itself without extension ops.
StatusOr<ComputationPtr> decomposition_of(const Instruction& instruction, const RewriteBuilder& b,
                                          Lowering& how, int level) {
  if (level == kMostLevels)
    return internal_error(fmt::format("{}: its decomposition doesn't end", describe(instruction)));
  std::vector<Shape> operands;
  for (InstructionId operand : instruction.operands) operands.push_back(b.source().instruction(operand).shape);
  const auto decompose = is_known_call(instruction) ? decompose_known_call : instruction.def().decompose;
  if (decompose == nullptr) {
    return unimplemented(
        fmt::format("{}: has no decomposition and the backend doesn't run it itself", describe(instruction)));
  }
  StatusOr<ComputationPtr> body = decompose(instruction, operands);
  if (!body.ok()) return body.status().with_context(describe(instruction));
  const std::vector<ComputationPtr> called = called_computations(instruction);
  if (std::ranges::find(called, *body) != called.end()) return body;  // lowered before its callers
  Module inner;
  inner.entry = *body;
  HILO_RETURN_IF_ERROR(lower(inner, how, level + 1).status());
  return inner.entry;
}

/// A composite is a call of its decomposition to an engine that doesn't know its name.
AttributesPtr without_composite(const Instruction& call) {
  auto attributes = std::make_shared<CallAttributes>(attributes_of<CallAttributes>(call));
  attributes->is_composite = false;
  return attributes;
}

bool is_composite(const Instruction& i) {
  return i.opcode == Opcode::kCall && attributes_of<CallAttributes>(i).is_composite;
}

bool must_be_lowered(const Instruction& i, std::span<const Opcode> native) {
  if (i.opcode == Opcode::kCustomCall) return is_known_call(i);
  const bool expands = has_trait(i.opcode, kExtension) || i.def().decompose != nullptr;
  const auto is_in = [&](std::span<const Opcode> ops) { return std::ranges::find(ops, i.opcode) != ops.end(); };
  return expands && !is_in(kNativeEverywhere) && !is_in(native);
}

/// The same value as `shape` has it in memory, which only a program's result shows.
InstructionId laid_out(RewriteBuilder& b, InstructionId value, const Shape& shape) {
  if (b.shape(value) == shape) return value;
  if (!shape.is_tuple()) return b.add(Opcode::kCopy, {value}, nullptr, shape);
  std::vector<InstructionId> elements;
  for (int64_t k = 0; k < shape.tuple_size(); ++k) {
    auto attributes = std::make_shared<GetTupleElementAttributes>();
    attributes->index = k;
    const InstructionId element = b.add(Opcode::kGetTupleElement, {value}, std::move(attributes));
    elements.push_back(laid_out(b, element, shape.tuple_element(k)));
  }
  return b.add(Opcode::kTuple, elements, nullptr, shape);
}

StatusOr<ComputationPtr> lower_in(const ComputationPtr& source, Lowering& how, int level) {
  const std::span<const Instruction> all = source->instructions();
  if (std::none_of(all.begin(), all.end(),
                   [&](const Instruction& i) { return is_composite(i) || must_be_lowered(i, how.native); }))
    return source;
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  for (const Instruction& i : source->instructions()) {
    if (is_composite(i)) {
      b.copy(i, without_composite(i));
    } else if (must_be_lowered(i, how.native)) {
      HILO_ASSIGN_OR_RETURN(const ComputationPtr body, decomposition_of(i, b, how, level));
      b.at(i);
      const InstructionId value = splice_or_call(b, body, b.mapped(i.operands), how.budget);
      b.replace(i.id, i.id == source->root_id() ? laid_out(b, value, i.shape) : value);
    } else {
      b.copy(i);
    }
  }
  return b.finish();
}

StatusOr<bool> lower(Module& module, Lowering& how, int level) {
  return rewrite_computations(module, [&](const ComputationPtr& c) { return lower_in(c, how, level); });
}

}  // namespace

StatusOr<bool> lower_extensions(Module& module) { return lower_extensions(module, {}); }

StatusOr<bool> lower_extensions(Module& module, std::span<const Opcode> native) {
  Lowering how{native, GrowthBudget(module, kMaxExpansion)};
  return lower(module, how, 0);
}

}  // namespace hilo::hlo
