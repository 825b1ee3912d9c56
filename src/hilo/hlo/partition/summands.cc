// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/summands.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/own_form.h"
#include "hilo/hlo/partition/view.h"

namespace hilo::hlo {
namespace {

bool contains(const Atoms& atoms, uint16_t atom) { return std::ranges::find(atoms, atom) != atoms.end(); }

Atoms without(const Atoms& atoms, const Atoms& others) {
  Atoms left = atoms;
  std::erase_if(left, [&](uint16_t atom) { return contains(others, atom); });
  return left;
}

bool is_among(const Atoms& atoms, const Atoms& others) { return without(atoms, others).empty(); }

bool shares(const ArraySplit& split, const Atoms& over) {
  return std::ranges::any_of(split, [&](const Atoms& by) { return without(over, by) != over; });
}

/// Ops whose results add up if their operands do.
bool is_sum(Opcode opcode) { return opcode == Opcode::kAdd || opcode == Opcode::kSubtract; }
bool moves(Opcode opcode) {
  return opcode == Opcode::kCopy || opcode == Opcode::kNegate || opcode == Opcode::kReshape ||
         opcode == Opcode::kTranspose || opcode == Opcode::kBroadcast;
}

class Summands {
 public:
  Summands(DeviceProgram& program, const Atoms& over) : program_(program), over_(over) {}
  Expr of(Expr value);

 private:
  bool is_met(Expr value, int steps);
  Expr before_meeting(Expr value, const DeviceProgram::Meeting& met);
  Expr on_first(Expr value, const Atoms& over);
  Expr among_zeros(Expr part, const Shape& whole, int64_t dimension, const Atoms& by);

  DeviceProgram& program_;
  const Atoms& over_;
  std::map<InstructionId, bool> met_;
};

/// Whether the value is linear in what the devices had before they met.
bool Summands::is_met(Expr value, int steps) {
  const auto known = met_.find(value.id);
  if (known != met_.end()) return known->second;
  constexpr int kMostSteps = 100;  // each is one of a recursion
  const Opcode opcode = program_.instruction(value).opcode;
  const std::span<const InstructionId> operands = program_.instruction(value).operands;
  bool found = false;
  if (const DeviceProgram::Meeting* const met = program_.meeting(value); met != nullptr) {
    found = met->reducer != nullptr ? without(over_, met->by) != over_ : is_among(met->by, over_);
  } else if (steps < kMostSteps && (is_sum(opcode) || moves(opcode))) {
    for (const InstructionId operand : operands) found |= is_met(program_.at(operand), steps + 1);
  }
  return met_[value.id] = found;
}

Expr Summands::on_first(Expr value, const Atoms& over) {
  if (over.empty() || !program_.status().ok()) return value;
  const Expr first = broadcast(program_.part_index(over) == 0.0, value.shape().dimensions(), {});
  return select(first, value, full_like(value, 0));
}

Expr Summands::among_zeros(Expr part, const Shape& whole, int64_t dimension, const Atoms& by) {
  Exprs operands(static_cast<size_t>(whole.rank()) + 2, program_.constant(Literal::scalar<int32_t>(0)));
  operands[0] = full(program_, whole, 0);
  operands[1] = part;
  operands[static_cast<size_t>(dimension) + 2] =
      program_.part_index(by) * static_cast<double>(part.shape().dimension(dimension));
  return program_.add(Opcode::kDynamicUpdateSlice, operands);
}

Expr Summands::before_meeting(Expr value, const DeviceProgram::Meeting& met) {
  const Shape whole = value.shape();
  Expr part = met.part;
  if (met.reducer == nullptr) return on_first(among_zeros(part, whole, met.dimension, met.by), without(over_, met.by));
  const Atoms others = without(met.by, over_);
  if (!others.empty()) part = program_.all_reduce(part, met.reducer, others);
  return on_first(part, without(over_, met.by));
}

Expr Summands::of(Expr value) {
  if (!program_.status().ok()) return value;
  if (!is_met(value, 0)) return on_first(value, over_);
  if (const DeviceProgram::Meeting* const met = program_.meeting(value); met != nullptr)
    return before_meeting(value, DeviceProgram::Meeting(*met));
  const Instruction& made = program_.instruction(value);
  const Opcode opcode = made.opcode;  // copies: what is added moves the instruction
  const AttributesPtr attributes = made.attributes;
  const Shape shape = made.shape;
  Exprs operands;
  for (const InstructionId operand : made.operands) operands.push_back(program_.at(operand));
  for (Expr& operand : operands) operand = of(operand);
  return program_.add(opcode, operands, attributes, shape);
}

}  // namespace

namespace {

Expr finished_sum(DeviceProgram& program, Expr summand, const Atoms& over) {
  if (over.empty() || !program.status().ok()) return summand;
  const StatusOr<ComputationPtr> add = joining_computation(summand.type());
  if (!add.ok()) program.fail(add.status());
  return add.ok() ? program.all_reduce(summand, *add, over) : summand;
}

}  // namespace

void finish_sums(DeviceProgram& program, std::span<Part> values, std::span<const Atoms> over) {
  for (size_t i = 0; i < values.size() && i < over.size(); ++i)
    values[i].value = finished_sum(program, values[i].value, over[i]);
}

Expr summand_of(DeviceProgram& program, Expr value, const Atoms& over) {
  return over.empty() ? value : Summands(program, over).of(value);
}

/// First the summand, whose dimensions are then cut, unless the devices of the sum share the part.
Expr cut_summand(DeviceProgram& program, const Part& part, const ArraySplit& to, const Atoms& over) {
  if (over.empty() || part.view != nullptr || shares(part.split, over))
    return summand_of(program, cut_as(program, part, to), over);
  Part summand = part;
  summand.value = summand_of(program, part.value, over);
  return cut_as(program, summand, to);
}

StatusOr<std::vector<Atoms>> unfinished_atoms(const std::vector<std::optional<Sharding>>& stated,
                                              const MeshAtoms& mesh) {
  std::vector<Atoms> made(stated.size());
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i]) continue;
    HILO_ASSIGN_OR_RETURN(made[i], mesh.atoms_of(stated[i]->unreduced));
  }
  return made;
}

void leave_summands(DeviceProgram& program, std::span<Part> values, std::span<const ArraySplit> to,
                    std::span<const Atoms> over) {
  for (size_t i = 0; i < values.size() && i < over.size(); ++i) {
    if (!over[i].empty()) values[i] = {cut_summand(program, values[i], to[i], over[i]), to[i]};
  }
}

Status check_summands(const Shape& shape, const ArraySplit& split, const Atoms& over) {
  if (over.empty()) return ok_status();
  if (!shape.is_array() || joining_kind(shape.element_type()) != ReducerKind::kAdd)
    return unimplemented(fmt::format("{} is an unfinished sum, and nothing adds its elements", shape.to_string()));
  if (shares(split, over))
    return unimplemented(
        fmt::format("{} is an unfinished sum of devices that share a dimension of it", shape.to_string()));
  return ok_status();
}

}  // namespace hilo::hlo
