// SPDX-License-Identifier: Apache-2.0
// hlo/ir/entry_shapes.h -- layouts of a program's arguments and result in the caller's memory.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Returns the shapes of the entry's parameters and result as callers see them. The module's layouts take precedence
/// over those of its instructions.
std::vector<Shape> entry_parameter_shapes(const Module& module);
Shape entry_result_shape(const Module& module);

/// Returns the module with other layouts of arguments and result. The instructions don't change: engines compute
/// row-major and copy at entry and exit. Precondition: the shapes are compatible with the entry's.
Module with_entry_shapes(Module module, std::span<const Shape> parameters, const Shape& result);

}  // namespace hilo::hlo
