// SPDX-License-Identifier: Apache-2.0
// This pass is the only code that interprets layouts. After it they matter only to bitcasts, which read memory.
#include <algorithm>

#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/rewrite_where.h"

namespace hilo::hlo {
namespace {

/// Returns the same instructions with row-major shapes where `selected` is true.
StatusOr<ComputationPtr> row_major_where(const ComputationPtr& source,
                                         const std::function<bool(const Instruction&)>& selected) {
  const auto changes = [&](const Instruction& i) { return !i.shape.has_default_layout() && selected(i); };
  if (std::ranges::none_of(source->instructions(), changes)) return source;
  ComputationDraft draft(source->name());
  for (const Instruction& i : source->instructions()) {
    Instruction& copy = draft.mutable_instruction(draft.append_copy(i, i.operands));
    if (!changes(i)) continue;
    if (i.opcode == Opcode::kCustomCall) {  // the callee reads and writes memory in the layout that the shape states
      auto attributes = std::make_shared<CustomCallAttributes>(attributes_of<CustomCallAttributes>(i));
      take_result_layouts(copy.shape, *attributes);
      copy.attributes = std::move(attributes);
    }
    copy.shape = i.shape.with_default_layout();
  }
  return std::move(draft).finish(source->root_id());
}

StatusOr<ComputationPtr> row_major(const ComputationPtr& source) {
  return row_major_where(source, [](const Instruction&) { return true; });
}

/// Replaces bitcasts to or from a layout by transposes and reshapes.
StatusOr<ComputationPtr> without_layout_bitcasts(const ComputationPtr& source) {
  const auto operand = [&](const Instruction& i) -> const Shape& { return source->instruction(i.operands[0]).shape; };
  const auto reads_layouts = [&](const Instruction& i) {
    return i.opcode == Opcode::kBitcast && !(i.shape.has_default_layout() && operand(i).has_default_layout());
  };
  const auto expanded = [&](RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
    HILO_ASSIGN_OR_RETURN(const ComputationPtr body, i.def().decompose(i, {&operand(i), 1}));
    return b.splice(body, b.mapped(i.operands));
  };
  return rewrite_where(source, {.share = false}, reads_layouts, expanded);
}

/// Returns a fused computation whose parameters and root have the row-major layouts of its call.
StatusOr<ComputationPtr> fused_row_major(const ComputationPtr& source) {
  return row_major_where(source, [&](const Instruction& i) {
    return i.opcode == Opcode::kParameter || i.opcode == Opcode::kGetTupleElement || i.id == source->root_id();
  });
}

StatusOr<ComputationPtr> with_row_major_fusions(const ComputationPtr& source) {
  ComputationDraft draft(source->name());
  bool changed = false;
  for (const Instruction& i : source->instructions()) {
    Instruction& copy = draft.mutable_instruction(draft.append_copy(i, i.operands));
    if (i.opcode != Opcode::kFusion) continue;
    const auto& fusion = attributes_of<RawAttributes>(i);
    HILO_ASSIGN_OR_RETURN(ComputationPtr fused, fused_row_major(fusion.called[0]));
    if (fused == fusion.called[0]) continue;
    auto attributes = std::make_shared<RawAttributes>(fusion);
    attributes->called[0] = std::move(fused);
    copy.attributes = std::move(attributes);
    changed = true;
  }
  return changed ? std::move(draft).finish(source->root_id()) : source;
}

bool has_layouts(const Module& module) {
  const auto states_one = [](const Instruction& i) { return !i.shape.has_default_layout(); };
  return std::ranges::any_of(computations_of(module), [&](const ComputationPtr& computation) {
    return std::ranges::any_of(computation->instructions(), states_one);
  });
}

}  // namespace

StatusOr<bool> normalize_layouts(Module& module) {
  if (!has_layouts(module)) return false;
  const std::vector<Shape> parameters = entry_parameter_shapes(module);
  const Shape result = entry_result_shape(module);
  if (!is_scheduled(module)) HILO_RETURN_IF_ERROR(rewrite_computations(module, with_row_major_fusions).status());
  HILO_RETURN_IF_ERROR(rewrite_computations(module, without_layout_bitcasts).status());
  HILO_RETURN_IF_ERROR(rewrite_computations(module, row_major).status());
  module = with_entry_shapes(std::move(module), parameters, result);
  return true;
}

}  // namespace hilo::hlo
