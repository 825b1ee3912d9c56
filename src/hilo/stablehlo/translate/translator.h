// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/translator.h -- a module in translation.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <unordered_map>

#include "hilo/hlo/build/builder.h"
#include "hilo/stablehlo/translate/devices.h"
#include "hilo/stablehlo/translate/op_rows.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

/// How the arguments of a region become parameters: one each, or one tuple of all (a sole one as it is).
enum class Parameters : uint8_t { kEach, kTuple };

/// Values that a region takes from outside, in order of their ids: constants, which it can make itself, and others.
struct Captures {
  std::vector<ValueId> constants, others;
};

/// Of each dimension, how many of its elements are there: s32[], or kNoInstruction for all (bounded.cc).
using Limits = std::vector<hlo::InstructionId>;

/// What interpreter.probe sees in the body of a loop: the loop carries a counter and the values of the first passes.
struct Recording {
  std::string_view probe;
  Shape shape;
  int64_t passes = 0;                             ///< as many as checks ask for
  hlo::InstructionId seen = hlo::kNoInstruction;  ///< in the pass that is being built
};

/// What the processes of interpreter.run_parallel say to each other, while they are translated one after the other.
struct Queues {
  std::unordered_map<int64_t, std::vector<std::vector<hlo::InstructionId>>> channels = {};
  std::vector<std::string_view> infeed = {};  ///< functions that give what is to come
  const hlo::Builder* builder = nullptr;      ///< of the bodies of processes
};

struct Translator {
  const ModuleTree& tree;
  const TranslateOptions& options;
  std::unordered_map<std::string_view, OperationId> functions = {};
  std::unordered_map<std::string_view, hlo::ComputationPtr> computations = {};  ///< of functions, translated
  std::unordered_map<LocationId, hlo::AnnotationsPtr> annotations = {};
  /// Of names of operations: the tree has each text once, so that its place says which it is.
  boost::unordered_flat_map<const char*, const OpRow*> rows = {};
  /// Of regions, by name and what they do (body_key): programs repeat few.
  std::map<std::pair<std::string, std::vector<uint64_t>>, hlo::ComputationPtr> bodies = {};
  bool has_quantized_types = false, has_six_bit_types = false;
  std::vector<hlo::InstructionId> ids = {};            ///< of each value in the computation that is being built
  std::vector<std::optional<Shape>> type_shapes = {};  ///< of each type, as far as they were asked for
  std::vector<hlo::InstructionId> checked = {};
  const hlo::Builder* entry_builder = nullptr;  ///< of the entry, if its checks are wanted
  /// Of the function whose constants are a check's data: barriers keep them from being folded, so that engines compute.
  const hlo::Builder* data_builder = nullptr;
  std::unordered_map<std::string_view, std::vector<hlo::InstructionId>> probes = {};  ///< what interpreter.probe saw
  DevicePlan devices = {};
  Queues queues = {};
  std::vector<Shape> shapes = {};  ///< of each value, where sizes follow from the entry's arguments
  std::unordered_map<ValueId, Literal> constants = {};  ///< small ones among them, which regions make again
  int inlined_depth = 0;
  std::vector<Recording>* recordings = nullptr;     ///< of the loop whose body is being built
  bool placed = false;                              ///< an error has its operation
  std::unordered_map<ValueId, Limits> limits = {};  ///< of values whose size is bounded
  bool has_bounds = false;                          ///< some type has bounds
  bool refining = false;                            ///< sizes follow from the entry's arguments

  /// Whether sizes follow from the entry's arguments.
  bool refines() const;
  /// Null for an operation that this version doesn't know.
  const OpRow* row_of(const Operation& operation);
  /// `value` is `id` from here on.
  void set(const hlo::Builder& builder, ValueId value, hlo::InstructionId id);
  Status run(const Operation& function, bool entry);
  StatusOr<hlo::ComputationPtr> function(std::string_view name) const;
  Captures captures_of(std::initializer_list<const Region*> regions) const;
  /// The computation of a region. With kTuple, the captured values come after its arguments, and are returned after its
  /// results if `carry`.
  /// `arguments` are the shapes of the region's arguments, where their types may leave sizes unknown. `recorded`, if not
  /// null: the last values of the tuple are what these need, and are returned one pass further.
  StatusOr<hlo::ComputationPtr> region(const std::string& name, const Region& region, Parameters parameters,
                                       const Captures& captures, bool carry = false,
                                       std::span<const Shape> arguments = {},
                                       std::vector<Recording>* recorded = nullptr);
  /// region() of a body that takes its arguments only, each as a parameter. Equal bodies are made once.
  StatusOr<hlo::ComputationPtr> body(const std::string& name, const Region& region);
  /// The shape of a value's type.
  StatusOr<Shape> shape_of(ValueId value);
  StatusOr<Shape> argument_shape(ValueId value, uint32_t i, std::span<const Shape> arguments);
  Status translate_block(hlo::Builder& builder, const Region& region, std::vector<hlo::InstructionId>& results);
  Status translate_operation(hlo::Builder& builder, const Operation& operation);
  hlo::AnnotationsPtr annotations_of(LocationId location);
  /// An error with the name and source line of the innermost operation that it comes from.
  Status at(const Operation& operation, const Status& status);
};

/// The name of a function; empty for an operation without one.
std::string_view symbol_name(const ModuleTree& tree, const Operation& operation);
/// A plain value, or a tuple of several.
hlo::InstructionId packed(hlo::Builder& builder, std::span<const hlo::InstructionId> values);

}  // namespace hilo::stablehlo
