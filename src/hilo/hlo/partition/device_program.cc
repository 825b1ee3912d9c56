// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/device_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {
namespace {

bool is_number_everywhere(const Instruction& instruction, const Shape& operand) {
  return instruction.opcode == Opcode::kBroadcast && operand.rank() == 0;
}

}  // namespace

Shape with_dimension(const Shape& shape, int64_t dimension, int64_t size) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[dimension] = size;
  return Shape::array(shape.element_type(), sizes);
}

Shape part_of(const Shape& whole, const ArraySplit& split, const MeshAtoms& atoms) {
  if (!whole.is_array()) return whole;
  std::vector<int64_t> sizes(whole.dimensions().begin(), whole.dimensions().end());
  for (size_t d = 0; d < split.size(); ++d) sizes[d] /= atoms.size(split[d]);
  return Shape::array(whole.element_type(), sizes);
}

std::string to_string(const ArraySplit& split, const MeshAtoms& atoms) {
  std::string text = "[";
  for (size_t d = 0; d < split.size(); ++d) text += (d == 0 ? "{" : ",{") + atoms.to_string(split[d]) + "}";
  return text + "]";
}

StatusOr<ComputationPtr> DeviceProgram::finish(Expr root) && {
  if (!status().ok()) return status();
  HILO_ASSIGN_OR_RETURN(ComputationPtr result, std::move(builder_).build(root.id));
  return combined_.empty() ? std::move(result) : without_unused(*result);
}

/// Removes unused collectives from the program and the report. Passes never drop collectives, so it is done here.
StatusOr<ComputationPtr> DeviceProgram::without_unused(const Computation& result) {
  std::vector<bool> needed(result.size());
  needed[result.root_id()] = true;
  for (InstructionId id = result.size(); id-- > 0;) {
    const Instruction& i = result.instruction(id);
    if (is_kept_when_unused(i.opcode, i.attributes) && !combined_.contains(id)) needed[id] = true;
    if (!needed[id]) continue;
    for (const InstructionId operand : i.operands) needed[operand] = true;
  }
  for (const auto& [id, combined] : combined_) {
    if (!needed[id]) context_.report.transfers[combined.transfer].members = 0;
  }
  ComputationDraft draft(result.name());
  std::vector<InstructionId> places(result.size());
  for (const Instruction& i : result.instructions()) {
    if (!needed[i.id]) continue;
    std::vector<InstructionId> operands;
    for (const InstructionId operand : i.operands) operands.push_back(places[operand]);
    places[i.id] = draft.append_copy(i, operands);
  }
  return std::move(draft).finish(places[result.root_id()]);
}

/// Returns groups of places that differ only in `by`, in shard order.
Int64Lists DeviceProgram::lines(const Atoms& by) const {
  const size_t members = atoms().size(by);
  std::map<std::vector<int64_t>, std::vector<int64_t>> lines;  // by the shard numbers of the other atoms
  for (int64_t place = 0; place < atoms().place_count(); ++place) {
    std::vector<int64_t> others;
    for (uint16_t atom = 0; atom < atoms().count(); ++atom) {
      if (std::ranges::find(by, atom) == by.end()) others.push_back(atoms().part_at({atom}, place));
    }
    std::vector<int64_t>& line = lines[others];
    line.resize(members);
    line[atoms().part_at(by, place)] = place;
  }
  Int64Lists result;
  for (auto& [others, line] : lines) result.push_back(std::move(line));
  return result;
}

Int64Lists DeviceProgram::groups(const Atoms& by) const {
  Int64Lists groups = lines(by);
  for (std::vector<int64_t>& group : groups) {
    for (int64_t& place : group) place = context_.mesh.device_at(place);
  }
  return groups;
}

/// Returns this device's entry of a table.
Expr DeviceProgram::entry_of(const std::vector<int64_t>& by_device) {
  Literal table(Shape::array(ElementType::kS32, {std::ssize(by_device)}));
  for (size_t device = 0; device < by_device.size(); ++device)
    table.data<int32_t>()[device] = static_cast<int32_t>(by_device[device]);
  const Expr device = add(Opcode::kReplicaId, std::span<const Expr>());
  const Expr entry = add_with<DynamicSliceAttributes>(Opcode::kDynamicSlice, {constant(std::move(table)), device},
                                                      [](auto& a) { a.sizes = {1}; });
  return reshape(entry, std::span<const int64_t>());
}

Expr DeviceProgram::part_index(const Atoms& by) {
  const auto found = indices_.find(by);
  if (found != indices_.end()) return found->second;
  std::vector<int64_t> parts(atoms().place_count());
  for (int64_t place = 0; place < atoms().place_count(); ++place)
    parts[context_.mesh.device_at(place)] = atoms().part_at(by, place);
  return indices_[by] = entry_of(parts);
}

/// Numbers in equal steps are computed instead of stored in a table.
Expr DeviceProgram::number_of_part(const Atoms& by, const std::vector<int64_t>& numbers) {
  const int64_t step = numbers.size() < 2 ? 0 : numbers[1] - numbers[0];
  bool even = true;
  for (size_t k = 0; k < numbers.size(); ++k) even &= numbers[k] == numbers[0] + static_cast<int64_t>(k) * step;
  if (even && step == 0) return constant(Literal::scalar(static_cast<int32_t>(numbers[0])));
  if (even) return part_index(by) * static_cast<double>(step) + static_cast<double>(numbers[0]);
  std::vector<int64_t> by_device(atoms().place_count());
  for (int64_t place = 0; place < atoms().place_count(); ++place)
    by_device[context_.mesh.device_at(place)] = numbers[atoms().part_at(by, place)];
  return entry_of(by_device);
}

/// Counts in integers, because the start may exceed the range of a narrow type.
Expr DeviceProgram::cut_iota(const Instruction& iota, int64_t dimension, const Shape& part, const Atoms& by) {
  const auto along = attributes_of<IotaAttributes>(iota).dimension;
  if (along != dimension) return hlo::iota(*this, part, along);
  const Shape counted = part.with_element_type(ElementType::kS32);
  const Expr start = part_index(by) * static_cast<double>(part.dimension(dimension));
  return convert(hlo::iota(*this, counted, along) + broadcast(start, counted.dimensions(), {}), part.element_type());
}

/// Returns the number of elementwise ops on the longest path to an array that is computed only from iota and broadcast
/// scalars. Returns 0 if it has other sources.
int DeviceProgram::recompute_depth(Opcode opcode, std::span<const InstructionId> operands) const {
  if (opcode == Opcode::kIota) return 1;
  if (opcode == Opcode::kBroadcast) return shape_of(operands[0]).rank() == 0 ? 1 : 0;
  if (!is_elementwise(opcode)) return 0;
  int most = 0;
  for (const InstructionId operand : operands) {
    const auto found = recompute_depths_.find(operand);
    if (found == recompute_depths_.end()) return 0;
    most = std::max(most, found->second);
  }
  constexpr int kMaxSteps = 200;  // limits the recursion
  return most < kMaxSteps ? most + 1 : 0;
}

StatusOr<InstructionId> DeviceProgram::append(Opcode opcode, std::span<const InstructionId> operands,
                                              AttributesPtr attributes, const std::optional<Shape>& declared) {
  const int steps = recompute_depth(opcode, operands);
  HILO_ASSIGN_OR_RETURN(const InstructionId id, builder_.add(opcode, operands, std::move(attributes), declared));
  if (steps > 0) recompute_depths_[id] = steps;
  return id;
}

/// Computes the shard from the operands' shards, without the whole array.
Expr DeviceProgram::cut_elementwise(Expr value, int64_t dimension, const Shape& part, const Atoms& by) {
  const auto key = std::tuple(value.id, dimension, by);
  const auto found = cuts_.find(key);
  if (found != cuts_.end()) return found->second;
  const Instruction& definition = instruction(value);
  const Opcode opcode = definition.opcode;  // copies: adding instructions moves this one
  const AttributesPtr attributes = definition.attributes;
  Exprs operands;
  for (const InstructionId operand : definition.operands) operands.push_back(at(operand));
  for (Expr& operand : operands) {
    if (operand.shape().rank() > 0) operand = cut(operand, dimension, by);
  }
  return cuts_[key] = add(opcode, operands, attributes, part);
}

Expr DeviceProgram::cut(Expr value, int64_t dimension, const Atoms& by) {
  const Shape whole = value.shape();
  const Shape part = with_dimension(whole, dimension, whole.dimension(dimension) / atoms().size(by));
  if (!status().ok()) return value;
  const Instruction& definition = instruction(value);
  if (definition.opcode == Opcode::kIota && whole.dimension(dimension) <= INT32_MAX)
    return cut_iota(definition, dimension, part, by);
  if (definition.opcode == Opcode::kBroadcast && is_number_everywhere(definition, shape(definition.operands[0])))
    return broadcast(at(definition.operands[0]), part.dimensions(), {});
  if (is_elementwise(definition.opcode) && recompute_depths_.contains(value.id))
    return cut_elementwise(value, dimension, part, by);
  Exprs operands(whole.rank() + 1, constant(Literal::scalar<int32_t>(0)));
  operands[0] = value;
  operands[dimension + 1] = part_index(by) * static_cast<double>(part.dimension(dimension));
  return add_with<DynamicSliceAttributes>(Opcode::kDynamicSlice, operands, [&](auto& a) {
    a.sizes.assign(part.dimensions().begin(), part.dimensions().end());
  });
}

Expr DeviceProgram::reported(Expr collective, int64_t members) {
  if (!status().ok()) return collective;
  context_.report.transfers.push_back({instruction(collective).opcode, members, collective.shape().byte_size(),
                                       context_.times, context_.instruction, context_.reason});
  return collective;
}

Expr DeviceProgram::recorded(Expr collective, Combined combined) {
  if (!status().ok()) return collective;
  combined.transfer = context_.report.transfers.size() - 1;
  combined_.emplace(collective.id, std::move(combined));
  return collective;
}

const DeviceProgram::Combined* DeviceProgram::find_combined(Expr value) const {
  const auto found = combined_.find(value.id);
  return found == combined_.end() ? nullptr : &found->second;
}

void DeviceProgram::report(Expr collective) {
  if (!status().ok()) return;
  const Instruction& definition = instruction(collective);
  int64_t members = 2;
  if (definition.opcode != Opcode::kCollectivePermute) {
    const Int64Lists& groups = static_cast<const CollectiveAttributes&>(*definition.attributes).replica_groups;
    members = groups.empty() ? atoms().place_count() : std::ssize(groups[0]);
  }
  reported(collective, members);
}

Expr DeviceProgram::all_gather(Expr part, int64_t dimension, const Atoms& by) {
  const Shape here = part.shape();
  const Shape whole = with_dimension(here, dimension, here.dimension(dimension) * atoms().size(by));
  const Expr result = add_with<AllGatherAttributes>(
      Opcode::kAllGather, {part},
      [&](auto& a) {
        a.replica_groups = groups(by);
        a.dimensions = {dimension};
      },
      whole);
  return recorded(reported(result, atoms().size(by)), {part, by, nullptr, dimension});
}

/// all-to-all works along one dimension: the members become a leading dimension, which is then merged into `from`.
Expr DeviceProgram::all_to_all(Expr part, int64_t from, int64_t to, const Atoms& by) {
  const int64_t members = atoms().size(by);
  const Shape here = part.shape();
  std::vector<int64_t> cut_up(here.dimensions().begin(), here.dimensions().end());
  cut_up[to] /= members;
  std::vector<int64_t> merged = cut_up;
  merged[from] *= members;
  cut_up.insert(cut_up.begin() + to, members);
  Int64List to_front = {to}, before_from(cut_up.size());
  for (int64_t d = 0; d < std::ssize(cut_up); ++d) {
    if (d != to) to_front.push_back(d);
  }
  // After the members come the dimensions of `part`. The members are moved before `from`.
  for (int64_t d = 0, next = 1; d < std::ssize(cut_up); ++d) before_from[d] = d == from ? 0 : next++;
  const Expr pieces = transpose(reshape(part, cut_up), to_front);
  const Expr exchanged = reported(add_with<AllToAllAttributes>(Opcode::kAllToAll, {pieces},
                                                               [&](auto& a) {
                                                                 a.replica_groups = groups(by);
                                                                 a.dimensions = {0};
                                                               }),
                                  members);
  return reshape(transpose(exchanged, before_from), merged);
}

Expr DeviceProgram::all_reduce(Expr part, const ComputationPtr& reducer, const Atoms& by) {
  const Expr result = add_with<AllReduceAttributes>(Opcode::kAllReduce, {part}, [&](auto& a) {
    a.replica_groups = groups(by);
    a.to_apply = reducer;
  });
  return recorded(reported(result, atoms().size(by)), {part, by, reducer});
}

Expr DeviceProgram::reduce_scatter(Expr part, int64_t dimension, const ComputationPtr& reducer, const Atoms& by) {
  const Shape here = part.shape();
  const Expr result = add_with<ReduceScatterAttributes>(
      Opcode::kReduceScatter, {part},
      [&](auto& a) {
        a.replica_groups = groups(by);
        a.dimensions = {dimension};
        a.to_apply = reducer;
      },
      with_dimension(here, dimension, here.dimension(dimension) / atoms().size(by)));
  return reported(result, atoms().size(by));
}

Expr DeviceProgram::permute(Expr part, const Int64Pairs& places) {
  const Expr result = add_with<CollectivePermuteAttributes>(Opcode::kCollectivePermute, {part}, [&](auto& a) {
    for (const auto& [source, target] : places)
      a.source_target_pairs.emplace_back(context_.mesh.device_at(source), context_.mesh.device_at(target));
  });
  return reported(result, 2);
}

Expr DeviceProgram::send(Expr value, const Atoms& by, const std::vector<int64_t>& sources) {
  Int64Pairs pairs;
  for (const std::vector<int64_t>& line : lines(by)) {
    for (size_t k = 0; k < sources.size(); ++k) {
      if (sources[k] >= 0) pairs.emplace_back(line[sources[k]], line[k]);
    }
  }
  return permute(value, pairs);
}

}  // namespace hilo::hlo
