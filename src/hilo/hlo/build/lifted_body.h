// SPDX-License-Identifier: Apache-2.0
// hlo/build/lifted_body.h -- bodies of scalars, such as reducers, applied to whole arrays.
#pragma once

#include "hilo/hlo/build/expr.h"

namespace hilo::hlo {

/// Returns whether the body has only elementwise ops, bitcasts and constants: it can be applied to whole arrays.
bool can_be_lifted(const Computation& body);

/// Applies the body to arrays of these sizes, one per parameter. Returns its results.
/// Precondition: can_be_lifted(body)
/// Example   max(a, b) of two f32[]: one f32[4,3] of two
Exprs lifted(Sink& sink, const Computation& body, std::span<const int64_t> sizes, const Exprs& arguments);

}  // namespace hilo::hlo
