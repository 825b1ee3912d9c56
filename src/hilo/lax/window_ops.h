// SPDX-License-Identifier: Apache-2.0
// lax/window_ops.h -- one thin bind wrapper per windowed op, for wrappers and rules. Not for users.
#pragma once

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/window.h"
#include "hilo/trace/trace.h"

namespace hilo::ops {

std::vector<Array> reduce_window(std::vector<Array> arrays, std::span<const Array> initials, hlo::Window window,
                                 hlo::ComputationPtr body);
Array window_sum(const Array& x, hlo::Window window);
/// Scatters by addition; the result starts from 0.
Array select_and_scatter_add(const Array& operand, const Array& source, hlo::Window window, hlo::ComputationPtr select);
Array select_and_gather_add(const Array& tangents, const Array& operand, hlo::Window window,
                            hlo::ComputationPtr select);
/// Binds cumsum or another running reduction: an opcode of hlo/ir/extensions.h.
Array cumulative(hlo::Opcode opcode, const Array& x, int64_t axis, bool reverse);
/// Returns the computation compare(x, y) over scalars.
hlo::ComputationPtr comparison(hlo::ComparisonDirection direction, ElementType type);

}  // namespace hilo::ops
