// SPDX-License-Identifier: Apache-2.0
// hlo/ir/module.h -- a whole program: an entry computation and its module attributes.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// One entry of `input_output_alias={ {0}: (1, {}, may-alias) }`: a result reuses the memory of a donated parameter.
struct Alias {
  std::vector<int64_t> result_index;  ///< path into the result tuple
  int64_t parameter_number = 0;
  std::vector<int64_t> parameter_index;  ///< path into the parameter, if it is a tuple
  bool must_alias = false;
  bool operator==(const Alias&) const = default;
};

/// The program is everything that is reachable from `entry`; passes replace `entry`.
struct Module {
  std::string name;
  ComputationPtr entry;
  std::vector<Alias> aliases;
  /// Layouts that callers must use. If absent, those of the parameters' and the result's shapes.
  std::optional<std::vector<Shape>> entry_parameter_layouts;
  std::optional<Shape> entry_result_layout;
  /// Module attributes that hilo stores but doesn't use (replica_count=.., is_scheduled=..), as written.
  std::vector<std::pair<std::string, std::string>> other_attributes;
};

/// Returns every reachable computation once: callees before their callers, the entry last.
std::vector<ComputationPtr> computations_of(const Module& module);
std::vector<ComputationPtr> computations_of(const ComputationPtr& entry);

/// Rewrites every distinct reachable computation once, callees first, and returns whether the entry changed. `rewrite`
/// receives a computation whose called computations are already rewritten. It returns the new one, or the same pointer
/// for "no change".
StatusOr<bool> rewrite_computations(Module& module,
                                    const std::function<StatusOr<ComputationPtr>(const ComputationPtr&)>& rewrite);

/// Checks that aliases and entry layouts fit the entry computation. Precondition: the entry isn't null.
/// Errors    INVALID_ARGUMENT
Status check_entry_facts(const Module& module);

/// Returns whether instructions are stored in execution order. Compilers schedule a program after layout assignment, so
/// the layouts of fused computations are valid only in scheduled programs.
bool is_scheduled(const Module& module);

/// Returns the number of instructions in all reachable computations.
int64_t instruction_count(const Module& module);

}  // namespace hilo::hlo
