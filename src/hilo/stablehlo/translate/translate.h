// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/translate.h -- translates a module tree of StableHLO or VHLO to HLO.
#pragma once

#include <map>

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/sharding.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// The comparison of a check.expect_* operation. Its operands are results of the translated program.
enum class CheckKind : uint8_t { kEqual, kAlmostEqual, kClose };

struct Check {
  CheckKind kind = CheckKind::kEqual;
  std::string operation;            ///< "check.expect_close"
  size_t actual = 0, expected = 0;  ///< indices of results
  double tolerance = 0.001;         ///< for kAlmostEqual: the largest permitted difference
  int64_t min_ulp = 0, max_ulp = 3;
};

/// The program that every device runs in place of a custom call. Arguments and results are the device's parts.
struct CustomPartition {
  hlo::ComputationPtr body;  ///< works on parts; several results are a tuple
  std::vector<hlo::Sharding> operands, results;
};

struct TranslateOptions {
  /// Name of the entry function. Empty means `main`, or else the only function that isn't private.
  std::string function = {};
  /// Argument shapes of the entry. If present, unknown sizes in types are inferred from them, and calls are inlined.
  std::vector<Shape> arguments = {};
  /// If not null, the program's results are the values that its checks compare, and the checks are stored here. If
  /// null, checks are rejected.
  std::vector<Check>* checks = nullptr;
  /// Targets of custom calls with registered partitioners. Such a call is marked with the number of its operation,
  /// {hilo.operation="12"}.
  std::vector<std::string> partitioned_targets = {};
  /// Targets of custom calls that process the elements of a batch independently. Such a call with the frontend
  /// attribute num_batch_dims is marked with the number of leading batch dimensions, {hilo.batch_dims="1"}.
  std::vector<std::string> batched_targets = {};
  /// If not null, programs for these operations, which become manual computations.
  const std::map<OperationId, CustomPartition>* partitions = nullptr;
  /// Keeps the sinks of jax.lax.dce_sink(prevent_mlir_dce=True), whose operands are then computed.
  bool keeps_sinks = false;
  /// Number of devices for ids and collectives, which overrides the header; 0 uses the header's.
  int64_t devices = 0;
};

/// Translates the entry function and all functions that it calls. Every instruction is checked against its op's shape
/// rule. Functions and regions become computations; functions are called by `call`. Values that a region captures
/// become operands or, for constants, copies. Several results are a tuple. Shardings become frontend attributes.
/// Errors    NOT_FOUND for an unknown function; INVALID_ARGUMENT for programs that violate their ops' rules;
///           UNIMPLEMENTED naming ops and types that HLO lacks; FAILED_PRECONDITION for recursive functions
/// Cost      linear in the operations, times the depth of regions
StatusOr<hlo::Module> translate(const ModuleTree& tree, const TranslateOptions& options = {});

/// The types of the entry's arguments and results.
struct EntryTypes {
  std::string name;  ///< name of the module, or else of the function
  std::vector<Type> arguments, results;

  /// Returns whether a size of an argument is kDynamic, so that TranslateOptions::arguments is required.
  bool is_open() const;
};

/// Returns the types of the entry function that translate() selects.
/// Errors    NOT_FOUND and INVALID_ARGUMENT, like translate()
StatusOr<EntryTypes> entry_types(const ModuleTree& tree, const std::string& function = {});

struct FunctionInfo {
  std::string name;
  bool is_public = true;
  uint32_t argument_count = 0;
};

/// Returns the functions of the module, in order.
std::vector<FunctionInfo> functions_of(const ModuleTree& tree);

}  // namespace hilo::stablehlo
