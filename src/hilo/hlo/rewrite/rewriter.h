// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/rewriter.h -- rebuilds a computation in one forward sweep: applies rules, shares equal instructions and
// drops dead code.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

class RewriteBuilder;

/// An instruction of the computation under construction. Its operands are ids of that computation, too.
struct RewriteNode {
  Opcode opcode{};
  Shape shape;
  std::span<const InstructionId> operands;
  AttributesPtr attributes;
  const Instruction* from = nullptr;  ///< source of name, origin and annotations; null for a generated name

  InstructionId operand(size_t i) const { return operands[i]; }
};

/// Returns the attributes as their struct. Precondition: T is the struct of the node's opcode.
template <typename T>
const T& attributes_of(const RewriteNode& node) {
  return static_cast<const T&>(*node.attributes);
}

/// Returns whether two instructions of one opcode have equal attributes, or none.
bool attributes_equal(Opcode opcode, const AttributesPtr& a, const AttributesPtr& b);

/// Called for an instruction that is about to be added. Returns the id of a replacement of the same shape, or
/// kNoInstruction to add it unchanged. The operands have been through the rule already, so one sweep is enough.
using RewriteRule = InstructionId (*)(RewriteBuilder& builder, const RewriteNode& node);

struct RewriteOptions {
  bool share = true;           ///< merge equal instructions (except effects and barriers)
  RewriteRule rule = nullptr;  ///< called before every addition
};

/// Maps a source computation, instruction by instruction, to a new one. finish() returns the first error, so that rules
/// can be written as expressions. An addition that fails returns kNoInstruction, which must not be used as an operand.
/// Cost      linear in the instructions added; a rule's own additions call rules again, at most kMaxRuleDepth deep
class RewriteBuilder {
 public:
  static constexpr int kMaxRuleDepth = 16;

  explicit RewriteBuilder(ComputationPtr source, RewriteOptions options = {});

  const Computation& source() const { return *source_; }

  /// Appends the source's instruction with mapped operands, or its replacement by the rule, and maps it to the result.
  InstructionId copy(const Instruction& instruction);
  /// As copy(), with other attributes, for example with changed called computations.
  InstructionId copy(const Instruction& instruction, AttributesPtr attributes);
  /// Copies every instruction of the source.
  void copy_all();

  /// Returns the new id of a source instruction. Precondition: it was copied or replaced.
  InstructionId mapped(InstructionId old) const { return map_[old]; }
  std::vector<InstructionId> mapped(std::span<const InstructionId> old) const;
  /// Maps a source instruction to `id`. The shapes must be compatible.
  void replace(InstructionId old, InstructionId id);
  /// Sets the instruction from which later additions copy origin and annotations.
  void at(const Instruction& instruction) { current_ = &instruction; }

  /// Appends an instruction with an inferred shape (`declared` as in Builder::add), or returns an equal one.
  InstructionId add(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes = nullptr,
                    const std::optional<Shape>& declared = std::nullopt);
  InstructionId add(Opcode opcode, std::initializer_list<InstructionId> operands, AttributesPtr attributes = nullptr,
                    const std::optional<Shape>& declared = std::nullopt) {
    return add(opcode, std::span<const InstructionId>(operands.begin(), operands.size()), std::move(attributes),
               declared);
  }
  InstructionId constant(Literal value);
  InstructionId tuple(std::span<const InstructionId> elements);
  InstructionId get_tuple_element(InstructionId tuple, int64_t index);
  /// Broadcasts the scalar constant `value` to `shape`; returns the scalar itself if the shape is scalar.
  InstructionId splat(const Shape& shape, Literal value);

  /// Inlines the body of `callee` with its parameters bound to `arguments`. Returns the id of its root's value.
  InstructionId splice(const ComputationPtr& callee, std::span<const InstructionId> arguments);

  const RewriteNode& node(InstructionId id) const { return nodes_[id]; }
  Shape shape(InstructionId id) const { return nodes_[id].shape; }
  Opcode opcode(InstructionId id) const { return nodes_[id].opcode; }
  InstructionId size() const { return static_cast<InstructionId>(nodes_.size()); }
  const Status& status() const { return status_; }
  /// Stores the first error; finish() returns it.
  void fail(Status status);

  /// Drops instructions that `root` doesn't need (except parameters and effects) and returns the computation. Returns
  /// the source itself if all of it was copied and nothing changed.
  /// Errors    INTERNAL if an addition failed
  StatusOr<ComputationPtr> finish(InstructionId root);
  /// As finish(root) with the source's root.
  StatusOr<ComputationPtr> finish();

 private:
  struct Slot {
    uint32_t hash = 0;
    InstructionId id = kNoInstruction;
  };

  InstructionId emit(RewriteNode node);
  InstructionId append(const RewriteNode& node);
  InstructionId find_or_append(const RewriteNode& node);
  bool equal(const RewriteNode& a, const RewriteNode& b) const;
  void grow_table();
  std::vector<bool> live_nodes(InstructionId root) const;
  bool is_source(const std::vector<bool>& live, InstructionId root) const;

  ComputationPtr source_;
  RewriteOptions options_;
  std::vector<InstructionId> map_;
  std::vector<InstructionId> scratch_;  // operands of the instruction that copy() processes
  std::deque<RewriteNode> nodes_;       // a deque, because rules hold references while they add nodes
  std::vector<std::unique_ptr<InstructionId[]>> operand_chunks_;
  size_t chunk_used_ = 0, chunk_size_ = 0;
  std::vector<Slot> table_;
  size_t table_used_ = 0;
  std::vector<ComputationPtr> spliced_;  // keeps alive what nodes point into
  const Instruction* current_ = nullptr;
  int depth_ = 0;
  Status status_;
};

/// Rebuilds one computation under `options`.
StatusOr<ComputationPtr> rewrite(const ComputationPtr& source, const RewriteOptions& options);

/// Returns whether an instruction of `c` itself has this opcode. Passes for one op skip computations without it.
bool has_opcode(const Computation& c, Opcode opcode);

/// Returns whether an instruction must not be merged or folded: an effect, a barrier, or a call of a computation that
/// has an effect.
bool is_pinned(Opcode opcode, const AttributesPtr& attributes);
/// Returns whether an instruction stays in the program even if its value is unused.
bool is_kept_when_unused(Opcode opcode, const AttributesPtr& attributes);

}  // namespace hilo::hlo
