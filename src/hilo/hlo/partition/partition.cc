// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/partition/edges.h"
#include "hilo/hlo/partition/join_all_reduces.h"
#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/op_parts.h"
#include "hilo/hlo/partition/reshard.h"
#include "hilo/hlo/partition/summands.h"
#include "hilo/hlo/partition/view.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/trip_count.h"
#include "hilo/hlo/sharding/manual.h"

namespace hilo::hlo {
namespace {

using PartList = std::vector<Part>;

/// A computation that is being partitioned. The instructions of a call are added to its caller's program.
struct Frame {
  uint32_t id = 0;  ///< index in DataFlow::frames
  std::shared_ptr<DeviceProgram> program;
  std::vector<PartList> parameters;
  bool is_call = false;
  int64_t times = 1;                       ///< number of iterations of the surrounding loops
  std::vector<ArraySplit> requested = {};  ///< requested splits of the root's leaves; unused for calls
  std::vector<Unreduced> unreduced = {};   ///< by leaf of the root, over which devices it stays unreduced
  InstructionId next = 0;
  std::vector<PartList> values = {};
  std::vector<ComputationPtr> finished = {};  ///< computations that instruction `next` opens
};

bool is_alias(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kOptimizationBarrier || opcode == Opcode::kDomain ||
         opcode == Opcode::kAddDependency || opcode == Opcode::kGetTupleElement;
}

/// The sharding of a whole array at the beginning or end of a manual computation.
struct Edge {
  ArraySplit split;
  Unreduced unreduced;
};

class Partitioner {
 public:
  Partitioner(const Module& module, const PropagationRequest& request, PropagatedFlow propagated)
      : module_(module),
        request_(request),
        context_{request.mesh, MeshAtoms(request.mesh), {}, {}, {}},
        flow_(std::move(propagated.flow)),
        splits_(std::move(propagated.splits)) {}
  StatusOr<PartitionedProgram> run();

 private:
  const FlowFrame& flow(const Frame& frame) const { return flow_.frames[frame.id]; }
  const Computation& computation(const Frame& frame) const { return *flow(frame).computation; }
  std::vector<ArraySplit> splits(const std::vector<FlowArrayId>& arrays) const;
  PartList parts(const Exprs& values, const std::vector<FlowArrayId>& arrays) const;
  PartList parts(const Exprs& values, const std::vector<FlowArrayId>& arrays, std::span<const ArraySplit> cut) const;
  /// Adds a parameter of these arrays, sharded by `cut`.
  PartList parameter(DeviceProgram& program, const Shape& whole, const std::vector<FlowArrayId>& arrays,
                     std::span<const ArraySplit> cut) const;
  int64_t runs(const Frame& frame, const Instruction& instruction) const;
  std::vector<ArraySplit> carry_splits(const Frame& frame, const Instruction& loop) const;
  std::vector<Unreduced> carry_unreduced(const Frame& frame, const Instruction& loop);
  Status record_unreduced();
  void gather_sliced_dimensions(uint32_t body, int64_t trips, FlowArrayId array, ArraySplit& split) const;
  PartList operand_parts(const Frame& frame, const Instruction& instruction) const;
  Exprs cut_as(Frame& frame, PartList parts, std::span<const ArraySplit> requested, std::string_view what);
  void compute_views(Frame& frame, PartList& parts);
  Expr packed_as(Frame& frame, const Shape& whole, const PartList& parts, std::span<const ArraySplit> requested,
                 std::string_view what);

  Status step(Frame& frame);
  Status finish(Frame& frame);
  void push(Frame frame) {
    frame.values.resize(flow_.frames[frame.id].computation->size());
    frames_.push_back(std::move(frame));
  }
  Frame inner(const Frame& frame, uint32_t id, bool is_tuple_parameter);
  void open_call(Frame& frame, const Instruction& instruction, uint32_t id);
  void open_body(Frame& frame, const Instruction& instruction, uint32_t id);
  void write_control(Frame& frame, const Instruction& instruction);
  bool is_manual(const Frame& frame, const Instruction& instruction) const;
  Status write_manual(Frame& frame, const Instruction& instruction);
  Exprs packed_operands(Frame& frame, const Instruction& instruction, const Exprs& leaves) const;
  Status write_per_device_call(Frame& frame, const Instruction& instruction);
  StatusOr<Edge> edge(const Instruction& instruction) const;
  void write_while(Frame& frame, const Instruction& instruction);
  void write_conditional(Frame& frame, const Instruction& instruction);
  void write_scan(Frame& frame, const Instruction& instruction);
  void alias(Frame& frame, const Instruction& instruction);
  void at(Frame& frame, const Instruction& instruction);
  std::vector<Sharding> shardings(const std::vector<FlowArrayId>& arrays,
                                  const std::vector<std::optional<Sharding>>& stated) const;
  StatusOr<Frame> entry_frame();
  Status keep_whole_axes(const std::vector<FlowArrayId>& arrays);

  const Module& module_;
  const PropagationRequest& request_;
  PartitionContext context_;
  DataFlow flow_;
  std::vector<ArraySplit> splits_;
  std::vector<Unreduced> unreduced_;  ///< by array of the flow: what the program requests
  std::deque<Frame> frames_;          // a deque: references stay valid when frames are pushed
  ComputationPtr entry_;
};

std::vector<ArraySplit> Partitioner::splits(const std::vector<FlowArrayId>& arrays) const {
  std::vector<ArraySplit> result;
  for (const FlowArrayId id : arrays) result.push_back(splits_[id]);
  return result;
}

PartList Partitioner::parts(const Exprs& values, const std::vector<FlowArrayId>& arrays,
                            std::span<const ArraySplit> cut) const {
  PartList result;
  for (size_t i = 0; i < values.size() && i < arrays.size(); ++i)
    result.push_back({values[i], cut[i], flow_.arrays[arrays[i]].constant});
  return result;
}

PartList Partitioner::parts(const Exprs& values, const std::vector<FlowArrayId>& arrays) const {
  return parts(values, arrays, splits(arrays));
}

PartList Partitioner::parameter(DeviceProgram& program, const Shape& whole, const std::vector<FlowArrayId>& arrays,
                                std::span<const ArraySplit> cut) const {
  size_t next = 0;
  const Shape part = whole.map_leaves([&](const Shape& leaf) { return part_of(leaf, cut[next++], context_.atoms); });
  return parts(unpack(program.parameter(part)), arrays, cut);
}

PartList Partitioner::operand_parts(const Frame& frame, const Instruction& instruction) const {
  PartList all;
  for (const InstructionId id : instruction.operands)
    all.insert(all.end(), frame.values[id].begin(), frame.values[id].end());
  return all;
}

Exprs Partitioner::cut_as(Frame& frame, PartList parts, std::span<const ArraySplit> requested, std::string_view what) {
  Exprs values;
  for (size_t i = 0; i < parts.size() && i < requested.size(); ++i) {
    if (parts[i].split != requested[i])
      context_.reason = fmt::format("{} {}: {} -> {}", what, i, to_string(parts[i].split, context_.atoms),
                                    to_string(requested[i], context_.atoms));
    values.push_back(hlo::cut_as(*frame.program, parts[i], requested[i]));
  }
  return values;
}

Expr Partitioner::packed_as(Frame& frame, const Shape& whole, const PartList& parts,
                            std::span<const ArraySplit> requested, std::string_view what) {
  const Exprs values = cut_as(frame, parts, requested, what);
  PartList cut;
  for (const Expr& value : values) cut.push_back({value, {}});
  return pack(*frame.program, whole, cut);
}

/// Computes deferred views.
void Partitioner::compute_views(Frame& frame, PartList& parts) {
  for (Part& part : parts) {
    if (part.view == nullptr) continue;
    part.value = make_view(*frame.program, *part.view, part.split);
    part.view = nullptr;
  }
}

/// Sets the instruction that errors and reports name, and copies its annotations to the new instructions, without their
/// shardings.
void Partitioner::at(Frame& frame, const Instruction& instruction) {
  context_.instruction = describe(instruction);
  context_.times = frame.times;
  if (instruction.annotations == nullptr) return frame.program->set_annotations(nullptr);
  Annotations annotations = *instruction.annotations;
  annotations.sharding.clear();
  annotations.frontend_attributes.clear();
  frame.program->set_annotations(std::make_shared<const Annotations>(std::move(annotations)));
}

void Partitioner::alias(Frame& frame, const Instruction& instruction) {
  PartList& value = frame.values[instruction.id];
  if (instruction.opcode == Opcode::kAddDependency) {
    value = frame.values[instruction.operands[0]];
  } else if (instruction.opcode == Opcode::kGetTupleElement) {
    const PartList& all = frame.values[instruction.operands[0]];
    const Shape& tuple = computation(frame).instruction(instruction.operands[0]).shape;
    const int64_t index = attributes_of<GetTupleElementAttributes>(instruction).index;
    size_t begin = 0;
    for (int64_t i = 0; i < index; ++i) begin += tuple.tuple_element(i).leaves().size();
    const auto first = all.begin() + begin;
    value.assign(first, first + std::ssize(instruction.shape.leaves()));
  } else {
    value = operand_parts(frame, instruction);
    if (instruction.opcode != Opcode::kOptimizationBarrier) return;
    compute_views(frame, value);
    const Expr barrier =
        frame.program->add(Opcode::kOptimizationBarrier, {pack(*frame.program, instruction.shape, value)});
    value = parts(unpack(barrier), flow(frame).values[instruction.id]);
  }
}

void Partitioner::open_call(Frame& frame, const Instruction& instruction, uint32_t id) {
  Frame called{id, frame.program, {}, true, frame.times};
  for (const InstructionId operand : instruction.operands) called.parameters.push_back(frame.values[operand]);
  push(std::move(called));
}

/// Opens a computation with its own parameters: a loop's body or condition, a branch, a scan's step.
void Partitioner::open_body(Frame& frame, const Instruction& instruction, uint32_t id) {
  const Computation& body = *flow_.frames[id].computation;
  Frame opened{
      id, std::make_shared<DeviceProgram>(body.name(), context_), {}, false, frame.times * runs(frame, instruction)};
  const bool loops = instruction.opcode == Opcode::kWhile;
  const std::vector<ArraySplit> own =
      loops ? carry_splits(frame, instruction) : splits(flow(frame).values[instruction.id]);
  const std::vector<Unreduced> sums = loops ? carry_unreduced(frame, instruction) : std::vector<Unreduced>();
  for (const InstructionId parameter_id : body.parameters()) {
    const std::vector<FlowArrayId>& arrays = flow_.frames[id].values[parameter_id];
    PartList values =
        parameter(*opened.program, body.instruction(parameter_id).shape, arrays, loops ? own : splits(arrays));
    context_.reason = "an unreduced carry";
    finish_sums(*opened.program, values, sums);
    opened.parameters.push_back(std::move(values));
  }
  if (instruction.opcode == Opcode::kConditional) {
    opened.requested = own;
  } else if (instruction.opcode == Opcode::kWhile) {
    if (frame.finished.empty()) opened.requested = own, opened.unreduced = sums;
    else opened.requested = {ArraySplit()};  // the condition
  } else {
    const size_t carries = attributes_of<ScanAttributes>(instruction).carry_count;
    size_t carried = 0;
    for (size_t i = 0; i < carries; ++i) carried += instruction.shape.tuple_element(i).leaves().size();
    for (size_t i = 0; i < own.size(); ++i) {
      opened.requested.push_back(own[i]);
      if (i >= carried) opened.requested.back().erase(opened.requested.back().begin());
    }
  }
  push(std::move(opened));
}

/// Returns how often the instruction runs the computation that it opens, per execution; 1 if unknown.
int64_t Partitioner::runs(const Frame& frame, const Instruction& instruction) const {
  if (instruction.opcode == Opcode::kWhile) return trip_count(instruction, computation(frame)).value_or(1);
  return instruction.opcode == kExtScan ? attributes_of<ScanAttributes>(instruction).length : 1;
}

/// If a loop's steps read slices of an array that the loop doesn't change, the array is gathered once instead of in
/// every step. The sliced dimension is gathered if all slices together are at least half of the array.
void Partitioner::gather_sliced_dimensions(uint32_t body, int64_t trips, FlowArrayId array, ArraySplit& split) const {
  std::vector<uint32_t> waiting = {body};
  while (!waiting.empty()) {
    const FlowFrame& frame = flow_.frames[waiting.back()];
    waiting.pop_back();
    for (const auto& [id, opened] : frame.opened) waiting.insert(waiting.end(), opened.begin(), opened.end());
    for (const Instruction& i : frame.computation->instructions()) {
      if (i.opcode != Opcode::kDynamicSlice || frame.values[i.operands[0]] != std::vector{array}) continue;
      const Shape& whole = flow_.arrays[array].shape;
      for (size_t d = 0; d < split.size(); ++d) {
        if (i.shape.dimension(d) < whole.dimension(d) && 2 * trips * i.shape.element_count() >= whole.element_count())
          split[d].clear();
      }
    }
  }
}

/// Returns the splits of the leaves of a loop's carry.
std::vector<ArraySplit> Partitioner::carry_splits(const Frame& frame, const Instruction& loop) const {
  const std::vector<FlowArrayId>& carry = flow(frame).values[loop.id];
  const std::vector<FlowArrayId>& first = flow(frame).values[loop.operands[0]];
  std::vector<ArraySplit> result = splits(carry);
  const int64_t trips = trip_count(loop, computation(frame)).value_or(INT32_MAX);
  for (size_t i = 0; i < result.size(); ++i) {
    if (carry[i] == first[i]) gather_sliced_dimensions(flow(frame).opened.at(loop.id)[0], trips, carry[i], result[i]);
  }
  return result;
}

/// Returns over which devices leaves of a loop's carry stay unreduced. A sum that starts unreduced and is only added to
/// stays so; the reduction happens once, after the loop.
std::vector<Unreduced> Partitioner::carry_unreduced(const Frame& frame, const Instruction& loop) {
  const std::vector<FlowArrayId>& carry = flow(frame).values[loop.id];
  const std::vector<FlowArrayId>& first = flow(frame).values[loop.operands[0]];
  std::vector<Unreduced> result(carry.size());
  for (size_t i = 0; i < carry.size(); ++i) {
    const FlowArray& array = flow_.arrays[carry[i]];
    const Unreduced& begin = unreduced_[first[i]];
    if (carry[i] == first[i] || begin.empty() || begin.by != ReducerKind::kAdd || array.manual_depth != 0) continue;
    if (!check_summands(array.shape, splits_[carry[i]], begin).ok()) continue;
    if (!only_adds_to(flow_, flow(frame).opened.at(loop.id)[0], carry[i], i)) continue;
    result[i] = unreduced_[carry[i]] = begin;
  }
  return result;
}

void Partitioner::write_while(Frame& frame, const Instruction& instruction) {
  const std::vector<FlowArrayId>& carry = flow(frame).values[instruction.id];
  const std::vector<ArraySplit> cut = carry_splits(frame, instruction);
  const std::vector<Unreduced> sums = carry_unreduced(frame, instruction);
  PartList before = frame.values[instruction.operands[0]];
  replace_by_summands(*frame.program, before, cut, sums);
  const Expr first = packed_as(frame, instruction.shape, before, cut, "carry");
  const Expr loop = frame.program->add_with<WhileAttributes>(Opcode::kWhile, {first}, [&](auto& a) {
    a.body = frame.finished[0];
    a.condition = frame.finished[1];
  });
  PartList after = parts(unpack(loop), carry, cut);
  context_.reason = "the unreduced result of a loop";
  finish_sums(*frame.program, after, sums);
  frame.values[instruction.id] = std::move(after);
}

void Partitioner::write_conditional(Frame& frame, const Instruction& instruction) {
  Exprs operands = {frame.values[instruction.operands[0]][0].value};
  for (const InstructionId id : instruction.operands) compute_views(frame, frame.values[id]);
  for (const InstructionId id : instruction.operands.subspan(1))
    operands.push_back(pack(*frame.program, computation(frame).instruction(id).shape, frame.values[id]));
  const bool predicated = attributes_of<ConditionalAttributes>(instruction).predicated;
  const Expr chosen = frame.program->add_with<ConditionalAttributes>(Opcode::kConditional, operands, [&](auto& a) {
    a.branches = frame.finished;
    a.predicated = predicated;
  });
  frame.values[instruction.id] = parts(unpack(chosen), flow(frame).values[instruction.id]);
}

/// Writes a scan. Its scanned inputs and outputs are not sharded along their first dimension.
void Partitioner::write_scan(Frame& frame, const Instruction& instruction) {
  const auto& scan = attributes_of<ScanAttributes>(instruction);
  const FlowFrame& step = flow_.frames[flow(frame).opened.at(instruction.id)[0]];
  Exprs operands;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const InstructionId id = instruction.operands[i];
    const InstructionId parameter_id = step.computation->parameters()[i];
    std::vector<ArraySplit> requested = splits(step.values[parameter_id]);
    if (static_cast<int64_t>(i) >= scan.constant_count + scan.carry_count) {
      for (ArraySplit& split : requested) split.insert(split.begin(), Atoms());
    }
    operands.push_back(
        packed_as(frame, computation(frame).instruction(id).shape, frame.values[id], requested, "operand"));
  }
  const Expr computed = frame.program->add_with<ScanAttributes>(Opcode(kExtScan), operands, [&](auto& a) {
    a = scan;
    a.step = frame.finished[0];
  });
  const std::vector<FlowArrayId>& arrays = flow(frame).values[instruction.id];
  PartList results = parts(unpack(computed), arrays);
  const std::vector<ArraySplit> requested = splits(arrays);
  size_t carried = 0;
  for (int64_t i = 0; i < scan.carry_count; ++i) carried += instruction.shape.tuple_element(i).leaves().size();
  for (size_t i = carried; i < results.size(); ++i) results[i].split[0].clear();
  const Exprs cut = cut_as(frame, results, requested, "result");
  frame.values[instruction.id] = parts(cut, arrays);
}

void Partitioner::write_control(Frame& frame, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kWhile) write_while(frame, instruction);
  else if (instruction.opcode == Opcode::kConditional) write_conditional(frame, instruction);
  else write_scan(frame, instruction);
  frame.finished.clear();
}

bool Partitioner::is_manual(const Frame& frame, const Instruction& instruction) const {
  const auto own = [&](FlowArrayId id) { return flow_.arrays[id].manual_depth != 0; };
  return leaves_manual(instruction) || std::ranges::any_of(flow(frame).values[instruction.id], own);
}

StatusOr<Edge> Partitioner::edge(const Instruction& instruction) const {
  HILO_ASSIGN_OR_RETURN(const std::optional<ManualEdge> stated, request_.manual(instruction));
  if (!stated) return internal_error(describe(instruction) + " doesn't state its sharding");
  Edge edge{ArraySplit(instruction.shape.rank()), {}};
  for (size_t d = 0; d < std::min(edge.split.size(), stated->sharding.dimensions.size()); ++d) {
    HILO_ASSIGN_OR_RETURN(edge.split[d], context_.atoms.atoms_of(stated->sharding.dimensions[d].axes));
  }
  HILO_ASSIGN_OR_RETURN(edge.unreduced, unreduced_of(stated->sharding, context_.atoms));
  HILO_RETURN_IF_ERROR(check_summands(instruction.shape, edge.split, edge.unreduced));
  return edge;
}

/// Packs the leaves of all operands into operands.
Exprs Partitioner::packed_operands(Frame& frame, const Instruction& instruction, const Exprs& leaves) const {
  PartList cut;
  for (const Expr& value : leaves) cut.push_back({value, {}});
  Exprs packed;
  size_t next = 0;
  for (const InstructionId id : instruction.operands) {
    const Shape& shape = computation(frame).instruction(id).shape;
    const size_t count = shape.leaves().size();
    packed.push_back(pack(*frame.program, shape, std::span<const Part>(cut).subspan(next, count)));
    next += count;
  }
  return packed;
}

/// Writes a call without results that each device runs on its shards.
Status Partitioner::write_per_device_call(Frame& frame, const Instruction& instruction) {
  DeviceProgram& program = *frame.program;
  PartList operands = operand_parts(frame, instruction);
  compute_views(frame, operands);
  Exprs leaves;
  std::vector<Shape> shapes;
  for (const Part& part : operands) {
    leaves.push_back(part.value);
    shapes.push_back(program.instruction(part.value).shape);
  }
  HILO_ASSIGN_OR_RETURN(const CustomCallOptions options,
                        custom_call_options(attributes_of<CustomCallAttributes>(instruction)));
  program.add(instruction.opcode, packed_operands(frame, instruction, leaves), make_custom_call(options, shapes, 0),
              instruction.shape);
  return ok_status();
}

/// Ops on per-device values are copied unchanged; other operands are gathered first.
Status Partitioner::write_manual(Frame& frame, const Instruction& instruction) {
  DeviceProgram& program = *frame.program;
  const std::vector<FlowArrayId>& arrays = flow(frame).values[instruction.id];
  const PartList operands = operand_parts(frame, instruction);
  if (enters_manual(instruction)) {
    HILO_ASSIGN_OR_RETURN(const Edge begin, edge(instruction));
    context_.reason = "the shard for a manual computation";
    frame.values[instruction.id] = parts({cut_summand(program, operands[0], begin.split, begin.unreduced)}, arrays);
    return ok_status();
  }
  std::vector<ArraySplit> whole;
  for (const Part& part : operands) whole.emplace_back(part.split.size());
  const Exprs values = cut_as(frame, operands, whole, "operand");
  if (leaves_manual(instruction)) {
    HILO_ASSIGN_OR_RETURN(const Edge end, edge(instruction));
    context_.reason = "the unreduced result of a manual computation";
    PartList sum = {{values[0], end.split}};
    finish_sums(program, sum, std::span(&end.unreduced, 1));
    frame.values[instruction.id] = parts(cut_as(frame, sum, splits(arrays), "result"), arrays);
    return ok_status();
  }
  const Expr computed = program.add(instruction.opcode, packed_operands(frame, instruction, values),
                                    instruction.attributes, instruction.shape);
  context_.reason = "a collective of the program";
  if (is_collective(instruction.opcode)) program.report(computed);
  frame.values[instruction.id] = parts(unpack(computed), arrays);
  return ok_status();
}

Status Partitioner::step(Frame& frame) {
  const Instruction& instruction = computation(frame).instruction(frame.next);
  at(frame, instruction);
  const auto& all_opened = flow(frame).opened;
  const auto opened = all_opened.find(instruction.id);
  const bool is_control = instruction.opcode == Opcode::kWhile || instruction.opcode == Opcode::kConditional ||
                          instruction.opcode == kExtScan;
  if (instruction.opcode == Opcode::kParameter) {
    const auto number = attributes_of<ParameterAttributes>(instruction).number;
    frame.values[instruction.id] = frame.parameters[number];
  } else if (is_alias(instruction.opcode)) {
    alias(frame, instruction);
  } else if (opened != all_opened.end() && is_control) {
    if (frame.finished.size() < opened->second.size()) {
      open_body(frame, instruction, opened->second[frame.finished.size()]);
      return ok_status();
    }
    write_control(frame, instruction);
  } else if (opened != all_opened.end()) {
    open_call(frame, instruction, opened->second[0]);
    return ok_status();
  } else if (is_per_device_call(instruction)) {
    HILO_RETURN_IF_ERROR(write_per_device_call(frame, instruction));
  } else if (is_manual(frame, instruction)) {
    HILO_RETURN_IF_ERROR(write_manual(frame, instruction));
  } else {
    const std::vector<FlowArrayId>& arrays = flow(frame).values[instruction.id];
    const std::vector<ArraySplit> requested = splits(arrays);
    frame.values[instruction.id] =
        write_op(*frame.program, instruction, computation(frame), operand_parts(frame, instruction), requested);
    for (size_t i = 0; i < frame.values[instruction.id].size(); ++i)
      frame.values[instruction.id][i].constant = flow_.arrays[arrays[i]].constant;
  }
  ++frame.next;
  return frame.program->status().ok() ? ok_status() : frame.program->status().with_context(describe(instruction));
}

Status Partitioner::finish(Frame& frame) {
  const Instruction& root = computation(frame).root();
  PartList& results = frame.values[root.id];
  if (frame.is_call) {
    Frame& caller = frames_[frames_.size() - 2];
    caller.values[caller.next] = results;
    ++caller.next;
    return ok_status();
  }
  at(frame, root);
  replace_by_summands(*frame.program, results, frame.requested, frame.unreduced);
  const Expr computed = packed_as(frame, root.shape, results, frame.requested, "result");
  HILO_ASSIGN_OR_RETURN(ComputationPtr computation, std::move(*frame.program).finish(computed));
  if (frames_.size() == 1) entry_ = std::move(computation);
  else frames_[frames_.size() - 2].finished.push_back(std::move(computation));
  return ok_status();
}

/// Callers can only express whole axes.
Status Partitioner::keep_whole_axes(const std::vector<FlowArrayId>& arrays) {
  for (const FlowArrayId id : arrays) {
    for (Atoms& atoms : splits_[id]) {
      HILO_ASSIGN_OR_RETURN(atoms, context_.atoms.atoms_of(context_.atoms.whole_axes(atoms)));
    }
  }
  return ok_status();
}

std::vector<Sharding> Partitioner::shardings(const std::vector<FlowArrayId>& arrays,
                                             const std::vector<std::optional<Sharding>>& stated) const {
  std::vector<Sharding> result;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Sharding& sharding = result.emplace_back();
    sharding.mesh = context_.mesh;
    for (const Atoms& atoms : splits_[arrays[i]])
      sharding.dimensions.push_back({.axes = context_.atoms.whole_axes(atoms)});
    if (!stated[i]) continue;
    sharding.unreduced = stated[i]->unreduced;
    sharding.reduction = stated[i]->reduction;
  }
  return result;
}

/// Records the unreduced arrays that the program states.
Status Partitioner::record_unreduced() {
  unreduced_.resize(flow_.arrays.size());
  for (const DataFlow::Stated& stated : flow_.stated) {
    HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, request_.stated(*stated.instruction));
    for (size_t i = 0; i < std::min(shardings.size(), stated.arrays.size()); ++i) {
      HILO_ASSIGN_OR_RETURN(unreduced_[stated.arrays[i]], unreduced_of(shardings[i], context_.atoms));
    }
  }
  return ok_status();
}

/// Arguments that are unreduced are reduced at once.
StatusOr<Frame> Partitioner::entry_frame() {
  const Computation& entry = *module_.entry;
  Frame frame{0, std::make_shared<DeviceProgram>(entry.name(), context_), {}};
  HILO_ASSIGN_OR_RETURN(const std::vector<Unreduced> sums, unreduced_of(request_.parameters, context_.atoms));
  size_t leaf = 0;
  context_.reason = "an unreduced argument";
  for (const InstructionId id : entry.parameters()) {
    const std::vector<FlowArrayId>& arrays = flow_.frames[0].values[id];
    context_.instruction = describe(entry.instruction(id));
    PartList own = parameter(*frame.program, entry.instruction(id).shape, arrays, splits(arrays));
    finish_sums(*frame.program, own, std::span(sums).subspan(leaf, own.size()));
    leaf += own.size();
    frame.parameters.push_back(std::move(own));
  }
  frame.requested = splits(flow_.results);
  HILO_ASSIGN_OR_RETURN(frame.unreduced, unreduced_of(request_.results, context_.atoms));
  return frame;
}

StatusOr<PartitionedProgram> Partitioner::run() {
  HILO_RETURN_IF_ERROR(keep_whole_axes(flow_.parameters));
  HILO_RETURN_IF_ERROR(keep_whole_axes(flow_.results));
  HILO_RETURN_IF_ERROR(record_unreduced());
  HILO_ASSIGN_OR_RETURN(Frame entry, entry_frame());
  push(std::move(entry));
  while (!frames_.empty()) {
    Frame& top = frames_.back();
    if (top.next < computation(top).size()) {
      HILO_RETURN_IF_ERROR(step(top));
    } else {
      HILO_RETURN_IF_ERROR(finish(top));
      frames_.pop_back();
    }
  }
  std::erase_if(context_.report.transfers, [](const Transfer& transfer) { return transfer.members == 0; });
  PartitionedProgram result{{},
                            shardings(flow_.parameters, request_.parameters),
                            shardings(flow_.results, request_.results),
                            std::move(context_.report)};
  result.module.name = module_.name;
  result.module.entry = std::move(entry_);
  HILO_RETURN_IF_ERROR(dce(result.module).status());
  HILO_RETURN_IF_ERROR(join_all_reduces(result.module).status());
  return result;
}

bool has_manual_computations(const Module& module) {
  for (const ComputationPtr& computation : computations_of(module)) {
    if (std::ranges::any_of(computation->instructions(), leaves_manual)) return true;
  }
  return false;
}

}  // namespace

StatusOr<PartitionedProgram> partition(const Module& module, const PropagationRequest& request) {
  Module row_major = module;
  HILO_RETURN_IF_ERROR(normalize_layouts(row_major).status());
  HILO_ASSIGN_OR_RETURN(const Module called, with_manual_calls(row_major, request));
  HILO_RETURN_IF_ERROR(check_partitionable(called, has_manual_computations(called)));
  HILO_ASSIGN_OR_RETURN(PropagatedFlow propagated, propagate_flow(called, request));
  const MeshAtoms mesh(request.mesh);
  HILO_RETURN_IF_ERROR(check_edges(request.parameters, propagated.flow.parameters, propagated, mesh, "parameter"));
  HILO_RETURN_IF_ERROR(check_edges(request.results, propagated.flow.results, propagated, mesh, "result"));
  for (const FlowArrayId id : propagated.flow.frames[0].values[called.entry->root_id()]) {
    if (propagated.flow.arrays[id].manual_depth != 0)
      return unimplemented("a result differs between devices: the program already contains per-device code");
  }
  return Partitioner(called, request, std::move(propagated)).run();
}

}  // namespace hilo::hlo
