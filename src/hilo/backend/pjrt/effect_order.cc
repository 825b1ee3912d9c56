// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/effect_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::plugins {
namespace {

using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

constexpr InstructionId kMaxInlined = 1 << 20;  // of one computation: calls of calls double it with each level

/// Which computations have effects, directly or through calls. Computations are added after those that they call.
class Effects {
 public:
  explicit Effects(bool (*has_effect)(const Instruction&)) : has_effect_(has_effect) {}

  bool are_in(const ComputationPtr& computation) const { return computations_.contains(computation.get()); }
  bool are_called(const Instruction& i) const {
    return std::ranges::any_of(hlo::called_computations(i),
                               [&](const ComputationPtr& called) { return are_in(called); });
  }
  bool are_in(const Instruction& i) const { return has_effect_(i) || are_called(i); }

  void add(const ComputationPtr& computation) { computations_.insert(computation.get()); }

 private:
  bool (*has_effect_)(const Instruction&);
  std::set<const hlo::Computation*> computations_;
};

/// Returns the computation with its result as the only element of a tuple.
StatusOr<ComputationPtr> in_a_tuple(const ComputationPtr& computation) {
  hlo::RewriteBuilder b(computation, {.share = false});
  b.copy_all();
  return b.finish(b.tuple({{b.mapped(computation->root_id())}}));
}

/// XLA makes branches return tuples itself, except for a conditional with control predecessors.
InstructionId conditional_of_tuples(hlo::RewriteBuilder& b, const Instruction& i) {
  const hlo::AttributesPtr attributes =
      hlo::map_called_computations(i, [&](const ComputationPtr& branch) -> ComputationPtr {
        StatusOr<ComputationPtr> result = in_a_tuple(branch);
        if (result.ok()) return *result;
        b.fail(result.status());
        return branch;
      });
  return b.get_tuple_element(b.add(i.opcode, b.mapped(i.operands), attributes), 0);
}

/// Returns the computation in a form in which instructions with effects can have control predecessors: XLA's inlining
/// fails for calls that have them.
StatusOr<ComputationPtr> fit_to_wait(const ComputationPtr& computation, Effects& effects) {
  const std::span<const Instruction> all = computation->instructions();
  if (std::ranges::none_of(all, [&](const Instruction& i) { return effects.are_in(i); })) return computation;
  hlo::RewriteBuilder b(computation, {.share = false});
  for (const Instruction& i : all) {
    b.at(i);
    if (i.opcode == Opcode::kCall && effects.are_called(i)) {
      if (b.size() + hlo::called_computations(i)[0]->size() > kMaxInlined)
        return resource_exhausted(fmt::format(
            "{}: too many calls with effects to inline; wanted at most {} instructions", describe(i), kMaxInlined));
      b.replace(i.id, b.splice(hlo::called_computations(i)[0], b.mapped(i.operands)));
    } else if (i.opcode == Opcode::kConditional && effects.are_called(i) && !i.shape.is_tuple()) {
      b.replace(i.id, conditional_of_tuples(b, i));
    } else {
      b.copy(i);
    }
  }
  HILO_ASSIGN_OR_RETURN(ComputationPtr result, b.finish());
  effects.add(result);
  return result;
}

void wait_for(Instruction& i, const std::string& before) {
  auto annotations = i.annotations == nullptr ? hlo::Annotations() : *i.annotations;
  annotations.control_predecessors.push_back(before);
  i.annotations = std::make_shared<hlo::Annotations>(std::move(annotations));
}

StatusOr<ComputationPtr> in_order(const ComputationPtr& computation, Effects& effects) {
  hlo::ComputationDraft draft(computation->name());
  std::string last;
  for (const Instruction& i : computation->instructions()) {
    const InstructionId id = draft.append_copy(i, i.operands);
    if (!effects.are_in(i)) continue;
    if (!last.empty()) wait_for(draft.mutable_instruction(id), last);
    last = i.name;
  }
  if (last.empty()) return computation;
  HILO_ASSIGN_OR_RETURN(ComputationPtr result, std::move(draft).finish(computation->root_id()));
  effects.add(result);
  return result;
}

}  // namespace

Status put_in_order(hlo::Module& program, bool (*has_effect)(const Instruction&)) {
  for (const auto& rewrite : {fit_to_wait, in_order}) {
    Effects effects(has_effect);
    const auto of_one = [&](const ComputationPtr& computation) { return rewrite(computation, effects); };
    HILO_RETURN_IF_ERROR(hlo::rewrite_computations(program, of_one).status());
  }
  return ok_status();
}

}  // namespace hilo::plugins
