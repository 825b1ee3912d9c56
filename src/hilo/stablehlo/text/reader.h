// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/reader.h -- reads MLIR text into a module tree.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Reads a module in MLIR's text format: the generic form of any operation, and the pretty forms of stablehlo, chlo,
/// func, check, sdy and builtin. Functions without a surrounding `module` get one. `source` names the text in messages;
/// [begin, end) is the range to read.
/// Errors    INVALID_ARGUMENT "m.mlir:7:3: ..." for invalid text; UNIMPLEMENTED for pretty forms of other dialects and
///           for regions with several blocks; RESOURCE_EXHAUSTED without memory
/// Cost      linear in the text, which also limits the memory: a splat is stored as one element
StatusOr<ModuleTree> read_text(std::string_view text, std::string_view source, size_t begin = 0,
                               size_t end = std::string_view::npos);

/// Returns the ranges of the parts of a file that `// -----` separates.
std::vector<std::pair<size_t, size_t>> split_text(std::string_view text);

}  // namespace hilo::stablehlo
