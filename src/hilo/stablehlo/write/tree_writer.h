// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/tree_writer.h -- the state of writing an HLO module as a tree.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/translate/module_facts.h"
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
  ModuleFacts facts = {};  ///< of the written module
  struct Function {
    hlo::ComputationPtr computation;
    std::string name;
  };
  std::vector<Function> functions = {};  ///< the entry, then the others in the order of their first calls
  std::unordered_map<hlo::Fingerprint, size_t> numbers = {};  ///< indices of functions; equal bodies share one
  std::unordered_map<std::string, int> names = {};            ///< number of uses of each name
  std::unordered_map<const hlo::Annotations*, LocationId> locations = {};
  int depth = 0;
  int64_t written = 0;               ///< number of written instructions; those of regions count each time
  int64_t most_written = INT64_MAX;  ///< maximum of `written`

  /// Returns the name of the computation's function, and adds the function if it is new.
  const std::string& function(const hlo::ComputationPtr& computation);
  Status write_function(size_t number, RegionId module);
  /// Writes a computation as a region. The leaves of its parameters are the region's arguments,
  StatusOr<Region> region(const hlo::Computation& computation);
  /// or `captured`, which are values outside.
  StatusOr<Region> region_on(const hlo::Computation& computation, std::span<const ValueId> captured);
  Status write_body(Body& body);
  Status write_instruction(Body& body, const hlo::Instruction& instruction);
  LocationId location(const hlo::Instruction& instruction);
  StatusOr<std::vector<TypeId>> leaf_types(const Shape& shape);
  /// Combines leaves to one value of `shape`, by operations `tuple`.
  StatusOr<ValueId> pack(Body& body, const Shape& shape, std::span<const ValueId> leaves);
  /// Splits a value of `shape` into leaves.
  Status unpack(Body& body, const Shape& shape, ValueId value, std::vector<ValueId>& leaves);
  /// Appends an operation without regions and returns its results.
  std::vector<ValueId> append(Body& body, const NewOperation& operation, LocationId location);
};

}  // namespace hilo::stablehlo
