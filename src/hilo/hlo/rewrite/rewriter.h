// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/rewriter.h -- rebuilds a computation in one forward sweep: rules, sharing of equal instructions, no dead code.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

class RewriteBuilder;

/// An instruction of the computation under construction; its operands are ids of that computation too.
struct RewriteNode {
  Opcode opcode{};
  Shape shape;
  std::span<const InstructionId> operands;
  AttributesPtr attributes;
  const Instruction* from = nullptr;  ///< gives name, origin and annotations; null for a name of its own

  InstructionId operand(size_t i) const { return operands[i]; }
};

/// The attributes as their struct. Precondition: T is the struct of the node's opcode.
template <typename T>
const T& attributes_of(const RewriteNode& node) {
  return static_cast<const T&>(*node.attributes);
}

/// Whether two instructions of one opcode have the same attributes, or none.
bool attributes_equal(Opcode opcode, const AttributesPtr& a, const AttributesPtr& b);

/// Looks at an instruction that is about to be added and returns the id of what stands in for it, of the same shape, or
/// kNoInstruction for "add it as it is". Its operands went through the rule already, so one sweep reaches all.
using RewriteRule = InstructionId (*)(RewriteBuilder& builder, const RewriteNode& node);

struct RewriteOptions {
  bool share = true;           ///< equal instructions become one (never those with effects, nor barriers)
  RewriteRule rule = nullptr;  ///< asked before every addition
};

/// Maps a source computation, instruction by instruction, to a new one. Errors are kept and returned by finish(), so
/// that rules read as expressions: an addition that fails returns kNoInstruction, which is no operand of anything.
/// Cost    linear in the instructions added; a rule's own additions ask rules again, kMaxRuleDepth deep at most
class RewriteBuilder {
 public:
  static constexpr int kMaxRuleDepth = 16;

  explicit RewriteBuilder(ComputationPtr source, RewriteOptions options = {});

  const Computation& source() const { return *source_; }

  /// Appends the source's instruction with its operands mapped (after the rule had its say) and maps it to the result.
  InstructionId copy(const Instruction& instruction);
  /// As copy(), with other attributes: called computations that changed, for example.
  InstructionId copy(const Instruction& instruction, AttributesPtr attributes);
  /// Copies every instruction of the source.
  void copy_all();

  /// The new id of a source instruction. Precondition: it was copied or replaced.
  InstructionId mapped(InstructionId old) const { return map_[old]; }
  std::vector<InstructionId> mapped(std::span<const InstructionId> old) const;
  /// Lets `id` stand in for a source instruction. The shapes must be compatible.
  void replace(InstructionId old, InstructionId id);
  /// The instruction that additions from now on take origin and annotations from.
  void at(const Instruction& instruction) { current_ = &instruction; }

  /// Appends an instruction with an inferred shape (`declared` as in Builder::add), or finds an equal one.
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
  /// The scalar constant `value` broadcast to `shape`; the scalar itself if the shape is scalar.
  InstructionId splat(const Shape& shape, Literal value);

  /// Copies the body of `callee` here, its parameters bound to `arguments`. Returns the id of its root's value.
  InstructionId splice(const ComputationPtr& callee, std::span<const InstructionId> arguments);

  const RewriteNode& node(InstructionId id) const { return nodes_[id]; }
  Shape shape(InstructionId id) const { return nodes_[id].shape; }
  Opcode opcode(InstructionId id) const { return nodes_[id].opcode; }
  InstructionId size() const { return static_cast<InstructionId>(nodes_.size()); }
  const Status& status() const { return status_; }
  /// Keeps the first error; finish() returns it.
  void fail(Status status);

  /// Drops what `root` doesn't need (parameters and effects stay) and makes the computation: the source itself if all of
  /// it was copied and nothing changed.
  /// Errors    INTERNAL if an addition failed
  StatusOr<ComputationPtr> finish(InstructionId root);
  /// As finish() of the source's root.
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
  std::vector<InstructionId> scratch_;  // operands of the instruction that copy() is at
  std::deque<RewriteNode> nodes_;       // a deque: rules hold references while they add
  std::vector<std::unique_ptr<InstructionId[]>> operand_chunks_;
  size_t chunk_used_ = 0, chunk_size_ = 0;
  std::vector<Slot> table_;
  size_t table_used_ = 0;
  std::vector<ComputationPtr> spliced_;  // nodes point into them
  const Instruction* current_ = nullptr;
  int depth_ = 0;
  Status status_;
};

/// Rebuilds one computation under `options`.
StatusOr<ComputationPtr> rewrite(const ComputationPtr& source, const RewriteOptions& options);

/// An instruction of `c` itself has this opcode; passes that look for one op leave the others' computations alone.
bool has_opcode(const Computation& c, Opcode opcode);

/// Never merged with an equal one, nor folded: an effect, a barrier, or a call of a computation that has an effect.
bool is_pinned(Opcode opcode, const AttributesPtr& attributes);
/// Stays though nobody uses its value.
bool is_kept_when_unused(Opcode opcode, const AttributesPtr& attributes);

}  // namespace hilo::hlo
