// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/operations.h -- helpers for the columns of operations.inc.
#pragma once

#include <string>
#include <string_view>

namespace hilo::stablehlo {

/// Returns a row's name in the tree: "stablehlo.add" for "add".
std::string in_tree(std::string_view name);

/// Returns the text before the first `separator`. `text` becomes the rest, without leading blanks.
std::string_view take_until(std::string_view& text, char separator);

}  // namespace hilo::stablehlo
