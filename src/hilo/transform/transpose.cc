// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/transpose.h"

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/trace/annotations.h"
#include "hilo/transform/memo.h"

namespace hilo {
namespace {

struct LinearOperand final : TracerOf<LinearOperand> {
  using TracerOf::TracerOf;
};

const std::shared_ptr<const TraceRecord>& linear_operand_record() {
  static const auto* record =
      new std::shared_ptr<const TraceRecord>(std::make_shared<TraceRecord>(TraceRecord{nullptr, "transpose", "", {}}));
  return *record;
}

/// Values and cotangents of a computation's leaves during its backward pass.
class BackwardPass {
 public:
  BackwardPass(const hlo::Computation& computation, std::span<const std::optional<Array>> arguments)
      : computation_(computation), offsets_(computation.size() + 1) {
    for (hlo::InstructionId id = 0; id < computation.size(); ++id) {
      const Shape& shape = computation.instruction(id).shape;
      offsets_[id + 1] = offsets_[id] + (shape.is_tuple() ? shape.leaves().size() : 1);
    }
    values_.resize(offsets_.back());
    cotangents_.resize(offsets_.back());
    linear_.resize(offsets_.back());
    set_parameters(arguments);
    run_forward();
  }

  std::vector<Tangent> run(std::span<const Tangent> cotangents, std::span<const Tangent> initial) {
    begin_with(initial);
    for (size_t i = 0; i < cotangents.size(); ++i) accumulate(offsets_[computation_.root_id()] + i, cotangents[i]);
    for (hlo::InstructionId id = computation_.size(); id-- > 0;) {
      const hlo::Instruction& instruction = computation_.instruction(id);
      if (instruction.opcode != hlo::Opcode::kParameter && is_live(id)) transpose(instruction);
    }
    std::vector<Tangent> result;
    for (hlo::InstructionId id : computation_.parameters()) {
      for (size_t leaf = offsets_[id]; leaf < offsets_[id + 1]; ++leaf) {
        if (linear_[leaf]) result.push_back(std::move(cotangents_[leaf]));
      }
    }
    return result;
  }

 private:
  /// Adds cotangents to the leaves of an instruction's operands.
  class Operands final : public Cotangents {
   public:
    Operands(BackwardPass& pass, std::vector<size_t> leaves) : pass_(pass), leaves_(std::move(leaves)) {}
    bool wants(size_t i) const override { return pass_.linear_[leaves_[i]]; }
    void add(size_t i, const Array& cotangent) override {
      if (wants(i)) pass_.accumulate(leaves_[i], cotangent);
    }
    void add_at(size_t i, const std::function<Array(const Array&)>& update) override {
      if (!wants(i)) return;
      Tangent& sum = pass_.cotangents_[leaves_[i]];
      sum = update(materialize(sum, {pass_.leaf_shape(leaves_[i]), false}));
    }

   private:
    BackwardPass& pass_;
    std::vector<size_t> leaves_;
  };

  const Shape& leaf_shape(size_t leaf) {
    if (leaf_shapes_.empty()) {
      for (const hlo::Instruction& i : computation_.instructions()) {
        for (const Shape& s : i.shape.leaves()) leaf_shapes_.push_back(s);
      }
    }
    return leaf_shapes_[leaf];
  }

  void begin_with(std::span<const Tangent> initial) {
    size_t next = 0;
    for (hlo::InstructionId id : computation_.parameters()) {
      for (size_t leaf = offsets_[id]; leaf < offsets_[id + 1] && next < initial.size(); ++leaf) {
        if (linear_[leaf]) cotangents_[leaf] = initial[next++];
      }
    }
  }

  void set_parameters(std::span<const std::optional<Array>> arguments) {
    size_t next = 0;
    for (hlo::InstructionId id : computation_.parameters()) {
      for (size_t leaf = offsets_[id]; leaf < offsets_[id + 1]; ++leaf, ++next) {
        linear_[leaf] = !arguments[next].has_value();
        if (arguments[next]) values_[leaf] = *arguments[next];
      }
    }
  }

  std::vector<size_t> operand_leaves(const hlo::Instruction& instruction) const {
    std::vector<size_t> leaves;
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      // By bind's convention, all branches of a conditional share one list of operands.
      if (instruction.opcode == hlo::Opcode::kConditional && k > 1) break;
      const hlo::InstructionId operand = instruction.operands[k];
      for (size_t leaf = offsets_[operand]; leaf < offsets_[operand + 1]; ++leaf) leaves.push_back(leaf);
    }
    return leaves;
  }

  /// Returns the first leaf that a get-tuple-element reads.
  size_t element_begin(const hlo::Instruction& gte) const {
    const Shape& tuple = computation_.instruction(gte.operands[0]).shape;
    size_t begin = offsets_[gte.operands[0]];
    for (int64_t i = 0; i < hlo::attributes_of<hlo::GetTupleElementAttributes>(gte).index; ++i) {
      begin += tuple.tuple_element(i).leaves().size();
    }
    return begin;
  }

  Operation operation_of(const hlo::Instruction& instruction, std::span<const size_t> leaves) {
    Operation operation{instruction.opcode, {}, instruction.attributes, std::nullopt};
    if (instruction.shape.is_array()) operation.declared = instruction.shape;
    for (size_t leaf : leaves) {
      operation.operands.push_back(values_[leaf] ? *values_[leaf] : linear_operand({leaf_shape(leaf), false}));
    }
    return operation;
  }

  /// Evaluates instructions that don't depend on a linear input, and marks those that do.
  void run_forward() {
    for (const hlo::Instruction& i : computation_.instructions()) {
      if (i.opcode == hlo::Opcode::kParameter) continue;
      if (i.opcode == hlo::Opcode::kGetTupleElement || i.opcode == hlo::Opcode::kTuple) {
        forward_tuple(i);
        continue;
      }
      const std::vector<size_t> leaves = operand_leaves(i);
      bool linear = false;
      for (size_t leaf : leaves) linear |= static_cast<bool>(linear_[leaf]);
      if (linear) {
        for (size_t leaf = offsets_[i.id]; leaf < offsets_[i.id + 1]; ++leaf) linear_[leaf] = true;
        continue;
      }
      const InstructionLocation here(user_line(i));
      const InstructionNames names(i);
      std::vector<Array> results = bind(operation_of(i, leaves));
      for (size_t k = 0; k < results.size(); ++k) values_[offsets_[i.id] + k] = std::move(results[k]);
    }
  }

  void forward_tuple(const hlo::Instruction& i) {
    size_t out = offsets_[i.id];
    if (i.opcode == hlo::Opcode::kGetTupleElement) {
      for (size_t leaf = element_begin(i); out < offsets_[i.id + 1]; ++leaf, ++out) copy_leaf(leaf, out);
      return;
    }
    for (size_t leaf : operand_leaves(i)) copy_leaf(leaf, out++);
  }

  void copy_leaf(size_t from, size_t to) {
    values_[to] = values_[from];
    linear_[to] = linear_[from];
  }

  bool is_live(hlo::InstructionId id) const {
    for (size_t leaf = offsets_[id]; leaf < offsets_[id + 1]; ++leaf) {
      if (linear_[leaf] && !cotangents_[leaf].is_zero()) return true;
    }
    return false;
  }

  void accumulate(size_t leaf, const Tangent& cotangent) {
    if (linear_[leaf]) cotangents_[leaf] = add_tangents(cotangents_[leaf], cotangent);
  }

  static Status without_transpose(const hlo::Instruction& i, const Rule<TransposeFunction>& rule) {
    const std::string where = "transpose of " + hlo::describe(i) + ": ";
    if (rule.missing() != nullptr) return unimplemented(where + rule.missing()->why);
    const Nonlinear* nonlinear = rule.nonlinear();
    return invalid_argument(
        where + (nonlinear != nullptr && nonlinear->why != nullptr ? nonlinear->why : "the op isn't linear"));
  }

  void transpose(const hlo::Instruction& i) {
    const InstructionLocation here(user_line(i));
    const InstructionNames names(i);
    size_t out = offsets_[i.id];
    if (i.opcode == hlo::Opcode::kGetTupleElement) {
      for (size_t leaf = element_begin(i); out < offsets_[i.id + 1]; ++leaf, ++out) accumulate(leaf, cotangents_[out]);
      return;
    }
    const std::vector<size_t> leaves = operand_leaves(i);
    if (i.opcode == hlo::Opcode::kTuple) {
      for (size_t leaf : leaves) accumulate(leaf, cotangents_[out++]);
      return;
    }
    const Rules& rules = rules_of(i.opcode);
    const TransposeFunction* rule = rules.transpose.function();
    if (rule == nullptr) or_throw(without_transpose(i, rules.transpose));
    std::vector<Tangent> cotangents;
    for (; out < offsets_[i.id + 1]; ++out) cotangents.push_back(std::move(cotangents_[out]));
    Operands operands(*this, leaves);
    (*rule)(operation_of(i, leaves), cotangents, operands);
  }

  const hlo::Computation& computation_;
  std::vector<size_t> offsets_;  // first leaf of every instruction
  std::vector<std::optional<Array>> values_;
  std::vector<Tangent> cotangents_;
  std::vector<bool> linear_;
  std::vector<Shape> leaf_shapes_;
};

}  // namespace

Array linear_operand(const Aval& aval) { return Array(std::make_shared<LinearOperand>(linear_operand_record(), aval)); }

bool is_linear_operand(const Array& array) {
  return !is_concrete(array) && static_cast<const Tracer&>(array.impl()).record == linear_operand_record();
}

std::vector<Tangent> backward_pass(const hlo::Computation& computation, std::span<const std::optional<Array>> arguments,
                                   std::span<const Tangent> cotangents, std::span<const Tangent> initial) {
  return BackwardPass(computation, arguments).run(cotangents, initial);
}

namespace {

hlo::ComputationPtr trace_transpose(const hlo::ComputationPtr& computation, const std::vector<bool>& linear,
                                    const std::vector<bool>& nonzero) {
  const std::vector<Shape> leaves = parameter_leaves(*computation);
  const std::vector<Shape> results = computation->result_shape().leaves();
  std::vector<Aval> avals;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!linear[i]) avals.push_back({leaves[i], false});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (nonzero[i]) avals.push_back({results[i], false});
  }
  const FlatFunction transposed = [&](std::span<const Array> arguments) {
    size_t next = 0;
    std::vector<std::optional<Array>> values(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!linear[i]) values[i] = arguments[next++];
    }
    std::vector<Tangent> cotangents(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (nonzero[i]) cotangents[i] = arguments[next++];
    }
    const std::vector<Tangent> pulled = backward_pass(*computation, values, cotangents);
    std::vector<Array> out;
    for (size_t i = 0, k = 0; i < leaves.size(); ++i) {
      if (linear[i]) out.push_back(materialize(pulled[k++], {leaves[i], false}));
    }
    return out;
  };
  return stage(transposed, avals, "transpose", computation->name() + ".transpose", CapturePlace::kNone, true)
      .computation;
}

}  // namespace

hlo::ComputationPtr transpose_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& linear,
                                          const std::vector<bool>& nonzero) {
  static ComputationMemo<hlo::ComputationPtr, Mask, Mask> memo;
  return memo.get(computation, linear, nonzero, [&] { return trace_transpose(computation, linear, nonzero); });
}

}  // namespace hilo
