// SPDX-License-Identifier: Apache-2.0
// stablehlo/print_attribute.h -- attributes as MLIR writes them.
#pragma once

#include "hilo/stablehlo/module_tree.h"

namespace hilo::stablehlo {

/// `{a = 1 : i64, b = "x"}`, `[1.5 : f32]`, `@f`, ...; the elements of tensors as "...".
std::string print_attribute(const ModuleTree& tree, const Attribute& attribute);

}  // namespace hilo::stablehlo
