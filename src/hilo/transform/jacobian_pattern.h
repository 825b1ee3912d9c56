// SPDX-License-Identifier: Apache-2.0
// transform/jacobian_pattern.h -- finds where the Jacobian of a function may be nonzero.
#pragma once

#include "hilo/trace/flat_function.h"
#include "hilo/transform/sparse_jacobian.h"

namespace hilo {

/// Returns a pattern that contains each entry of the Jacobian of `f` that is nonzero at any point. `f` maps a vector of
/// `columns` doubles to a vector of doubles. Entries are ordered by columns, then by rows.
///
/// In a program of float operations only, a NaN in an argument reaches each result that depends on it, whatever the
/// other values are. Such a program runs once for each argument, at two points, so that a NaN of another origin doesn't
/// count. If a choice depends on an argument (select, an index, the end of a loop), or an operation might stop a NaN,
/// the pattern is dense.
/// Errors     those of tracing and running `f`
/// Cost       2 `columns` runs, in one program
SparsityPattern jacobian_pattern(const FlatFunction& f, int64_t columns);

}  // namespace hilo
