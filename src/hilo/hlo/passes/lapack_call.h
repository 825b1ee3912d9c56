// SPDX-License-Identifier: Apache-2.0
// hlo/passes/lapack_call.h -- custom calls of LAPACK, as JAX writes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/linalg.h"

namespace hilo::hlo {

/// A call of LAPACK: its routine without the type's letter ("potrf"), and its dictionary.
struct LapackCall {
  const Instruction* instruction = nullptr;
  std::string routine;
  std::vector<CustomCallAttribute> attributes;

  /// Returns an entry of type ui8 as a letter; 0 if it is missing.
  char letter(std::string_view name) const;
};

/// Returns the call if the instruction's target is lapack_?NAME_ffi.
std::optional<LapackCall> lapack_call(const Instruction& i);

/// Returns what a call of trsm solves.
TriangularSolveAttributes triangular_solve_of(const LapackCall& call);

}  // namespace hilo::hlo
