// SPDX-License-Identifier: Apache-2.0
// hlo/ir/computation.h -- an immutable list of instructions with parameters and a root, and the draft that builds it.
#pragma once

#include <deque>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// 128-bit hash of a computation's meaning: opcodes, shapes, operands, attributes and called computations, without
/// names or annotations. Equal fingerprints are treated as equal computations.
struct Fingerprint {
  uint64_t high = 0, low = 0;
  bool operator==(const Fingerprint&) const = default;
};

/// The function that a reducer body computes, whatever the order of its operands.
enum class ReducerKind : uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr, kXor, kArgMax, kArgMin, kGeneric };

/// Immutable after finish(), so threads share it without locks. Equal bodies may share one object.
class Computation {
 public:
  /// Destroys a long chain of calls without recursion.
  ~Computation();
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  const std::string& name() const { return name_; }
  std::span<const Instruction> instructions() const { return instructions_; }
  const Instruction& instruction(InstructionId id) const { return instructions_[id]; }
  InstructionId size() const { return static_cast<InstructionId>(instructions_.size()); }

  const Instruction& root() const { return instructions_[root_]; }
  InstructionId root_id() const { return root_; }
  const Shape& result_shape() const { return root().shape; }

  /// Returns the ids of the parameters, by parameter number.
  std::span<const InstructionId> parameters() const { return parameters_; }
  const Instruction& parameter(int64_t number) const { return instructions_[parameters_[number]]; }
  int64_t parameter_count() const { return std::ssize(parameters_); }
  std::vector<Shape> parameter_shapes() const;

  Fingerprint fingerprint() const { return fingerprint_; }
  ReducerKind reducer_kind() const { return reducer_kind_; }
  /// Returns whether an instruction has the effect trait, here or in a called computation.
  bool has_effect() const { return has_effect_; }

 private:
  friend class ComputationDraft;
  Computation() = default;
  std::string name_;
  std::vector<Instruction> instructions_;
  std::deque<std::vector<InstructionId>> operand_chunks_;
  std::vector<InstructionId> parameters_;
  InstructionId root_ = 0;
  Fingerprint fingerprint_;
  ReducerKind reducer_kind_ = ReducerKind::kGeneric;
  bool has_effect_ = false;
};

/// A computation under construction. It checks only that operand ids exist; hlo/build checks the rest.
class ComputationDraft {
 public:
  explicit ComputationDraft(std::string name);
  ~ComputationDraft();
  ComputationDraft(ComputationDraft&&) noexcept;
  ComputationDraft& operator=(ComputationDraft&&) noexcept;

  /// Appends an instruction. An empty name becomes "<opcode>.<id>". Operands must be ids that this draft has returned.
  InstructionId append(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                       AttributesPtr attributes = nullptr, std::string name = {});
  /// Appends a copy of `from` (of any computation) with these operands and the same name, origin and annotations.
  InstructionId append_copy(const Instruction& from, std::span<const InstructionId> operands);

  Instruction& mutable_instruction(InstructionId id);
  const Instruction& instruction(InstructionId id) const;
  std::span<const Instruction> instructions() const;
  InstructionId size() const;
  const std::string& name() const;

  /// Makes names unique, orders parameters by number, and computes fingerprint, reducer kind and effect.
  /// Errors    INVALID_ARGUMENT if parameter numbers are not 0..n-1, each once, or the draft is empty.
  StatusOr<ComputationPtr> finish(InstructionId root) &&;

 private:
  std::shared_ptr<Computation> computation_;
  std::vector<InstructionId>* chunk_ = nullptr;  // chunk that receives the next operands; chunks never move
};

/// Returns the computations that an instruction calls, in field order.
std::vector<ComputationPtr> called_computations(const Instruction& instruction);

/// Returns `instruction`'s attributes with every called computation replaced by map(computation). Returns the same
/// object if none changes.
AttributesPtr map_called_computations(const Instruction& instruction,
                                      const std::function<ComputationPtr(const ComputationPtr&)>& map);

/// Returns the users of every instruction: users[id] lists the ids that read it, each once, in order.
std::vector<std::vector<InstructionId>> users_of(const Computation& computation);

}  // namespace hilo::hlo

template <>
struct std::hash<hilo::hlo::Fingerprint> {
  size_t operator()(const hilo::hlo::Fingerprint& f) const { return f.low; }
};
