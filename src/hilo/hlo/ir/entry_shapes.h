// SPDX-License-Identifier: Apache-2.0
// hlo/ir/entry_shapes.h -- how a program's arguments and result lie in the memory of its caller.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// The entry's parameters and result as callers have them: the layouts of the module outrank those of its instructions.
std::vector<Shape> entry_parameter_shapes(const Module& module);
Shape entry_result_shape(const Module& module);

/// The module with other layouts of arguments and result. Inside nothing changes: engines compute row-major and copy at the
/// edge.
/// Precondition: the shapes are compatible with the entry's.
Module with_entry_shapes(Module module, std::span<const Shape> parameters, const Shape& result);

}  // namespace hilo::hlo
