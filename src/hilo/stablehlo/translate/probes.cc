// SPDX-License-Identifier: Apache-2.0
// Probes in loop bodies that checks refer to.
#include "hilo/stablehlo/translate/probes.h"

#include <algorithm>

#include "hilo/hlo/ops/elementwise.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr int64_t kMaxPasses = 1024;  // maximum number of passes per probe; each is a value that the loop carries

/// Returns the number of passes that the program's checks refer to.
StatusOr<int64_t> passes_of(const ModuleTree& tree, std::string_view probe) {
  int64_t passes = 0;
  for (const Operation& operation : tree.operations) {
    if (operation.name != "check.expect_serialized_eq") continue;
    const Attribute* const id = tree.find(operation, "probe_id");
    const Attribute* const pass = tree.find(operation, "iter");
    if (id == nullptr || id->text != probe) continue;
    passes = std::max(passes, (pass == nullptr ? 0 : std::clamp<int64_t>(pass->integer, 0, kMaxPasses)) + 1);
  }
  if (passes > kMaxPasses) return unimplemented("a check of more than 1024 passes of a probe");
  return passes;
}

}  // namespace

StatusOr<std::vector<Recording>> recordings_of(const OpContext& op, const Region& body) {
  std::vector<Recording> recordings;
  if (op.translator.options.checks == nullptr || op.translator.entry_builder != &op.builder) return recordings;
  const ModuleTree& tree = op.tree();
  for (OperationId id = body.first; id != kNone; id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    if (operation.name != "interpreter.probe" || operation.operands.count != 1) continue;
    const Attribute* const name = tree.find(operation, "probe_id");
    if (name == nullptr) continue;
    HILO_ASSIGN_OR_RETURN(const int64_t passes, passes_of(tree, name->text));
    if (passes == 0) continue;
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(tree, tree.values[tree.operand(operation, 0)].type));
    recordings.push_back({name->text, shape, passes});
  }
  return recordings;
}

StatusOr<std::vector<InstructionId>> first_recorded(hlo::Builder& builder, std::span<const Recording> recordings) {
  std::vector<InstructionId> values;
  for (const Recording& r : recordings) {
    values.push_back(builder.constant(Literal::scalar<int32_t>(0)));
    HILO_ASSIGN_OR_RETURN(const Literal nothing, Literal::make(r.shape));
    values.insert(values.end(), r.passes, builder.constant(nothing));
  }
  return values;
}

StatusOr<std::vector<InstructionId>> next_recorded(hlo::Builder& builder, std::span<const Recording> recordings,
                                                   std::span<const InstructionId> before) {
  std::vector<InstructionId> after;
  for (const Recording& r : recordings) {
    if (r.seen == hlo::kNoInstruction) return internal_error("a probe in a loop's body doesn't exist");
    const InstructionId counter = before[after.size()];
    const InstructionId one = builder.constant(Literal::scalar<int32_t>(1));
    HILO_ASSIGN_OR_RETURN(const InstructionId next, builder.add(Opcode::kAdd, {counter, one}));
    after.push_back(next);
    for (int64_t pass = 0; pass < r.passes; ++pass) {
      auto equal = std::make_shared<hlo::CompareAttributes>();
      const InstructionId number = builder.constant(Literal::scalar(static_cast<int32_t>(pass)));
      HILO_ASSIGN_OR_RETURN(const InstructionId is_now,
                            builder.add(Opcode::kCompare, {counter, number}, std::move(equal)));
      HILO_ASSIGN_OR_RETURN(const InstructionId value,
                            builder.add(Opcode::kSelect, {is_now, r.seen, before[after.size()]}));
      after.push_back(value);
    }
  }
  return after;
}

}  // namespace hilo::stablehlo
