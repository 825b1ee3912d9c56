// SPDX-License-Identifier: Apache-2.0
// import/symbolic.h -- symbolic sizes of jax.export, solved for the shapes of a call.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/stablehlo/jax_export.h"
#include "hilo/types/shape.h"

namespace hilo {

/// The value of each symbol.
using Symbols = std::map<std::string, int64_t, std::less<>>;

/// Evaluates a size: "2*b + 1", "floordiv(n, 2)", "max(0, a - b^2)".
/// Errors    INVALID_ARGUMENT for invalid text, numbers beyond int64, division by zero; NOT_FOUND for unknown symbols
StatusOr<int64_t> evaluate_size(std::string_view text, const Symbols& symbols);

/// Returns the distinct symbols in a size.
StatusOr<std::vector<std::string>> symbols_in(std::string_view text);

/// Finds the symbols for which the values have these shapes. As JAX does, first uses symbols that are a whole size,
/// then sizes that are linear in one unknown symbol.
/// Errors    INVALID_ARGUMENT with the value whose rank, type or size doesn't match; UNIMPLEMENTED if a symbol cannot
///           be solved
StatusOr<Symbols> solve_sizes(const std::vector<stablehlo::ExportedValue>& values, std::span<const Shape> shapes);

/// Returns the function for one choice of symbols: all sizes are numbers, also in its derivatives.
StatusOr<stablehlo::JaxExport> with_sizes(const stablehlo::JaxExport& exported, const Symbols& symbols);

}  // namespace hilo
