// SPDX-License-Identifier: Apache-2.0
// lax/plain_control_flow.h -- branches and loops as those of C++, under disable_jit. Not for users.
#pragma once

#include "hilo/lax/control_flow.h"

namespace hilo::lax::detail {

/// The value of an integer or boolean scalar; nullopt if it has none to look at, as under vmap.
std::optional<int64_t> known_scalar(const Array& x);

/// The loop, step by step; nullopt if the condition has no value to look at.
std::optional<std::vector<Array>> plain_while_loop(const FlatFunction& condition, const FlatFunction& body,
                                                   std::span<const Array> initial);

/// Errors    INVALID_ARGUMENT for no steps that would give ys: their type isn't known then
ScanResult plain_scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs, int64_t length,
                      bool reverse, const std::source_location& location);

/// Row `i` of the leading axis, without it; and rows with a new leading axis.
Array row(const Array& x, int64_t i);
Array stacked_rows(std::span<const Array> rows);

}  // namespace hilo::lax::detail
