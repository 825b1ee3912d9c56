// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/translate.h -- a module tree of StableHLO or VHLO to HLO.
#pragma once

#include <map>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/sharding.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// What a check.expect_* asks. Its operands are results of the translated program.
enum class CheckKind : uint8_t { kEqual, kAlmostEqual, kClose };

struct Check {
  CheckKind kind = CheckKind::kEqual;
  std::string operation;            ///< "check.expect_close"
  size_t actual = 0, expected = 0;  ///< numbers of results
  double tolerance = 0.001;         ///< of kAlmostEqual: largest difference
  int64_t min_ulp = 0, max_ulp = 3;
};

/// What every device does in place of a custom call: it takes its parts of the operands and gives its parts of the results.
struct CustomPartition {
  hlo::ComputationPtr body;  ///< of parts; several results are a tuple
  std::vector<hlo::Sharding> operands, results;
};

struct TranslateOptions {
  /// The function to make the entry; empty: `main`, or else the only one that isn't private.
  std::string function = {};
  /// Of the entry: the shapes that it is called with. Where they are given, sizes that types leave unknown follow from them.
  /// Calls are then inlined.
  std::vector<Shape> arguments = {};
  /// Not null: the program's results are what its checks compare, and the checks go here. Null: checks are refused.
  std::vector<Check>* checks = nullptr;
  /// Targets of custom calls that somebody partitions: such a call says which operation it is, {hilo.operation="12"}.
  std::vector<std::string> partitioned_targets = {};
  /// Targets of custom calls that treat each element of their batch by itself: such a call says of how many leading dimensions
  /// the batch is, {hilo.batch_dims="1"}, where it has the frontend attribute num_batch_dims.
  std::vector<std::string> batched_targets = {};
  /// Not null: what stands for these operations, which become computations by hand.
  const std::map<OperationId, CustomPartition>* partitions = nullptr;
  /// Of how many devices the ids and collectives are, whatever the header says; 0: as it says.
  int64_t devices = 0;
};

/// Translates the entry function and all that it calls. Every instruction is checked against its op's shape rule. Functions
/// become computations, called by `call`; regions become computations; values that a region takes from outside become
/// operands, or constants of its own. Several results are a tuple. Shardings are kept as frontend attributes.
/// Errors    NOT_FOUND for a function that isn't there; INVALID_ARGUMENT for programs that break their ops' rules;
///           UNIMPLEMENTED naming ops and types that HLO lacks; FAILED_PRECONDITION for functions that call themselves
/// Cost      linear in the operations, times the depth of regions
StatusOr<hlo::Module> translate(const ModuleTree& tree, const TranslateOptions& options = {});

/// What the types of a module's entry say of its arguments and results.
struct EntryTypes {
  std::string name;  ///< of the module, else of the function
  std::vector<Type> arguments, results;

  /// Whether a size of an argument is kDynamic: then TranslateOptions::arguments says which.
  bool is_open() const;
};

/// The types of the entry that translate() takes.
/// Errors    NOT_FOUND and INVALID_ARGUMENT as translate()
StatusOr<EntryTypes> entry_types(const ModuleTree& tree, const std::string& function = {});

struct FunctionInfo {
  std::string name;
  bool is_public = true;
  uint32_t argument_count = 0;
};

/// The functions of the module, in order.
std::vector<FunctionInfo> functions_of(const ModuleTree& tree);

}  // namespace hilo::stablehlo
