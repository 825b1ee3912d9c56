// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/print_attribute.h -- prints attributes as MLIR text.
#pragma once

#include <span>

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns `{a = 1 : i64, b = "x"}`, `[1.5 : f32]`, `@f`, `dense<[1, 2]> : tensor<2xi32>`, ... `name` is that of an
/// operation's attribute; it determines the form of lists of truth values and of enum values.
std::string print_attribute(const ModuleTree& tree, const Attribute& attribute, std::string_view name = {});

/// Returns the elements between the brackets of dense<...>: a single one for all, nested lists, or hexadecimal bytes if
/// there are many.
std::string print_elements(const Literal& literal);

/// Returns a string in double quotes with MLIR's escapes.
std::string quoted_mlir(std::string_view text);

/// Returns `@f`, quoted if the name requires it.
std::string print_symbol(std::string_view name);

/// Returns `[1, 2]`.
std::string print_list(std::span<const int64_t> values);

}  // namespace hilo::stablehlo
