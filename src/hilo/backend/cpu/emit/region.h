// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region.h -- vector code for a region: loops over its domain, stages over its row.
#pragma once

#include <string>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/engine/target.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

using namespace engine;  // NOLINT: this back end is written in the engine's words

RegionShape shape_of_region(const Region& region, Isa isa);

/// Emits the function `name`, a RegionKernel, into a module that compile_code has made.
/// Errors    UNIMPLEMENTED or INTERNAL from emit_elementwise
Status emit_region(llvm::Module& module, Isa isa, const Region& region, const std::string& name);

}  // namespace hilo::cpu
