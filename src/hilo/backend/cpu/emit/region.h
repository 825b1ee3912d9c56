// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region.h -- vector code for a region: loops over its domain, stages over its row.
#pragma once

#include <string>

#include "hilo/backend/cpu/isa.h"
#include "hilo/backend/cpu/regions.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// What compiled code looks like: buffers are the region's inputs, then its outputs; [begin, end) is the part of the
/// outermost outer dimension to compute (ignored if there is none).
using RegionKernel = void (*)(void* const* buffers, int64_t begin, int64_t end);

/// How the loops of a region are cut into vectors; decided before emission because memory planning asks too.
struct RegionShape {
  size_t vector_dimension = 0;  ///< meaningless for a domain without dimensions
  int lanes = 1;
  /// The last vector of a line, or the last block, overlaps the one before: elements may be computed twice, so not in
  /// place.
  bool overlaps = false;
  /// Of a matrix product: this many indices of the dimension before the vectors' are computed at once, so that what is
  /// loaded serves all of them. Parts of the outermost dimension are never smaller.
  int block_rows = 1;
};
RegionShape shape_of_region(const Region& region, Isa isa);

/// Emits the function `name` into a module that compile_code has made.
/// Errors    UNIMPLEMENTED or INTERNAL from emit_elementwise
Status emit_region(llvm::Module& module, Isa isa, const Region& region, const std::string& name);

}  // namespace hilo::cpu
