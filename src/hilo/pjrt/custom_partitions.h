// SPDX-License-Identifier: Apache-2.0
// pjrt/custom_partitions.h -- a program whose custom calls callers partition by functions of their own.
#pragma once

#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// How the tree is to be translated for that: with the targets that callers registered, and those that a saved program
/// has answers for.
stablehlo::TranslateOptions options_for_partitions(const stablehlo::ModuleTree& tree, const Program& program);

/// The module that the tree was translated to so, or one in which custom calls of registered targets are computations
/// by hand: what their partitioners give for the shardings that propagation finds. The answers go into the program;
/// those that a saved program has are taken instead of asking. A program of one device, or without such calls, is as it
/// is. After read_facts.
/// Errors    those of propagation, ask_partition and translate; UNIMPLEMENTED for programs of several replicas, and for
///           calls inside computations by hand whose partitioners share arrays
StatusOr<hlo::Module> with_custom_partitions(const stablehlo::ModuleTree& tree, hlo::Module module, Program& program);

}  // namespace hilo::pjrt
