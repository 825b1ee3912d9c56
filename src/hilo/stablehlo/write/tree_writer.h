// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/tree_writer.h -- a module of HLO that is being written as a tree.
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

}  // namespace hilo::stablehlo
