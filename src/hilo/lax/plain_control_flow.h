// SPDX-License-Identifier: Apache-2.0
// lax/plain_control_flow.h -- branches and loops as C++ control flow, under disable_jit. Not for users.
#pragma once

#include "hilo/lax/control_flow.h"

namespace hilo::lax::detail {

/// Returns the value of an integer or boolean scalar; nullopt if it is unknown, as under vmap.
std::optional<int64_t> known_scalar(const Array& x);

/// Runs the loop step by step; returns nullopt if the condition has no known value.
std::optional<std::vector<Array>> plain_while_loop(const FlatFunction& condition, const FlatFunction& body,
                                                   std::span<const Array> initial);

/// Runs the scan step by step.
/// Errors     INVALID_ARGUMENT for zero steps with ys, because the type of ys is then unknown
ScanResult plain_scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs, int64_t length,
                      bool reverse, const std::source_location& location);

/// Return row `i` of the leading axis, without it; and rows stacked along a new leading axis.
Array row(const Array& x, int64_t i);
Array stacked_rows(std::span<const Array> rows);

}  // namespace hilo::lax::detail
