// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/operations.h -- what the readers of operations.inc share.
#pragma once

#include <string>
#include <string_view>

namespace hilo::stablehlo {

/// The name that the tree has for a row's: "stablehlo.add" for "add".
std::string in_tree(std::string_view name);

/// What stands before the first `separator`; `text` keeps what stands behind it and the blanks that follow it.
std::string_view take_until(std::string_view& text, char separator);

}  // namespace hilo::stablehlo
