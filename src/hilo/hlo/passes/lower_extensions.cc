// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/known_calls.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

constexpr int kMaxLevels = 16;  // levels of nested decompositions; a decomposition that contains its own op must end

/// Ops whose formulas need every fma with one rounding: its bits are those of XLA.
constexpr Opcode kExactFormulas[] = {kExtXlaErfInv};

/// State that all levels of one pass share.
struct Lowering {
  std::span<const Opcode> native;
  GrowthBudget budget;
  /// Whether fma stays. It is false in formulas that may round a product, if the engine has no instruction for it.
  bool keeps_fma = true;
};

StatusOr<bool> lower(Module& module, Lowering& how, int level);

bool contains(std::span<const Opcode> ops, Opcode opcode) { return std::ranges::find(ops, opcode) != ops.end(); }

/// Returns the decomposition of an extension op, itself without extension ops.
StatusOr<ComputationPtr> decomposition_of(const Instruction& instruction, const RewriteBuilder& b, Lowering& how,
                                          int level) {
  if (level == kMaxLevels)
    return internal_error(fmt::format("{}: its decomposition doesn't end", describe(instruction)));
  std::vector<Shape> operands;
  for (InstructionId operand : instruction.operands) operands.push_back(b.source().instruction(operand).shape);
  const auto decompose = is_known_call(instruction) ? decompose_known_call : instruction.def().decompose;
  if (decompose == nullptr) {
    return unimplemented(
        fmt::format("{}: it has no decomposition, and the backend doesn't support it", describe(instruction)));
  }
  StatusOr<ComputationPtr> body = decompose(instruction, operands);
  if (!body.ok()) return body.status().with_context(describe(instruction));
  const std::vector<ComputationPtr> called = called_computations(instruction);
  if (std::ranges::find(called, *body) != called.end()) return body;  // lowered before its callers
  Module inner;
  inner.entry = *body;
  const bool outer = how.keeps_fma;
  how.keeps_fma = contains(how.native, kExtFma) || contains(kExactFormulas, instruction.opcode) || !called.empty();
  const Status status = lower(inner, how, level + 1).status();
  how.keeps_fma = outer;
  HILO_RETURN_IF_ERROR(status);
  return inner.entry;
}

/// Returns attributes of a plain call: a composite whose name an engine doesn't know is a call of its decomposition.
AttributesPtr without_composite(const Instruction& call) {
  auto attributes = std::make_shared<CallAttributes>(attributes_of<CallAttributes>(call));
  attributes->is_composite = false;
  return attributes;
}

bool is_composite(const Instruction& i) {
  return i.opcode == Opcode::kCall && attributes_of<CallAttributes>(i).is_composite;
}

bool must_be_lowered(const Instruction& i, const Lowering& how) {
  if (i.opcode == Opcode::kCustomCall) return is_known_call(i);
  if (i.opcode == kExtFma) return !how.keeps_fma;  // its decomposition rounds twice
  const bool expands = has_trait(i.opcode, kExtension) || i.def().decompose != nullptr;
  return expands && !contains(how.native, i.opcode);
}

StatusOr<ComputationPtr> lower_in(const ComputationPtr& source, Lowering& how, int level) {
  const std::span<const Instruction> all = source->instructions();
  if (std::ranges::none_of(all, [&](const Instruction& i) { return is_composite(i) || must_be_lowered(i, how); }))
    return source;
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  for (const Instruction& i : source->instructions()) {
    if (is_composite(i)) {
      b.copy(i, without_composite(i));
    } else if (must_be_lowered(i, how)) {
      HILO_ASSIGN_OR_RETURN(const ComputationPtr body, decomposition_of(i, b, how, level));
      b.at(i);
      b.replace(i.id, splice_or_call(b, body, b.mapped(i.operands), how.budget));
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
  Lowering how{native, GrowthBudget(module)};
  return lower(module, how, 0);
}

}  // namespace hilo::hlo
