// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/summands.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/own_form.h"
#include "hilo/hlo/partition/view.h"

namespace hilo::hlo {
namespace {

Atoms without(const Atoms& atoms, const Atoms& others) {
  Atoms left = atoms;
  std::erase_if(left, [&](uint16_t atom) { return contains(others, atom); });
  return left;
}

bool is_among(const Atoms& atoms, const Atoms& others) { return without(atoms, others).empty(); }

bool shares(const ArraySplit& split, const Atoms& over) {
  return std::ranges::any_of(split, [&](const Atoms& by) { return without(over, by) != over; });
}

bool widens(ElementType from, ElementType to) {
  const int bits = element_type_info(from).bits;
  return is_floating(from) && is_floating(to) && bits >= 16 && element_type_info(to).bits > bits;
}

/// Returns whether an instruction is additive in an operand of that type: the results of summands add up to the result
/// of the sum, if all other operands are equal. The same for maxima and minima.
bool adds_up(const Instruction& instruction, size_t operand, ElementType type, ReducerKind by = ReducerKind::kAdd) {
  switch (instruction.opcode) {
    case Opcode::kConvert: return widens(type, instruction.shape.element_type());
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kNegate: return by == ReducerKind::kAdd;
    case Opcode::kMaximum:
    case Opcode::kMinimum: return opcode_of(by) == instruction.opcode;
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kSlice:
    case Opcode::kConcatenate: return true;
    case Opcode::kDynamicSlice: return operand == 0;
    case Opcode::kDynamicUpdateSlice: return operand < 2;
    default: return false;
  }
}

class Summands {
 public:
  Summands(DeviceProgram& program, const Unreduced& over) : program_(program), over_(over.over), by_(over.by) {}
  Expr of(Expr value);

 private:
  bool is_combined(Expr value, int steps);
  bool reduces(const DeviceProgram::Combined& combined) const;
  bool adds_up(const Instruction& instruction, size_t operand) const {
    return hlo::adds_up(instruction, operand, program_.at(instruction.operands[operand]).type(), by_);
  }
  Expr before_collective(Expr value, const DeviceProgram::Combined& combined);
  Expr on_first(Expr value, const Atoms& over);
  Expr among_zeros(Expr part, const Shape& whole, int64_t dimension, const Atoms& by);

  DeviceProgram& program_;
  const Atoms& over_;
  const ReducerKind by_;
  std::map<InstructionId, bool> is_combined_;
};

/// Returns whether the operands of a collective are summands of its result. Those of a concatenation are summands among
/// zeros.
bool Summands::reduces(const DeviceProgram::Combined& combined) const {
  if (combined.reducer == nullptr) return by_ == ReducerKind::kAdd && is_among(combined.by, over_);
  return combined.reducer->reducer_kind() == by_ && without(over_, combined.by) != over_;
}

/// Returns whether the value is linear in the operands of an earlier collective.
bool Summands::is_combined(Expr value, int steps) {
  const auto known = is_combined_.find(value.id);
  if (known != is_combined_.end()) return known->second;
  constexpr int kMaxSteps = 100;  // limits the recursion
  const std::span<const InstructionId> operands = program_.instruction(value).operands;
  bool found = false;
  if (const DeviceProgram::Combined* const combined = program_.find_combined(value); combined != nullptr) {
    found = reduces(*combined);
  } else if (steps < kMaxSteps) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (adds_up(program_.instruction(value), i)) found |= is_combined(program_.at(operands[i]), steps + 1);
    }
  }
  return is_combined_[value.id] = found;
}

Expr Summands::on_first(Expr value, const Atoms& over) {
  if (over.empty() || by_ != ReducerKind::kAdd || !program_.status().ok()) return value;
  const Expr first = broadcast(program_.part_index(over) == 0.0, value.shape().dimensions(), {});
  return select(first, value, full_like(value, 0));
}

Expr Summands::among_zeros(Expr part, const Shape& whole, int64_t dimension, const Atoms& by) {
  Exprs operands(whole.rank() + 2, program_.constant(Literal::scalar<int32_t>(0)));
  operands[0] = full(program_, whole, 0);
  operands[1] = part;
  operands[dimension + 2] = program_.part_index(by) * static_cast<double>(part.shape().dimension(dimension));
  return program_.add(Opcode::kDynamicUpdateSlice, operands);
}

Expr Summands::before_collective(Expr value, const DeviceProgram::Combined& combined) {
  const Shape whole = value.shape();
  Expr part = combined.part;
  if (combined.reducer == nullptr)
    return on_first(among_zeros(part, whole, combined.dimension, combined.by), without(over_, combined.by));
  const Atoms others = without(combined.by, over_);
  if (!others.empty()) part = program_.all_reduce(part, combined.reducer, others);
  return on_first(part, without(over_, combined.by));
}

Expr Summands::of(Expr value) {
  if (!program_.status().ok()) return value;
  if (!is_combined(value, 0)) return on_first(value, over_);
  if (const DeviceProgram::Combined* const combined = program_.find_combined(value); combined != nullptr)
    return before_collective(value, DeviceProgram::Combined(*combined));
  const Instruction& definition = program_.instruction(value);
  const Opcode opcode = definition.opcode;  // copies: adding instructions moves this one
  const AttributesPtr attributes = definition.attributes;
  const Shape shape = definition.shape;
  Exprs operands;
  std::vector<bool> adds;
  for (const InstructionId operand : definition.operands) {
    operands.push_back(program_.at(operand));
    adds.push_back(adds_up(definition, adds.size()));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (adds[i]) operands[i] = of(operands[i]);
  }
  return program_.add(opcode, operands, attributes, shape);
}

}  // namespace

namespace {

Expr finished_sum(DeviceProgram& program, Expr summand, const Unreduced& over) {
  if (over.empty() || !program.status().ok()) return summand;
  const StatusOr<ComputationPtr> reducer = scalar_binary_computation(*opcode_of(over.by), summand.type());
  if (!reducer.ok()) program.fail(reducer.status());
  return reducer.ok() ? program.all_reduce(summand, *reducer, over.over) : summand;
}

}  // namespace

void finish_sums(DeviceProgram& program, std::span<Part> values, std::span<const Unreduced> over) {
  for (size_t i = 0; i < values.size() && i < over.size(); ++i)
    values[i].value = finished_sum(program, values[i].value, over[i]);
}

Expr summand_of(DeviceProgram& program, Expr value, const Unreduced& over) {
  return over.empty() ? value : Summands(program, over).of(value);
}

/// Computes the summand and shards it. If devices of the sum have different shards, the array is sharded directly.
Expr cut_summand(DeviceProgram& program, const Part& part, const ArraySplit& to, const Unreduced& over) {
  if (over.empty() || part.view != nullptr || shares(part.split, over.over))
    return summand_of(program, cut_as(program, part, to), over);
  Part summand = part;
  summand.value = summand_of(program, part.value, over);
  return cut_as(program, summand, to);
}

StatusOr<Unreduced> unreduced_of(const Sharding& stated, const MeshAtoms& mesh) {
  HILO_ASSIGN_OR_RETURN(Atoms over, mesh.atoms_of(stated.unreduced));
  return Unreduced{std::move(over), stated.reduction};
}

StatusOr<std::vector<Unreduced>> unreduced_of(const std::vector<std::optional<Sharding>>& stated,
                                              const MeshAtoms& mesh) {
  std::vector<Unreduced> result(stated.size());
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i]) continue;
    HILO_ASSIGN_OR_RETURN(result[i], unreduced_of(*stated[i], mesh));
  }
  return result;
}

void replace_by_summands(DeviceProgram& program, std::span<Part> values, std::span<const ArraySplit> to,
                         std::span<const Unreduced> over) {
  for (size_t i = 0; i < values.size() && i < over.size(); ++i) {
    if (!over[i].empty()) values[i] = {cut_summand(program, values[i], to[i], over[i]), to[i]};
  }
}

namespace {

/// The values in a loop's body that are computed additively from one leaf of the carry.
struct CarryDependents {
  const DataFlow& flow;
  std::set<FlowArrayId> arrays;

  bool holds(const std::vector<FlowArrayId>& values) const {
    return std::ranges::any_of(values, [&](FlowArrayId id) { return arrays.contains(id); });
  }
  /// Adds the instruction's results. Returns false if it uses the leaf for anything but additions.
  bool add(const FlowFrame& frame, const Instruction& instruction) {
    const bool names = instruction.opcode == Opcode::kTuple || instruction.opcode == Opcode::kGetTupleElement ||
                       instruction.opcode == Opcode::kParameter || instruction.opcode == Opcode::kCall;
    for (size_t i = 0; i < instruction.operands.size() && !names; ++i) {
      if (!holds(frame.values[instruction.operands[i]])) continue;
      const Shape& shape = frame.computation->instruction(instruction.operands[i]).shape;
      if (!shape.is_array() || !adds_up(instruction, i, shape.element_type())) return false;
      for (const FlowArrayId id : frame.values[instruction.id]) arrays.insert(id);
    }
    return true;
  }
  /// As add(), for the whole body and the computations that it calls.
  bool add_all(uint32_t body) {
    std::vector<uint32_t> waiting = {body};
    while (!waiting.empty()) {
      const FlowFrame& frame = flow.frames[waiting.back()];
      waiting.pop_back();
      for (const Instruction& i : frame.computation->instructions()) {
        const auto opened = frame.opened.find(i.id);
        if (i.opcode == Opcode::kCall && opened != frame.opened.end()) waiting.push_back(opened->second[0]);
        else if (!add(frame, i)) return false;
      }
    }
    return true;
  }
};

}  // namespace

bool only_adds_to(const DataFlow& flow, uint32_t body, FlowArrayId carried, size_t leaf) {
  CarryDependents result{flow, {carried}};
  for (size_t before = 0; before != result.arrays.size();) {
    before = result.arrays.size();
    if (!result.add_all(body)) return false;
  }
  const FlowFrame& frame = flow.frames[body];
  const std::vector<FlowArrayId>& root = frame.values[frame.computation->root_id()];
  for (size_t i = 0; i < root.size(); ++i) {
    if (i != leaf && result.arrays.contains(root[i])) return false;
  }
  return true;
}

Status check_summands(const Shape& shape, const ArraySplit& split, const Unreduced& over) {
  if (over.empty()) return ok_status();
  const bool is_sum = over.by == ReducerKind::kAdd;
  const bool reduces = shape.is_array() && (is_sum ? joining_kind(shape.element_type()) == over.by
                                                   : neutral_value(over.by, shape.element_type()).has_value());
  if (!reduces)
    return unimplemented(
        fmt::format("{} is unreduced, and its type has no {}", shape.to_string(), is_sum ? "addition" : "order"));
  if (shares(split, over.over))
    return unimplemented(fmt::format("{} is unreduced over devices that shard a dimension of it", shape.to_string()));
  return ok_status();
}

}  // namespace hilo::hlo
