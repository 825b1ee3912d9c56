// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/region.h -- vector code for a region, as a function.
#pragma once

#include <string>

#include "hilo/backend/cpu/emit/region/node_traits.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// Emits the function `name`, a RegionKernel, into a module of compile_code.
/// Errors    those of emit_loops
Status emit_region(llvm::Module& module, Isa isa, const Region& region, const std::string& name);

/// Returns the function `region` as LLVM IR text, as the code generator receives it: for tests and readers.
StatusOr<std::string> region_text(const Region& region, Isa isa);

}  // namespace hilo::cpu
