// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/op_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/partition/choose_parts.h"
#include "hilo/hlo/partition/own_form.h"
#include "hilo/hlo/partition/reshard.h"
#include "hilo/hlo/partition/view.h"

namespace hilo::hlo {
namespace {

/// State of writing one op.
struct OpWriter {
  DeviceProgram& program;
  const Instruction& instruction;
  const Computation& computation;
  std::span<const Part> parts;
  std::span<const ArraySplit> requested;
  std::vector<Shape> operands = {}, results = {};  ///< leaves of the whole program
  LocalOp op = {};
  ChosenParts chosen = {};

  void choose();
  Exprs operand_values();
  Exprs on_parts(const Exprs& values);
  Exprs joined(const Exprs& values);
  Exprs reduce(Exprs values);
  Expr choose_of_all(const Exprs& values, const Exprs& initial);
  void finish(Exprs& values, const ComputationPtr& reducer);
  std::vector<Part> write();
};

void OpWriter::choose() {
  OpSplits now{{}, {requested.begin(), requested.end()}};
  std::vector<bool> voters;
  for (const Part& part : parts) {
    now.operands.push_back(part.split);
    voters.push_back(!part.constant);
  }
  for (const InstructionId id : instruction.operands) {
    const std::vector<Shape> leaves = computation.instruction(id).shape.leaves();
    operands.insert(operands.end(), leaves.begin(), leaves.end());
  }
  results = instruction.shape.leaves();
  op = local_op(instruction, computation);
  chosen = choose_parts(op, operands, results, now, voters, program.atoms());
  const auto is_cut = [](const ArraySplit& split) {
    return std::ranges::any_of(split, [](const Atoms& atoms) { return !atoms.empty(); });
  };
  const bool shared = std::ranges::any_of(now.operands, is_cut);
  if (!shared || !chosen.partial.empty() || std::ranges::any_of(chosen.splits.operands, is_cut) ||
      std::ranges::any_of(chosen.splits.results, is_cut))
    return;
  WholeOp whole{describe(instruction), 0};
  for (const auto* leaves : {&operands, &results}) {
    for (const Shape& leaf : *leaves) whole.bytes += leaf.is_array() ? leaf.byte_size() : 0;
  }
  program.context().report.whole_ops.push_back(std::move(whole));
}

/// Returns the operands, resharded as chosen and packed into tuples.
Exprs OpWriter::operand_values() {
  std::vector<Part> cut(parts.begin(), parts.end());
  for (size_t i = 0; i < cut.size(); ++i) {
    const ArraySplit& to = chosen.splits.operands[i];
    if (cut[i].split == to && cut[i].view == nullptr) continue;
    program.context().reason = fmt::format("operand {} {}: {} -> {}", i, operands[i].to_string(),
                                           to_string(cut[i].split, program.atoms()), to_string(to, program.atoms()));
    cut[i].value = cut_as(program, cut[i], to);
  }
  Exprs values;
  size_t next = 0;
  for (const InstructionId id : instruction.operands) {
    const Shape& shape = computation.instruction(id).shape;
    const size_t count = shape.leaves().size();
    values.push_back(pack(program, shape, std::span<const Part>(cut).subspan(next, count)));
    next += count;
  }
  return values;
}

Exprs OpWriter::on_parts(const Exprs& values) {
  program.context().reason = "elements of other devices' shards";
  std::optional<Exprs> own = write_own_form({program, instruction, computation, operands, results, chosen, values});
  if (!program.status().ok()) return Exprs(results.size(), program.at(0));
  if (own) return *std::move(own);
  size_t next = 0;
  const Shape result = instruction.shape.map_leaves(
      [&](const Shape& leaf) { return part_of(leaf, chosen.splits.results[next++], program.atoms()); });
  const Shape whole = operands.empty() ? result : operands[0];
  const Shape part = operands.empty() ? result : part_of(whole, chosen.splits.operands[0], program.atoms());
  const AttributesPtr attributes = local_attributes(instruction, whole, part, result);
  return unpack(program.add(instruction.opcode, values, attributes, result));
}

void OpWriter::finish(Exprs& values, const ComputationPtr& reducer) {
  program.context().reason = "the reduction of its result";
  values[0] = finish_reduction(program, values[0], chosen.splits.results[0], chosen.partial, reducer, requested[0]);
}

/// Reduces partial results: sums are added; elements of other devices are combined with neutral ones.
Exprs OpWriter::joined(const Exprs& values) {
  Exprs result = on_parts(values);
  if (instruction.opcode == Opcode::kTopK) return result;
  if (instruction.opcode == Opcode::kScatter) {
    finish(result, attributes_of<ScatterAttributes>(instruction).to_apply);
    return result;
  }
  const StatusOr<ComputationPtr> join = joining_computation(results[0].element_type());
  if (join.ok()) finish(result, *join);
  else program.fail(join.status());
  return result;
}

/// Reduces shards with the neutral element as initial value, and combines the result with the initial value once.
Exprs OpWriter::reduce(Exprs values) {
  const ComputationPtr& reducer = attributes_of<ReduceAttributes>(instruction).to_apply;
  if (values.size() > 2) {
    const Exprs initial(values.begin() + values.size() / 2, values.end());
    return unpack(choose_of_all(on_parts(values), initial));
  }
  const Expr initial = values[1];
  const Literal neutral = *neutral_value(reducer->reducer_kind(), results[0].element_type());
  values[1] = program.constant(neutral);
  Exprs result = on_parts(values);
  finish(result, reducer);
  if (!program.status().ok()) return result;
  const Shape shape = result[0].shape();
  result[0] = program.add(*opcode_of(reducer->reducer_kind()), {broadcast(initial, shape.dimensions(), {}), result[0]});
  return result;
}

/// Computes positions of extremes: gathers the candidates of all devices and reduces them once more.
Expr OpWriter::choose_of_all(const Exprs& values, const Exprs& initial) {
  program.context().reason = "the reduction of its results";
  Exprs all;
  for (const Expr& value : values) {
    const Shape shape = value.shape();
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    sizes.insert(sizes.begin(), 1);
    all.push_back(program.all_gather(reshape(value, sizes), 0, chosen.partial));
  }
  all.insert(all.end(), initial.begin(), initial.end());
  return program.add_with<ReduceAttributes>(Opcode::kReduce, all, [&](auto& a) {
    a.dimensions = {0};
    a.to_apply = attributes_of<ReduceAttributes>(instruction).to_apply;
  });
}

std::vector<Part> OpWriter::write() {
  choose();
  const Exprs values = operand_values();
  const bool partial = !chosen.partial.empty() && program.status().ok();
  Exprs computed;
  if (!partial) computed = on_parts(values);
  else computed = instruction.opcode == Opcode::kReduce ? reduce(values) : joined(values);
  std::vector<Part> written;
  for (size_t i = 0; i < computed.size() && program.status().ok(); ++i) {
    const ArraySplit& now = chosen.splits.results[i];
    if (now != requested[i])
      program.context().reason = fmt::format("result {}: {} -> {}", results[i].to_string(),
                                             to_string(now, program.atoms()), to_string(requested[i], program.atoms()));
    written.push_back({reshard(program, computed[i], now, requested[i]), requested[i]});
  }
  return written;
}

}  // namespace

Expr pack(DeviceProgram& program, const Shape& whole, std::span<const Part> leaves) {
  if (!whole.is_tuple()) return leaves.empty() ? program.at(0) : leaves[0].value;
  Exprs elements;
  size_t next = 0;
  for (const Shape& element : whole.tuple_elements()) {
    const size_t count = element.leaves().size();
    elements.push_back(pack(program, element, leaves.subspan(next, count)));
    next += count;
  }
  return tuple(program, elements);
}

Exprs unpack(Expr value) {
  const Shape shape = value.shape();
  if (!shape.is_tuple()) return {value};
  Exprs leaves;
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    const Exprs inner = unpack(element(value, i));
    leaves.insert(leaves.end(), inner.begin(), inner.end());
  }
  return leaves;
}

std::vector<Part> write_op(DeviceProgram& program, const Instruction& instruction, const Computation& computation,
                           std::span<const Part> operands, std::span<const ArraySplit> requested) {
  if (!requested.empty()) {
    if (std::optional<Part> view = write_view(program, instruction, computation, operands, requested[0]))
      return {*view};
  }
  return OpWriter{program, instruction, computation, operands, requested}.write();
}

}  // namespace hilo::hlo
