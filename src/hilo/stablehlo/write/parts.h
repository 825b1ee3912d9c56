// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/parts.h -- what the files that write HLO as StableHLO share; nobody else includes it.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/translate/module_facts.h"
#include "hilo/stablehlo/translate/parts.h"
#include "hilo/stablehlo/tree/tree_builder.h"

namespace hilo::stablehlo {

/// A computation that is being written. Each instruction is a list of values, the leaves of its shape.
struct Body {
  const hlo::Computation& computation;
  RegionId region;
  std::vector<ValueId> pool = {};
  std::vector<Range> values = {};  ///< of each instruction, in the pool

  std::span<const ValueId> leaves(hlo::InstructionId id) const {
    return std::span(pool).subspan(values[id].begin, values[id].count);
  }
  void define(hlo::InstructionId id, std::span<const ValueId> leaves);
};

struct TreeWriter {
  TreeBuilder builder = {};
  bool portable = false;
  ModuleFacts facts = {};  ///< of what is written
  struct Function {
    hlo::ComputationPtr computation;
    std::string name;
  };
  std::vector<Function> functions = {};  ///< the entry, then others in the order in which they are called
  std::unordered_map<hlo::Fingerprint, size_t> numbers = {};  ///< of functions; equal bodies are one
  std::unordered_map<std::string, int> names = {};            ///< how often each was wanted
  std::unordered_map<const hlo::Annotations*, LocationId> locations = {};
  int depth = 0;
  int64_t written = 0;               ///< instructions, those of regions each time
  int64_t most_written = INT64_MAX;  ///< before that is an error

  /// The name of the function that the computation is, from now on.
  const std::string& function(const hlo::ComputationPtr& computation);
  Status write_function(size_t number, RegionId module);
  /// The region of a computation: its parameters' leaves are the region's arguments,
  StatusOr<Region> region(const hlo::Computation& computation);
  /// or `captured`, values outside.
  StatusOr<Region> region_on(const hlo::Computation& computation, std::span<const ValueId> captured);
  Status write_body(Body& body);
  Status write_instruction(Body& body, const hlo::Instruction& instruction);
  LocationId location(const hlo::Instruction& instruction);
  StatusOr<std::vector<TypeId>> leaf_types(const Shape& shape);
  /// One value for `shape`: operations `tuple` where it is one.
  StatusOr<ValueId> pack(Body& body, const Shape& shape, std::span<const ValueId> leaves);
  /// The other way.
  Status unpack(Body& body, const Shape& shape, ValueId value, std::vector<ValueId>& leaves);
  /// Appends an operation without regions; its results.
  std::vector<ValueId> append(Body& body, const NewOperation& operation, LocationId location);
};

/// An instruction, and the row of the operation that it becomes.
struct WriteContext {
  TreeWriter& writer;
  Body& body;
  const hlo::Instruction& instruction;
  const OpRow* row = nullptr;

  TreeBuilder& builder() const { return writer.builder; }
  template <typename A>
  const A& attributes() const {
    return hlo::attributes_of<A>(instruction);
  }
  const Shape& operand_shape(size_t i) const { return body.computation.instruction(instruction.operands[i]).shape; }
  /// Leaves of operands from `first` on.
  std::vector<ValueId> operands(size_t first = 0) const;
  /// The operation of the row with all operands and the result's types.
  StatusOr<NewOperation> operation() const;
  /// Appends it; its results are the instruction's leaves.
  Status add(const NewOperation& operation) const;
  /// The same with the regions of these computations, whose parameters are arguments.
  Status add(const NewOperation& operation, std::span<const hlo::ComputationPtr> regions) const;
};

/// Writes an instruction as the operation of the row; false where the row isn't its form.
using Inverse = StatusOr<bool> (*)(const WriteContext&);

/// The inverse of a row's handler; null for handlers that have none.
Inverse inverse_of(Handler translate);

/// Rows of operations that stand for an opcode, those of StableHLO first.
std::span<const OpRow* const> rows_of(hlo::Opcode opcode);

/// [HIGHEST, DEFAULT] of a dot or convolution, from HLO's words.
AttributeId precisions(TreeBuilder& builder, const hlo::StringList& words);

/// Text of an attribute of MLIR as it stands in frontend attributes and backend_config: {a = 1 : i64}.
StatusOr<AttributeId> parse_attribute(ModuleTree& tree, std::string_view text);

// Inverses, by file.
StatusOr<bool> write_plain(const WriteContext& context);  // write_plain.cc
StatusOr<bool> write_elementwise(const WriteContext& context);
StatusOr<bool> write_bitcast(const WriteContext& context);
StatusOr<bool> write_map(const WriteContext& context);
StatusOr<bool> write_constant(const WriteContext& context);
StatusOr<bool> write_broadcast(const WriteContext& context);
StatusOr<bool> write_compare(const WriteContext& context);
StatusOr<bool> write_slice(const WriteContext& context);
StatusOr<bool> write_pad(const WriteContext& context);
StatusOr<bool> write_dot(const WriteContext& context);
StatusOr<bool> write_random(const WriteContext& context);
StatusOr<bool> write_random_bits(const WriteContext& context);
StatusOr<bool> write_while(const WriteContext& context);  // write_control_flow.cc
StatusOr<bool> write_case(const WriteContext& context);
StatusOr<bool> write_if(const WriteContext& context);
StatusOr<bool> write_barrier(const WriteContext& context);
StatusOr<bool> write_call(const WriteContext& context);  // write_calls.cc
StatusOr<bool> write_custom_call(const WriteContext& context);
StatusOr<bool> write_top_k(const WriteContext& context);
StatusOr<bool> write_decomposition(const WriteContext& context);
StatusOr<bool> write_convolution(const WriteContext& context);  // write_windows.cc
StatusOr<bool> write_window(const WriteContext& context);
StatusOr<bool> write_all_reduce(const WriteContext& context);  // write_collectives.cc
StatusOr<bool> write_reduce_scatter(const WriteContext& context);
StatusOr<bool> write_all_gather(const WriteContext& context);
StatusOr<bool> write_collective_broadcast(const WriteContext& context);
StatusOr<bool> write_collective_permute(const WriteContext& context);
StatusOr<bool> write_all_to_all(const WriteContext& context);

}  // namespace hilo::stablehlo
