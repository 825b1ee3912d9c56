// SPDX-License-Identifier: Apache-2.0
// lax/special.h -- functions of jax.lax that are no HLO op.
#pragma once

#include "hilo/trace/array.h"

namespace hilo::lax {

// The elementwise extension ops, lax::erf_inv(x), ..., by their names in jax.lax.
//   Shapes     all operands have one shape, which is the result's
//   Types      as the row of hlo/ops/extensions.inc says; nothing is promoted
//   Errors     INVALID_ARGUMENT if shapes or types differ
#define HILO_LAX_1(name) Array name(const Operand& x);
#define HILO_LAX_2(name) Array name(const Operand& x, const Operand& y);
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, arity, ...) HILO_LAX_##arity(name)
#include "hilo/hlo/ops/extensions.inc"
#undef HILO_LAX_1
#undef HILO_LAX_2

/// The k greatest elements of each row along `axis`, in falling order, and where they stand.
///   Types      integers and floats -> the same, s32. NaN counts as greater than all numbers, -0 as less than 0; of equal
///              elements the first comes first
///   Errors     INVALID_ARGUMENT for k out of 0..extent
///   Example    top_k(numpy::array({1.0, 4.0, 2.0}), 2) gives {[4, 2], [1, 2]}
struct TopK {
  Array values, indices;
};
TopK top_k(const Operand& x, int64_t k, int64_t axis = -1);

/// `values` reordered as a stable ascending sort of `keys` along `axis` reorders them.
Array sort_key_value(const Operand& keys, const Operand& values, int64_t axis);

}  // namespace hilo::lax
