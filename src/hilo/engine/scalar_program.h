// SPDX-License-Identifier: Apache-2.0
// engine/scalar_program.h -- recognizes computations that compile to one function over scalars: comparators, combiners,
// loops in registers.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// Whether every value is a scalar of a type with code, and every op is elementwise, a bit cast, a tuple, a call, a
/// loop or a branch.
bool is_scalar_program(const hlo::Computation& computation);

/// Whether the computation compiles to one function that compares, combines or chooses elements. It may be a scalar
/// program, or compute with small arrays in between.
bool is_scalar_function(const hlo::Computation& computation);

}  // namespace hilo::engine
