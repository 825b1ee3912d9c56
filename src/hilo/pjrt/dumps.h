// SPDX-License-Identifier: Apache-2.0
// pjrt/dumps.h -- XLA's dumps of compiled programs: xla_dump_to in compiler_options or XLA_FLAGS.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/pjrt/compile_request.h"

namespace hilo::pjrt {

/// Writes the module before and after the engine's passes to the request's folder, which is created, as
/// module_0001.NAME.before_optimizations.txt and module_0001.NAME.after_optimizations.txt, or .hlo.pb. Modules are
/// numbered in the process. Does nothing without a folder. A program that the engine doesn't show has only the first
/// file. A failure is logged as a warning.
void dump_program(const DumpRequest& request, const hlo::Module& before, const hlo::Module* after);

}  // namespace hilo::pjrt
