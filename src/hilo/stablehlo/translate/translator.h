// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/translator.h -- the state of translating a module.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <unordered_map>

#include "hilo/hlo/build/builder.h"
#include "hilo/stablehlo/translate/devices.h"
#include "hilo/stablehlo/translate/op_rows.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

/// Parameters for the arguments of a region: one each, or one tuple of all (a single argument stays as it is).
enum class Parameters : uint8_t { kEach, kTuple };

/// Values that a region captures, sorted by id: constants, which are copied, and others.
struct Captures {
  std::vector<ValueId> constants, others;
};

/// Actual size of each dimension: s32[], or kNoInstruction if it is the full size (bounded.cc).
using Limits = std::vector<hlo::InstructionId>;

/// The values of an interpreter.probe in a loop body. The loop carries a counter and the values of the first passes.
struct Recording {
  std::string_view probe;
  Shape shape;
  int64_t passes = 0;                             ///< number of passes that checks refer to
  hlo::InstructionId seen = hlo::kNoInstruction;  ///< value in the pass that is being built
};

/// Messages between the processes of interpreter.run_parallel, which are translated one after the other.
struct Queues {
  std::unordered_map<int64_t, std::vector<std::vector<hlo::InstructionId>>> channels = {};
  std::vector<std::string_view> infeed = {};  ///< functions that return the next values
  const hlo::Builder* builder = nullptr;      ///< builder of the processes' bodies
};

struct Translator {
  const ModuleTree& tree;
  const TranslateOptions& options;
  std::unordered_map<std::string_view, OperationId> functions = {};
  std::unordered_map<std::string_view, hlo::ComputationPtr> computations = {};  ///< translated functions
  std::unordered_map<LocationId, hlo::AnnotationsPtr> annotations = {};
  /// By operation name. The tree stores each name once, so its address is the key.
  boost::unordered_flat_map<const char*, const OpRow*> rows = {};
  /// Computations of regions, by name and body_key(), because programs repeat a few bodies.
  std::map<std::pair<std::string, std::vector<uint64_t>>, hlo::ComputationPtr> bodies = {};
  bool has_quantized_types = false, has_six_bit_types = false;
  std::vector<hlo::InstructionId> ids = {};  ///< instruction of each value in the computation that is being built
  std::vector<std::optional<Shape>> type_shapes = {};  ///< shape of each type, computed on demand
  std::vector<hlo::InstructionId> checked = {};
  const hlo::Builder* entry_builder = nullptr;  ///< builder of the entry, if its checks are requested
  /// Builder of the function whose constants are a check's data. Barriers prevent their folding, so that engines
  /// compute.
  const hlo::Builder* data_builder = nullptr;
  /// values that interpreter.probe has recorded
  std::unordered_map<std::string_view, std::vector<hlo::InstructionId>> probes = {};
  DevicePlan devices = {};
  Queues queues = {};
  std::vector<Shape> shapes = {};  ///< shape of each value, if sizes are inferred from the entry's arguments
  std::unordered_map<ValueId, Literal> constants = {};  ///< small constants, which regions copy
  int inlined_depth = 0;
  std::vector<Recording>* recordings = nullptr;     ///< of the loop whose body is being built
  bool placed = false;                              ///< whether the error already names its operation
  std::unordered_map<ValueId, Limits> limits = {};  ///< of values with bounded sizes
  bool has_bounds = false;                          ///< whether any type has bounds
  bool refining = false;                            ///< whether sizes are inferred from the entry's arguments

  /// Returns whether sizes are inferred from the entry's arguments.
  bool refines() const;
  /// Returns null for an unknown operation.
  const OpRow* row_of(const Operation& operation);
  /// Sets the instruction of `value` in the current computation.
  void set(const hlo::Builder& builder, ValueId value, hlo::InstructionId id);
  Status run(const Operation& function, bool entry);
  StatusOr<hlo::ComputationPtr> function(std::string_view name) const;
  Captures captures_of(std::initializer_list<const Region*> regions) const;
  /// Returns the computation of a region. With kTuple, the captured values follow its arguments; if `carry`, they are
  /// also returned after its results. `arguments` are the shapes of the region's arguments, because their types may
  /// have unknown sizes. If `recorded` isn't null, the last values of the tuple are the recorded ones, and are returned
  /// for the next pass.
  StatusOr<hlo::ComputationPtr> region(const std::string& name, const Region& region, Parameters parameters,
                                       const Captures& captures, bool carry = false,
                                       std::span<const Shape> arguments = {},
                                       std::vector<Recording>* recorded = nullptr);
  /// Returns the computation of a region without captured values, with one parameter per argument. Equal bodies share
  /// one computation.
  StatusOr<hlo::ComputationPtr> body(const std::string& name, const Region& region);
  /// Returns the shape of a value's type.
  StatusOr<Shape> shape_of(ValueId value);
  StatusOr<Shape> argument_shape(ValueId value, uint32_t i, std::span<const Shape> arguments);
  Status translate_block(hlo::Builder& builder, const Region& region, std::vector<hlo::InstructionId>& results);
  Status translate_operation(hlo::Builder& builder, const Operation& operation);
  hlo::AnnotationsPtr annotations_of(LocationId location);
  /// Adds the name and source line of the innermost operation to an error.
  Status at(const Operation& operation, const Status& status);
};

/// Returns the name of a function; empty for an operation without one.
std::string_view symbol_name(const ModuleTree& tree, const Operation& operation);
/// Returns a single value, or a tuple of several.
hlo::InstructionId packed(hlo::Builder& builder, std::span<const hlo::InstructionId> values);

}  // namespace hilo::stablehlo
