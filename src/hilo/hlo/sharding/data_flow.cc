// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/data_flow.h"

#include <algorithm>
#include <deque>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {
namespace {

using Leaves = std::vector<FlowArrayId>;

/// Limits on the instructions after calls are opened: a multiple of the module's own, and one for small modules.
constexpr int64_t kMaxCopies = 64, kMaxInSmallModules = 1 << 16;

/// A source that is added to an edge once its computation has been read.
struct PendingEdge {
  size_t op;
  ArrayFactors factors;  ///< factors of the value's dimensions
};

/// A computation that is being read.
struct Frame {
  const Computation* computation;
  std::vector<Leaves> parameters;
  std::vector<PendingEdge> edges = {};    ///< pending edges by leaf of the root
  InstructionId caller = kNoInstruction;  ///< in the frame below: the call that has the root's value
  InstructionId next = 0;
  std::vector<Leaves> values = {};
  uint32_t id = 0;  ///< index in DataFlow::frames
};

bool is_constant_op(const Instruction& instruction) {
  return instruction.opcode == Opcode::kConstant || instruction.opcode == Opcode::kIota;
}

bool states_sharding(const Instruction& instruction) {
  return instruction.annotations != nullptr && !instruction.annotations->frontend_attributes.empty();
}

FlowKind kind_of(Opcode opcode) {
  if (is_elementwise(opcode)) return FlowKind::kElementwise;
  if (opcode == Opcode::kReshape || opcode == Opcode::kTranspose) return FlowKind::kPassing;
  if (opcode == Opcode::kDynamicSlice || opcode == Opcode::kDynamicUpdateSlice) return FlowKind::kDynamicSlice;
  return opcode == Opcode::kBroadcast ? FlowKind::kBroadcast : FlowKind::kOther;
}

/// Returns the computation that an instruction calls; null if it is an op.
const Computation* called_by(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kCall) return attributes_of<CallAttributes>(instruction).to_apply.get();
  if (instruction.opcode == kExtCustomVjp) return attributes_of<CustomVjpAttributes>(instruction).primal.get();
  if (instruction.opcode == kExtCustomRules) return attributes_of<CustomRulesAttributes>(instruction).to_apply.get();
  if (instruction.opcode != Opcode::kFusion) return nullptr;
  const auto& called = attributes_of<RawAttributes>(instruction).called;
  return called.empty() ? nullptr : called[0].get();
}

class Builder {
 public:
  Builder(const Module& module, const FlowHints& hints)
      : entry_(*module.entry),
        hints_(hints),
        most_(std::max(kMaxInSmallModules, kMaxCopies * instruction_count(module))) {}
  DataFlow build();

 private:
  FlowArrayId new_array(const Shape& shape, bool constant = false) {
    flow_.arrays.push_back({shape, constant});
    return static_cast<FlowArrayId>(flow_.arrays.size() - 1);
  }
  Leaves new_leaves(const Shape& shape, bool constant = false);
  /// Returns the index of the first leaf of a tuple's element, and the number of its leaves.
  static std::pair<size_t, size_t> element_leaves(const Shape& tuple, int64_t element);
  FlowArrayId source(FlowArrayId array) const { return flow_.arrays[array].constant ? kNoFlowArray : array; }

  /// Adds an edge into `target`, with one factor per dimension. Its sources are added later.
  size_t new_edge(FlowArrayId target);
  void add_source(const PendingEdge& edge, FlowArrayId array);
  PendingEdge whole(size_t op) const { return {op, flow_.ops[op].rule.results[0]}; }

  void step(Frame& frame);
  void finish(Frame& frame);
  void add_op(Frame& frame, const Instruction& instruction);
  void add_while(Frame& frame, const Instruction& instruction);
  void add_conditional(Frame& frame, const Instruction& instruction);
  void add_scan(Frame& frame, const Instruction& instruction);
  Leaves operand_leaves(const Frame& frame, const Instruction& instruction) const;
  void push(Frame frame) {
    opened_ += frame.computation->size();
    frame.values.resize(frame.computation->size());
    frame.id = size32(flow_.frames);
    flow_.frames.push_back({frame.computation, {}, {}});
    frames_.push_back(std::move(frame));
  }
  /// Adds a frame that an instruction of `frame` opens, before or after those that it already opened.
  void open(const Frame& frame, InstructionId by, Frame opened, bool before = false) {
    auto& list = flow_.frames[frame.id].opened[by];
    list.insert(before ? list.begin() : list.end(), size32(flow_.frames));
    push(std::move(opened));
  }

  const Computation& entry_;
  const FlowHints& hints_;
  DataFlow flow_;
  std::deque<Frame> frames_;  // a deque: references stay valid when frames are pushed
  int64_t opened_ = 0, most_;
};

Leaves Builder::new_leaves(const Shape& shape, bool constant) {
  std::vector<Shape> shapes;
  append_leaves(shape, shapes);
  Leaves leaves;
  for (const Shape& leaf : shapes) leaves.push_back(new_array(leaf, constant));
  return leaves;
}

std::pair<size_t, size_t> Builder::element_leaves(const Shape& tuple, int64_t element) {
  std::vector<Shape> before, own;
  for (int64_t i = 0; i < element; ++i) append_leaves(tuple.tuple_element(i), before);
  append_leaves(tuple.tuple_element(element), own);
  return {before.size(), own.size()};
}

size_t Builder::new_edge(FlowArrayId target) {
  FlowOp edge{.rule = {}, .operands = {}, .results = {target}, .kind = FlowKind::kPassing};
  const Shape& shape = flow_.arrays[target].shape;
  ArrayFactors& factors = edge.rule.results.emplace_back();
  for (int64_t d = 0; shape.is_array() && d < shape.rank(); ++d) {
    edge.rule.factors.push_back({shape.dimension(d)});
    factors.push_back({static_cast<int>(d)});
  }
  flow_.ops.push_back(std::move(edge));
  return flow_.ops.size() - 1;
}

void Builder::add_source(const PendingEdge& edge, FlowArrayId array) {
  FlowOp& op = flow_.ops[edge.op];
  op.operands.push_back(source(array));
  op.rule.operands.push_back(edge.factors);
}

Leaves Builder::operand_leaves(const Frame& frame, const Instruction& instruction) const {
  Leaves all;
  for (const InstructionId id : instruction.operands)
    all.insert(all.end(), frame.values[id].begin(), frame.values[id].end());
  return all;
}

void Builder::add_op(Frame& frame, const Instruction& instruction) {
  Leaves operands = operand_leaves(frame, instruction);
  const bool stated = states_sharding(instruction);
  const bool cheap = is_elementwise(instruction.opcode) || instruction.opcode == Opcode::kBroadcast ||
                     instruction.opcode == Opcode::kSlice;
  const auto constant = [&](FlowArrayId id) { return flow_.arrays[id].constant; };
  const bool of_constants =
      !stated && (is_constant_op(instruction) || (cheap && std::ranges::all_of(operands, constant)));
  Leaves results = new_leaves(instruction.shape, of_constants);
  frame.values[instruction.id] = results;
  if (stated) flow_.stated.push_back({&instruction, results});
  if (of_constants) return;
  const auto own = hints_.rules.find(&instruction);
  const bool has_own = own != hints_.rules.end();
  FlowOp op{.rule = has_own ? own->second : sharding_rule(instruction, *frame.computation),
            .operands = std::move(operands),
            .results = std::move(results),
            .kind = kind_of(instruction.opcode)};
  if (hints_.queries_calls && stated && !has_own && instruction.opcode == Opcode::kCustomCall) {
    op.query = &instruction;
    for (const FlowArrayId id : op.operands) op.operand_shapes.push_back(flow_.arrays[id].shape);
  }
  if (op.rule.factors.empty() && op.query == nullptr) return;
  for (FlowArrayId& id : op.operands) id = source(id);
  flow_.ops.push_back(std::move(op));
}

/// Returns whether element i of the loop's carry passes through the body unchanged.
bool is_invariant(const Computation& body, int64_t element) {
  const Instruction& root = body.root();
  if (root.opcode != Opcode::kTuple) return false;
  const Instruction& value = body.instruction(root.operands[element]);
  return value.opcode == Opcode::kGetTupleElement && value.operands[0] == body.parameters()[0] &&
         attributes_of<GetTupleElementAttributes>(value).index == element;
}

void Builder::add_while(Frame& frame, const Instruction& instruction) {
  const auto& loop = attributes_of<WhileAttributes>(instruction);
  const Leaves& first = frame.values[instruction.operands[0]];
  std::vector<bool> invariant(first.size());
  for (int64_t i = 0; instruction.shape.is_tuple() && i < instruction.shape.tuple_size(); ++i) {
    const auto [begin, count] = element_leaves(instruction.shape, i);
    for (size_t k = begin; k < begin + count; ++k) invariant[k] = is_invariant(*loop.body, i);
  }
  Leaves carry;
  Frame body{loop.body.get(), {}};
  for (size_t k = 0; k < first.size(); ++k) {
    carry.push_back(invariant[k] ? first[k] : new_array(flow_.arrays[first[k]].shape));
    const size_t edge = invariant[k] ? flow_.ops.size() : new_edge(carry[k]);
    body.edges.push_back(invariant[k] ? PendingEdge{~size_t{0}, {}} : whole(edge));
    if (!invariant[k]) add_source(body.edges.back(), first[k]);
  }
  frame.values[instruction.id] = carry;
  body.parameters = {carry};
  open(frame, instruction.id, std::move(body));
  open(frame, instruction.id, {loop.condition.get(), {carry}});
}

void Builder::add_conditional(Frame& frame, const Instruction& instruction) {
  const auto& conditional = attributes_of<ConditionalAttributes>(instruction);
  const Leaves results = new_leaves(instruction.shape);
  frame.values[instruction.id] = results;
  std::vector<PendingEdge> edges;
  for (const FlowArrayId id : results) edges.push_back(whole(new_edge(id)));
  for (size_t i = conditional.branches.size(); i-- > 0;)
    open(frame, instruction.id, {conditional.branches[i].get(), {frame.values[instruction.operands[i + 1]]}, edges},
         /*before=*/true);
}

/// Slices lack the leading dimension of their arrays.
void Builder::add_scan(Frame& frame, const Instruction& instruction) {
  const auto& scan = attributes_of<ScanAttributes>(instruction);
  Frame step{scan.step.get(), {}};
  Leaves results;
  std::vector<PendingEdge> carries;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Leaves& operand = frame.values[instruction.operands[i]];
    const int64_t place = i;
    Leaves& parameter = step.parameters.emplace_back();
    for (const FlowArrayId id : operand) {
      if (place < scan.constant_count) {
        parameter.push_back(id);
      } else if (place < scan.constant_count + scan.carry_count) {
        parameter.push_back(new_array(flow_.arrays[id].shape));
        carries.push_back(whole(new_edge(parameter.back())));
        add_source(carries.back(), id);
        results.push_back(parameter.back());
      } else {
        std::vector<Shape> slice;
        append_leaves(scan.step->parameter(place).shape, slice);
        parameter.push_back(new_array(slice[parameter.size()]));
        PendingEdge edge = whole(new_edge(parameter.back()));
        edge.factors.insert(edge.factors.begin(), std::vector<int>{});
        add_source(edge, id);
      }
    }
  }
  step.edges = carries;
  std::vector<Shape> shapes;
  append_leaves(instruction.shape, shapes);
  for (size_t i = results.size(); i < shapes.size(); ++i) {
    results.push_back(new_array(shapes[i]));
    PendingEdge edge = whole(new_edge(results.back()));
    if (!edge.factors.empty()) edge.factors.erase(edge.factors.begin());
    step.edges.push_back(std::move(edge));
  }
  frame.values[instruction.id] = results;
  open(frame, instruction.id, std::move(step));
}

void Builder::step(Frame& frame) {
  const Instruction& instruction = frame.computation->instruction(frame.next++);
  Leaves& value = frame.values[instruction.id];
  const bool opens = opened_ < most_;
  if (instruction.opcode == Opcode::kParameter) {
    value = frame.parameters[attributes_of<ParameterAttributes>(instruction).number];
  } else if (instruction.opcode == Opcode::kTuple || instruction.opcode == Opcode::kOptimizationBarrier ||
             instruction.opcode == Opcode::kDomain) {
    value = operand_leaves(frame, instruction);
  } else if (instruction.opcode == Opcode::kAddDependency) {
    value = frame.values[instruction.operands[0]];
  } else if (instruction.opcode == Opcode::kGetTupleElement) {
    const InstructionId tuple = instruction.operands[0];
    const auto [begin, count] = element_leaves(frame.computation->instruction(tuple).shape,
                                               attributes_of<GetTupleElementAttributes>(instruction).index);
    const auto from = frame.values[tuple].begin() + begin;
    value.assign(from, from + static_cast<ptrdiff_t>(count));
  } else if (opens && instruction.opcode == Opcode::kWhile) {
    add_while(frame, instruction);
  } else if (opens && instruction.opcode == Opcode::kConditional) {
    add_conditional(frame, instruction);
  } else if (opens && instruction.opcode == kExtScan) {
    add_scan(frame, instruction);
  } else if (const Computation* const called = called_by(instruction); opens && called != nullptr) {
    std::vector<Leaves> arguments;
    for (const InstructionId id : instruction.operands) arguments.push_back(frame.values[id]);
    open(frame, instruction.id, {called, std::move(arguments), {}, instruction.id});
  } else {
    add_op(frame, instruction);
  }
}

void Builder::finish(Frame& frame) {
  const Leaves& root = frame.values[frame.computation->root_id()];
  for (size_t i = 0; i < frame.edges.size(); ++i) {
    if (frame.edges[i].op != ~size_t{0}) add_source(frame.edges[i], root[i]);
  }
  if (frame.caller != kNoInstruction) frames_[frames_.size() - 2].values[frame.caller] = root;
  if (frames_.size() > 1) return;
  for (const FlowArrayId id : root) {
    flow_.results.push_back(new_array(flow_.arrays[id].shape));
    add_source(whole(new_edge(flow_.results.back())), id);
  }
}

DataFlow Builder::build() {
  Frame entry{&entry_, {}};
  for (const Shape& shape : entry_.parameter_shapes()) {
    entry.parameters.push_back(new_leaves(shape));
    flow_.parameters.insert(flow_.parameters.end(), entry.parameters.back().begin(), entry.parameters.back().end());
  }
  push(std::move(entry));
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next < frame.computation->size()) {
      step(frame);
    } else {
      finish(frame);
      flow_.frames[frame.id].values = std::move(frame.values);
      frames_.pop_back();
    }
  }
  for (const FlowOp& op : flow_.ops) {
    std::vector<FlowArrayId> read = op.operands;
    std::ranges::sort(read);
    for (size_t i = 0; i < read.size(); ++i) {
      if (read[i] != kNoFlowArray && (i == 0 || read[i] != read[i - 1])) ++flow_.arrays[read[i]].uses;
    }
  }
  return std::move(flow_);
}

}  // namespace

DataFlow data_flow(const Module& module, const FlowHints& hints) { return Builder(module, hints).build(); }

}  // namespace hilo::hlo
