// SPDX-License-Identifier: Apache-2.0
// engine/scalar_program.h -- which computations are one function over scalars: comparators, combiners, loops in
// registers.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// True if every value is a scalar that has code, and every op is elementwise, a cast of bits, a tuple, a call, a loop
/// or a branch.
bool is_scalar_program(const hlo::Computation& computation);

/// True for these, and for functions of scalars that compute with small arrays in between: what compares, combines and
/// chooses elements as one compiled function.
bool is_scalar_function(const hlo::Computation& computation);

}  // namespace hilo::engine
