// SPDX-License-Identifier: Apache-2.0
// import/symbolic.h -- sizes that jax.export left open: texts of symbols, solved for the shapes of a call.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/stablehlo/jax_export.h"
#include "hilo/types/shape.h"

namespace hilo {

/// What each symbol stands for.
using Symbols = std::map<std::string, int64_t, std::less<>>;

/// The number that a size is: "2*b + 1", "floordiv(n, 2)", "max(0, a - b^2)".
/// Errors    INVALID_ARGUMENT for text that is none, numbers past int64, division by zero; NOT_FOUND for other symbols
StatusOr<int64_t> evaluate_size(std::string_view text, const Symbols& symbols);

/// The symbols in a size, each once.
StatusOr<std::vector<std::string>> symbols_in(std::string_view text);

/// Finds the symbols for which the values have these shapes: those that stand alone, then those that are linear in a size
/// whose other symbols are known, as JAX does.
/// Errors    INVALID_ARGUMENT naming the value whose rank, type or size doesn't fit; UNIMPLEMENTED if a symbol can't be solved
StatusOr<Symbols> solve_sizes(const std::vector<stablehlo::ExportedValue>& values, std::span<const Shape> shapes);

/// The same function for one choice of symbols: all sizes are numbers, also in its derivatives.
StatusOr<stablehlo::JaxExport> with_sizes(const stablehlo::JaxExport& exported, const Symbols& symbols);

}  // namespace hilo
