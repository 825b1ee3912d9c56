// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/program_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/text/appender.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

std::string UniqueNames::unique(const std::string& base) {
  std::string name = base;
  for (int& suffix = next_[base]; !taken_.insert(name).second;) name = fmt::format("{}.{}", base, ++suffix);
  return name;
}

namespace {

/// The origins of a computation that was read from a stored program, where readers number all instructions.
struct Stretch {
  uint32_t first, last;
  ComputationPtr computation;
};

/// Returns all computations in the order in which they were read, if known; else callees before callers.
std::vector<ComputationPtr> stored_order(const Module& module) {
  std::vector<ComputationPtr> by_calls = computations_of(module);
  std::vector<Stretch> stretches;
  for (const ComputationPtr& c : by_calls) {
    const auto [first, last] = std::ranges::minmax_element(c->instructions(), {}, &Instruction::origin);
    stretches.push_back({first->origin, last->origin, c});
  }
  std::ranges::stable_sort(stretches, {}, &Stretch::first);
  std::vector<ComputationPtr> as_read;
  std::unordered_set<const Computation*> seen;
  for (size_t k = 0; k < stretches.size(); ++k) {
    if (k > 0 && stretches[k - 1].last >= stretches[k].first) return by_calls;
    const ComputationPtr& c = stretches[k].computation;
    for (const Instruction& i : c->instructions()) {
      for (const ComputationPtr& called : called_computations(i)) {
        if (!seen.contains(called.get())) return by_calls;
      }
    }
    seen.insert(c.get());
    as_read.push_back(c);
  }
  if (!as_read.empty() && as_read.back() != module.entry) return by_calls;
  return as_read;
}

/// Returns atan2(x, 1).
StatusOr<ComputationPtr> decomposed_atan(const Shape& stated) {
  const Shape shape = stated.with_default_layout();
  ComputationDraft draft("atan");
  Appender out(draft);
  const InstructionId x = draft.append(Opcode::kParameter, shape, {}, std::make_shared<ParameterAttributes>(), "x");
  HILO_ASSIGN_OR_RETURN(const InstructionId one, out.constant(filled(Shape::scalar(shape.element_type()), 1)));
  HILO_ASSIGN_OR_RETURN(const InstructionId ones, out.spread(one, shape));
  HILO_ASSIGN_OR_RETURN(const InstructionId root, out.add(Opcode::kAtan2, {x, ones}));
  return std::move(draft).finish(root);
}

class Collector {
 public:
  Collector(bool decompose_extensions, ProgramNames names) : decompose_(decompose_extensions), names_(names) {}

  /// Adds the computation after the decompositions of its extension ops, which may contain extension ops themselves.
  void add(const ComputationPtr& c, int depth = 0) {
    if (program_.names.contains(c.get())) return;
    for (const Instruction& i : c->instructions()) {
      if (decompose_ && depth < kMaxDepth && is_stored_as_composite(i.opcode)) add_decomposition(*c, i, depth);
    }
    const std::string base = names_ == ProgramNames::kNumbers ? fmt::format("c{}", program_.order.size())
                                                              : plain_computation_name(c->name());
    program_.names.emplace(c.get(), unique_.unique(base));
    program_.order.push_back(c);
  }

  ProgramOrder take() && { return std::move(program_); }

 private:
  static constexpr int kMaxDepth = 16;  // nesting of decompositions

  void add_decomposition(const Computation& owner, const Instruction& i, int depth) {
    if (i.def().decompose == nullptr && i.opcode != Opcode::kAtan) return;
    std::vector<Shape> operand_shapes;
    for (InstructionId operand : i.operands) operand_shapes.push_back(owner.instruction(operand).shape);
    StatusOr<ComputationPtr> decomposition =
        i.opcode == Opcode::kAtan ? decomposed_atan(i.shape) : i.def().decompose(i, operand_shapes);
    if (!decomposition.ok()) {  // stored under its own name
      program_.refusals.emplace(&i, decomposition.status());
      return;
    }
    for (const ComputationPtr& part : computations_of(*decomposition)) add(part, depth + 1);
    program_.decompositions.emplace(&i, *std::move(decomposition));
  }

  bool decompose_;
  ProgramNames names_;
  ProgramOrder program_;
  UniqueNames unique_;
};

}  // namespace

ProgramOrder program_order(const Module& module, bool decompose_extensions, ProgramNames names) {
  Collector collector(decompose_extensions, names);
  for (const ComputationPtr& c : stored_order(module)) collector.add(c);
  return std::move(collector).take();
}

}  // namespace hilo::hlo::text
