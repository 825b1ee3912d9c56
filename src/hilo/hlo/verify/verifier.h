// SPDX-License-Identifier: Apache-2.0
// hlo/verify/verifier.h -- whether a module is what the rest of the engine takes for granted.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Checks every reachable computation: operands come before their users, attributes and called computations are there,
/// names are unique, parameters are numbered, every instruction has the shape that its op's rule gives; and that
/// aliases and entry layouts fit the entry. Calls can't be recursive: a computation holds the ones it calls. Errors
/// INVALID_ARGUMENT "computation 'main': add 'x' (f.py:3): ..." Cost      linear in the instructions
Status verify(const Module& module);

/// One computation; those that it calls are not looked into.
Status verify_computation(const Computation& computation);

}  // namespace hilo::hlo
