// SPDX-License-Identifier: Apache-2.0
// hlo/verify/verifier.h -- checks the invariants of a module that the rest of the engine relies on.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Checks every reachable computation, aliases and entry layouts. In each computation operands come before their users,
/// attributes and called computations exist, names are unique, and parameters are numbered. Every instruction has the
/// shape that its op's rule computes. Calls can't be recursive: a computation owns the ones it calls.
/// Errors    INVALID_ARGUMENT "computation 'main': add 'x' (f.py:3): ..."
/// Cost      linear in the instructions
Status verify(const Module& module);

/// Checks one computation, without those that it calls.
Status verify_computation(const Computation& computation);

}  // namespace hilo::hlo
