// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/verify/verifier.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/not_yet.h"

namespace hilo::hlo {
namespace {

Status check_operands(const Computation& c, const Instruction& i, std::vector<Shape>& shapes) {
  shapes.clear();
  for (InstructionId operand : i.operands) {
    if (operand >= i.id) {
      return invalid_argument(fmt::format("operand id {} is not before instruction {}", operand, i.id));
    }
    shapes.push_back(c.instruction(operand).shape);
  }
  return ok_status();
}

Status check_attributes(const Instruction& i) {
  if (i.def().attributes.make == nullptr) return ok_status();
  if (i.attributes == nullptr) return invalid_argument("the attributes are missing");
  for (const AttributeField& f : i.def().attributes.fields) {
    if (f.kind == FieldKind::kComputation && field_value<ComputationPtr>(f, *i.attributes) == nullptr) {
      return invalid_argument(fmt::format("the computation of '{}' is missing", f.name));
    }
    if (f.kind != FieldKind::kComputations) continue;
    for (const ComputationPtr& called : field_value<std::vector<ComputationPtr>>(f, *i.attributes)) {
      if (called == nullptr) return invalid_argument(fmt::format("a computation of '{}' is missing", f.name));
    }
  }
  if (!has_raw_attributes(i.opcode)) return ok_status();
  const auto& raw = attributes_of<RawAttributes>(i);
  if (raw.called.size() == raw.called_names.size()) return ok_status();
  return invalid_argument(
      fmt::format("{} called computations, {} names for them", raw.called.size(), raw.called_names.size()));
}

Status check_one(const Computation& c, const Instruction& i, std::vector<Shape>& shapes) {
  HILO_RETURN_IF_ERROR(check_operands(c, i, shapes));
  HILO_RETURN_IF_ERROR(check_attributes(i));
  return check_instruction(i.def(), shapes, i.attributes.get(), i.shape).status();
}

Status check_parameters(const Computation& c) {
  for (int64_t number = 0; number < c.parameter_count(); ++number) {
    const InstructionId id = c.parameters()[number];
    const bool parameter = id < c.size() && c.instruction(id).opcode == Opcode::kParameter;
    if (!parameter || attributes_of<ParameterAttributes>(c.instruction(id)).number != number) {
      return invalid_argument(fmt::format("parameter {} is not instruction {}", number, id));
    }
  }
  return ok_status();
}

}  // namespace

Status verify_computation(const Computation& c) {
  const std::string where = fmt::format("computation '{}'", c.name());
  if (c.root_id() >= c.size()) return invalid_argument(fmt::format("{}: it has no root", where));
  std::unordered_set<std::string_view> names;
  names.reserve(c.size());
  std::vector<Shape> shapes;
  for (InstructionId id = 0; id < c.size(); ++id) {
    const Instruction& i = c.instruction(id);
    if (i.id != id) return invalid_argument(fmt::format("{}: {} has id {} at place {}", where, describe(i), i.id, id));
    if (i.name.empty() || !names.insert(i.name).second) {
      return invalid_argument(
          fmt::format("{}: {}: the name is {}", where, describe(i), i.name.empty() ? "empty" : "used twice"));
    }
    if (const Status status = check_one(c, i, shapes); !status.ok())
      return status.with_context(describe(i)).with_context(where);
  }
  return check_parameters(c).with_context(where);
}

Status verify(const Module& module) {
  if (module.entry == nullptr)
    return invalid_argument(fmt::format("module '{}' has no entry computation", module.name));
  for (const ComputationPtr& c : computations_of(module)) HILO_RETURN_IF_ERROR(verify_computation(*c));
  return check_entry_facts(module).with_context(fmt::format("module '{}'", module.name));
}

}  // namespace hilo::hlo
