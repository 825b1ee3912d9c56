// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/print_attribute.h -- attributes as MLIR writes them.
#pragma once

#include <span>

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// `{a = 1 : i64, b = "x"}`, `[1.5 : f32]`, `@f`, `dense<[1, 2]> : tensor<2xi32>`, ... `name` is that of an operation's
/// attribute: lists of truth values and words of enums are spelled by it.
std::string print_attribute(const ModuleTree& tree, const Attribute& attribute, std::string_view name = {});

/// The elements between the brackets of dense<...>: one for all, nested lists, or hexadecimal bytes where there are many.
std::string print_elements(const Literal& literal);

/// In double quotes, with MLIR's escapes.
std::string quoted_mlir(std::string_view text);

/// `@f`, in quotes where the name needs them.
std::string print_symbol(std::string_view name);

/// `[1, 2]`
std::string print_list(std::span<const int64_t> values);

}  // namespace hilo::stablehlo
