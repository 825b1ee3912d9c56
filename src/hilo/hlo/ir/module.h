// SPDX-License-Identifier: Apache-2.0
// hlo/ir/module.h -- a whole program: an entry computation and what surrounds it.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// One entry of `input_output_alias={ {0}: (1, {}, may-alias) }`: a donated parameter whose memory a result takes.
struct Alias {
  std::vector<int64_t> result_index;  ///< path into the result tuple
  int64_t parameter_number = 0;
  std::vector<int64_t> parameter_index;  ///< path into the parameter, if it is a tuple
  bool must_alias = false;
  bool operator==(const Alias&) const = default;
};

/// Passes replace `entry`; everything reachable from it is the program.
struct Module {
  std::string name;
  ComputationPtr entry;
  std::vector<Alias> aliases;
  /// Layouts that callers must use; the shapes of parameters and result if absent.
  std::optional<std::vector<Shape>> entry_parameter_layouts;
  std::optional<Shape> entry_result_layout;
  /// Module attributes that hilo carries and doesn't use (replica_count=.., is_scheduled=..), as written.
  std::vector<std::pair<std::string, std::string>> other_attributes;
};

/// Every reachable computation once, called ones before their callers, the entry last.
std::vector<ComputationPtr> computations_of(const Module& module);
std::vector<ComputationPtr> computations_of(const ComputationPtr& entry);

/// Rewrites every reachable computation, called ones first, each distinct one once: `rewrite` gets the computation with
/// its called computations already rewritten and returns the new one (or the same pointer for "no change").
/// Returns whether the entry changed.
StatusOr<bool> rewrite_computations(Module& module,
                                    const std::function<StatusOr<ComputationPtr>(const ComputationPtr&)>& rewrite);

/// Whether aliases and entry layouts fit the entry computation, which must be there.
/// Errors    INVALID_ARGUMENT
Status check_entry_facts(const Module& module);

/// Instructions in all reachable computations.
int64_t instruction_count(const Module& module);

}  // namespace hilo::hlo
