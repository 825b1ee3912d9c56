// SPDX-License-Identifier: Apache-2.0
// lax/special.h -- functions of jax.lax that are not HLO operations.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

// The elementwise extension ops, lax::erf_inv(x), ..., with their names in jax.lax.
//   Shapes     as elementwise functions
//   Types      as the row of hlo/ir/extensions.inc specifies; nothing is promoted
//   Errors     INVALID_ARGUMENT if shapes or types differ
#define HILO_LAX_1(name) Array name(const Operand& x);
#define HILO_LAX_2(name) Array name(const Operand& x, const Operand& y);
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, arity, ...) HILO_LAX_##arity(name)
#include "hilo/hlo/ir/extensions.inc"
#undef HILO_LAX_1
#undef HILO_LAX_2

}  // namespace hilo::lax
