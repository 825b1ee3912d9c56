// SPDX-License-Identifier: Apache-2.0
// pjrt/custom_partitions.h -- partitions custom calls by functions that callers have registered.
#pragma once

#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// Returns the translation options, with the targets of registered partitioners and those of a saved program's answers.
stablehlo::TranslateOptions options_for_partitions(const stablehlo::ModuleTree& tree, const Program& program);

/// Replaces custom calls of registered targets by manual computations, which their partitioners create for the
/// propagated shardings. Returns `module` unchanged for one device or without such calls. The answers are stored in the
/// program; those of a saved program are used instead of a query. Must be called after read_facts.
/// Errors    those of propagation, ask_partition and translate; UNIMPLEMENTED for programs of several replicas, and for
///           calls inside manual computations whose partitioners shard arrays
StatusOr<hlo::Module> with_custom_partitions(const stablehlo::ModuleTree& tree, hlo::Module module, Program& program);

}  // namespace hilo::pjrt
