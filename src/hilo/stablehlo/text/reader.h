// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/reader.h -- MLIR text to a module tree.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Reads a module as MLIR prints it, in the generic form of any operation and in the pretty forms of stablehlo, chlo,
/// func, check, sdy and builtin. Text without `module` around its functions gets one.
/// `source` names the text in messages; [begin, end) bounds what is read of it.
/// Errors    INVALID_ARGUMENT "m.mlir:7:3: ..." for what is no MLIR; UNIMPLEMENTED for pretty forms of other dialects and
///           for regions of several blocks; RESOURCE_EXHAUSTED without memory
/// Cost      linear in the text; memory is bounded by it: a splat is one element, whatever its type
StatusOr<ModuleTree> read_text(std::string_view text, std::string_view source, size_t begin = 0,
                               size_t end = std::string_view::npos);

/// Where the parts of a file that `// -----` divides begin and end.
std::vector<std::pair<size_t, size_t>> split_text(std::string_view text);

}  // namespace hilo::stablehlo
