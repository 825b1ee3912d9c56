// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/lane_program.h"

#include <algorithm>
#include <map>

#include "hilo/base/sizes.h"
#include "hilo/engine/region_ops.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/partition/local_op.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::Computation;
using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr int64_t kMinBatch = 4;
constexpr int64_t kMaxTable = 8192;  // elements of a constant that differ between indices
constexpr uint32_t kNoClass = ~0u;

/// Whether the op's called computations get its operands. Those of reductions act on single elements.
bool calls(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

/// All dimensions of all values of a computation and those it calls, in classes: dimensions of one class have the same
/// index wherever a value goes. A class is broken if an op does more than pass it.
class DimensionClasses {
 public:
  explicit DimensionClasses(const Computation& entry) { visit(entry); }

  /// Returns the class of the dimension `d` of a leaf of a value.
  uint32_t class_of(const Computation& computation, InstructionId id, size_t leaf, int64_t d) {
    return root(first_[&computation][id][leaf] + static_cast<uint32_t>(d));
  }

  /// Returns the unbroken class with the most elements, and others of its extent: parts of a program that don't meet.
  /// No array has two of them. Empty if all classes are broken.
  std::vector<uint32_t> batch() {
    std::vector<double> elements(parent_.size(), 0);
    std::vector<std::vector<uint32_t>> pairs;
    for (const auto& [computation, values] : first_) {
      for (const Instruction& i : computation->instructions()) count_elements(*computation, i, elements, pairs);
    }
    std::vector<uint32_t> batch;
    if (has_replica_id_) return batch;  // it would be taken for the index
    for (;;) {
      uint32_t best = kNoClass;
      for (uint32_t k = 0; k < elements.size(); ++k) {
        const bool fits = batch.empty() || extents_[k] == extents_[batch[0]];
        if (elements[k] > 0 && fits && (best == kNoClass || elements[k] > elements[best])) best = k;
      }
      if (best == kNoClass) return batch;
      batch.push_back(best);
      elements[best] = 0;
      for (const std::vector<uint32_t>& pair : pairs) {
        if (std::ranges::count(pair, best) == 0) continue;
        for (uint32_t other : pair) elements[other] = 0;
      }
    }
  }

 private:
  uint32_t root(uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(uint32_t a, uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    parent_[b] = a;
    broken_[a] = broken_[a] || broken_[b] || extents_[a] != extents_[b];
  }
  void break_class(uint32_t node) { broken_[root(node)] = true; }

  void join_leaves(const Computation& a, InstructionId in_a, const Computation& b, InstructionId in_b) {
    const auto &from = first_[&a][in_a], &to = first_[&b][in_b];
    const std::vector<Shape> leaves = a.instruction(in_a).shape.leaves();
    for (size_t k = 0; k < leaves.size(); ++k) join_dimensions(from[k], to[k], leaves[k]);
  }
  void join_dimensions(uint32_t from, uint32_t to, const Shape& shape) {
    for (int64_t d = 0; shape.is_array() && d < shape.rank(); ++d)
      join(from + static_cast<uint32_t>(d), to + static_cast<uint32_t>(d));
  }

  void visit(const Computation& computation) {
    if (first_.contains(&computation)) return;
    auto& values = first_[&computation];
    for (const Instruction& i : computation.instructions()) {
      has_replica_id_ |= i.opcode == Opcode::kReplicaId;
      values.emplace_back();
      for (const Shape& leaf : i.shape.leaves()) {
        values.back().push_back(size32(parent_));
        for (int64_t d = 0; leaf.is_array() && d < leaf.rank(); ++d) {
          parent_.push_back(size32(parent_));
          extents_.push_back(leaf.dimension(d));
          broken_.push_back(false);
        }
      }
    }
    for (const Instruction& i : computation.instructions()) {
      if (calls(i.opcode)) {
        for (const ComputationPtr& called : called_computations(i)) visit(*called);
      }
      relate(computation, i);
    }
  }

  void relate(const Computation& c, const Instruction& i) {
    switch (i.opcode) {  // NOLINT: ops of tuples and calls; others have a rule
      case Opcode::kParameter:
      case Opcode::kIota: return;
      case Opcode::kConstant: return relate_constant(c, i);
      case Opcode::kTuple: return relate_tuple(c, i);
      case Opcode::kGetTupleElement: return relate_tuple_element(c, i);
      case Opcode::kWhile: return relate_while(c, i);
      case Opcode::kConditional: return relate_conditional(c, i);
      case Opcode::kCall: return relate_call(c, i, *attributes_of<hlo::CallAttributes>(i).to_apply, 0);
      case Opcode::kOptimizationBarrier:
      case Opcode::kCopy: return join_operands(c, i);
      default: return relate_op(c, i);
    }
  }

  void relate_constant(const Computation& c, const Instruction& i) {
    if (i.shape.element_count() <= kMaxTable || splat_bits(attributes_of<hlo::ConstantAttributes>(i).value)) return;
    for (int64_t d = 0; d < i.shape.rank(); ++d) break_class(first_[&c][i.id][0] + static_cast<uint32_t>(d));
  }

  void relate_tuple(const Computation& c, const Instruction& i) {
    size_t next = 0;
    for (InstructionId o : i.operands) {
      const std::vector<Shape> leaves = c.instruction(o).shape.leaves();
      for (size_t k = 0; k < leaves.size(); ++k, ++next)
        join_dimensions(first_[&c][o][k], first_[&c][i.id][next], leaves[k]);
    }
  }

  void relate_tuple_element(const Computation& c, const Instruction& i) {
    const int64_t index = attributes_of<hlo::GetTupleElementAttributes>(i).index;
    const Shape& tuple = c.instruction(i.operands[0]).shape;
    size_t begin = 0;
    for (int64_t k = 0; k < index; ++k) begin += tuple.tuple_element(k).leaves().size();
    const std::vector<Shape> leaves = i.shape.leaves();
    for (size_t k = 0; k < leaves.size(); ++k)
      join_dimensions(first_[&c][i.operands[0]][begin + k], first_[&c][i.id][k], leaves[k]);
  }

  void join_operands(const Computation& c, const Instruction& i) {
    for (InstructionId o : i.operands) join_leaves(c, o, c, i.id);
  }

  /// The operands from `first` on are the parameters, and the result is the root's value.
  void relate_call(const Computation& c, const Instruction& i, const Computation& called, size_t first) {
    for (size_t k = first; k < i.operands.size(); ++k)
      join_leaves(c, i.operands[k], called, called.parameters()[k - first]);
    join_leaves(called, called.root_id(), c, i.id);
  }

  void relate_while(const Computation& c, const Instruction& i) {
    const auto& a = attributes_of<hlo::WhileAttributes>(i);
    relate_call(c, i, *a.body, 0);
    for (size_t k = 0; k < i.operands.size(); ++k) {
      join_leaves(c, i.operands[k], *a.condition, a.condition->parameters()[k]);
      join_leaves(c, i.operands[k], c, i.id);
    }
  }

  void relate_conditional(const Computation& c, const Instruction& i) {
    const auto& a = attributes_of<hlo::ConditionalAttributes>(i);
    for (size_t k = 0; k < a.branches.size(); ++k) {
      join_leaves(c, i.operands[1 + k], *a.branches[k], a.branches[k]->parameters()[0]);
      join_leaves(*a.branches[k], a.branches[k]->root_id(), c, i.id);
    }
  }

  /// A factor of the op's rule that shards compute for themselves relates dimensions; all other dimensions are broken.
  void relate_op(const Computation& c, const Instruction& i) {
    const hlo::LocalOp op = hlo::local_op(i, c);
    std::vector<uint32_t> seen(op.rule.factors.size(), kNoClass);
    size_t leaf = 0;
    for (InstructionId o : i.operands) {
      for (uint32_t first : first_[&c][o]) relate_leaf(op, op.rule.operands[leaf++], first, seen);
    }
    leaf = 0;
    for (uint32_t first : first_[&c][i.id]) relate_leaf(op, op.rule.results[leaf++], first, seen);
  }

  void relate_leaf(const hlo::LocalOp& op, const hlo::ArrayFactors& factors, uint32_t first,
                   std::vector<uint32_t>& seen) {
    for (uint32_t d = 0; d < factors.size(); ++d) {
      const uint32_t node = first + d;
      if (factors[d].size() != 1 || op.strategies[factors[d][0]] != hlo::LocalStrategy::kPart ||
          op.sizes[factors[d][0]] != extents_[node]) {
        break_class(node);
        continue;
      }
      uint32_t& other = seen[factors[d][0]];
      if (other == kNoClass) other = node;
      else join(other, node);
    }
  }

  /// Adds the elements of the value's leaves to those of their classes, and lists the classes of leaves with several.
  void count_elements(const Computation& c, const Instruction& i, std::vector<double>& elements,
                      std::vector<std::vector<uint32_t>>& pairs) {
    const std::vector<Shape> leaves = i.shape.leaves();
    for (size_t k = 0; k < leaves.size(); ++k) {
      if (!leaves[k].is_array()) continue;
      std::vector<uint32_t> classes;
      for (int64_t d = 0; d < leaves[k].rank(); ++d) {
        const uint32_t of = class_of(c, i.id, k, d);
        if (!broken_[of] && extents_[of] >= kMinBatch) classes.push_back(of);
      }
      for (uint32_t of : classes) {
        // An array with the class twice, as x and its transpose have, isn't a batch.
        if (std::ranges::count(classes, of) > 1) elements[of] = -1e300;
        else elements[of] += static_cast<double>(leaves[k].element_count());
      }
      if (classes.size() > 1) pairs.push_back(std::move(classes));
    }
  }

  std::map<const Computation*, std::vector<std::vector<uint32_t>>> first_;  ///< by value and leaf: its dimension 0
  std::vector<uint32_t> parent_;
  std::vector<int64_t> extents_;
  std::vector<bool> broken_;
  bool has_replica_id_ = false;
};

/// Writes computations with batch dimensions of extent 1.
class LaneWriter {
 public:
  LaneWriter(DimensionClasses& classes, std::vector<uint32_t> batch) : classes_(classes), batch_(std::move(batch)) {}

  std::optional<int64_t> batch_dimension(const Computation& c, InstructionId id, size_t leaf, const Shape& shape) {
    for (int64_t d = 0; shape.is_array() && d < shape.rank(); ++d) {
      if (std::ranges::count(batch_, classes_.class_of(c, id, leaf, d)) != 0) return d;
    }
    return std::nullopt;
  }

  StatusOr<ComputationPtr> write(const Computation& c) {
    if (const auto known = written_.find(&c); known != written_.end()) return known->second;
    hlo::Builder b(c.name());
    std::vector<InstructionId> ids;
    for (const Instruction& i : c.instructions()) {
      HILO_ASSIGN_OR_RETURN(const InstructionId id, write(b, c, i, ids));
      ids.push_back(id);
    }
    HILO_ASSIGN_OR_RETURN(ComputationPtr built, std::move(b).build(ids[c.root_id()]));
    return written_[&c] = std::move(built);
  }

  std::vector<LaneLeaf> leaves_of(const Computation& c, InstructionId id) {
    std::vector<LaneLeaf> leaves;
    for (const Shape& shape : c.instruction(id).shape.leaves())
      leaves.push_back({shape, batch_dimension(c, id, leaves.size(), shape)});
    return leaves;
  }

 private:
  Shape lane_shape(const Computation& c, InstructionId id) {
    size_t leaf = 0;
    return c.instruction(id).shape.map_leaves([&](const Shape& shape) {
      const std::optional<int64_t> d = batch_dimension(c, id, leaf++, shape);
      if (!d) return shape;
      std::vector<int64_t> extents(shape.dimensions().begin(), shape.dimensions().end());
      extents[*d] = 1;
      return Shape::array(shape.element_type(), extents);
    });
  }

  StatusOr<InstructionId> write(hlo::Builder& b, const Computation& c, const Instruction& i,
                                std::span<const InstructionId> ids) {
    const Shape shape = lane_shape(c, i.id);
    if (i.opcode == Opcode::kParameter)
      return b.parameter(shape, i.name, attributes_of<hlo::ParameterAttributes>(i).number);
    if (i.opcode == Opcode::kConstant && shape != i.shape)
      return write_constant(b, attributes_of<hlo::ConstantAttributes>(i).value, shape,
                            *batch_dimension(c, i.id, 0, i.shape));
    if (i.opcode == Opcode::kIota &&
        batch_dimension(c, i.id, 0, i.shape) == attributes_of<hlo::IotaAttributes>(i).dimension)
      return write_index(b, shape);
    std::vector<InstructionId> operands;
    for (InstructionId o : i.operands) operands.push_back(ids[o]);
    const Shape whole = i.operands.empty() ? i.shape : c.instruction(i.operands[0]).shape;
    const Shape part = i.operands.empty() ? shape : b.shape(operands[0]);
    hlo::AttributesPtr attributes = hlo::local_attributes(i, whole, part, shape);
    if (calls(i.opcode)) {
      Status status = ok_status();
      attributes = hlo::map_called_computations(i, [&](const ComputationPtr& called) -> ComputationPtr {
        StatusOr<ComputationPtr> lane = write(*called);
        if (lane.ok()) return *lane;
        status = lane.status();
        return called;
      });
      HILO_RETURN_IF_ERROR(status);
    }
    return b.add(i.opcode, operands, std::move(attributes), shape);
  }

  /// The constant's row at the index of the batch, by a dynamic-slice if rows differ.
  StatusOr<InstructionId> write_constant(hlo::Builder& b, const Literal& value, const Shape& shape, int64_t d) {
    if (splat_bits(value))
      return b.constant(Literal::from_bytes(shape, value.bytes().first(static_cast<size_t>(shape.byte_size()))));
    const InstructionId whole = b.constant(value);
    HILO_ASSIGN_OR_RETURN(const InstructionId index, b.add(Opcode::kReplicaId, {}));
    const InstructionId first = b.constant(Literal::scalar(uint32_t{0}));
    std::vector<InstructionId> operands(1 + shape.rank(), first);
    operands[0] = whole;
    operands[1 + d] = index;
    auto attributes = std::make_shared<hlo::DynamicSliceAttributes>();
    attributes->sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
    return b.add(Opcode::kDynamicSlice, operands, std::move(attributes), shape);
  }

  /// The index of the batch, as the only element along the batch dimension.
  StatusOr<InstructionId> write_index(hlo::Builder& b, const Shape& shape) {
    HILO_ASSIGN_OR_RETURN(const InstructionId index, b.add(Opcode::kReplicaId, {}));
    HILO_ASSIGN_OR_RETURN(const InstructionId number,
                          b.add(Opcode::kConvert, {index}, nullptr, Shape::scalar(shape.element_type())));
    return b.add(Opcode::kBroadcast, {number}, hlo::shared_attributes(hlo::BroadcastAttributes()), shape);
  }

  DimensionClasses& classes_;
  std::vector<uint32_t> batch_;  ///< classes
  std::map<const Computation*, ComputationPtr> written_;
};

}  // namespace

std::optional<LaneProgram> lane_program(const hlo::ComputationPtr& computation) {
  DimensionClasses classes(*computation);
  std::vector<uint32_t> batch = classes.batch();
  if (batch.empty()) return std::nullopt;
  LaneWriter writer(classes, std::move(batch));
  LaneProgram program;
  for (InstructionId id : computation->parameters()) {
    const std::vector<LaneLeaf> leaves = writer.leaves_of(*computation, id);
    program.parameters.insert(program.parameters.end(), leaves.begin(), leaves.end());
  }
  program.results = writer.leaves_of(*computation, computation->root_id());
  for (const auto* leaves : {&program.parameters, &program.results}) {
    for (const LaneLeaf& leaf : *leaves) {
      if (leaf.batch_dimension) program.batch = leaf.whole.dimension(*leaf.batch_dimension);
    }
  }
  StatusOr<ComputationPtr> written = writer.write(*computation);
  if (!written.ok() || program.batch == 1) return std::nullopt;
  program.computation = std::move(written).value();
  return program;
}

}  // namespace hilo::engine
