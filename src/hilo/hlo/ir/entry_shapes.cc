// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/entry_shapes.h"

#include <algorithm>

namespace hilo::hlo {

std::vector<Shape> entry_parameter_shapes(const Module& module) {
  return module.entry_parameter_layouts ? *module.entry_parameter_layouts : module.entry->parameter_shapes();
}

Shape entry_result_shape(const Module& module) {
  return module.entry_result_layout ? *module.entry_result_layout : module.entry->result_shape();
}

Module with_entry_shapes(Module module, std::span<const Shape> parameters, const Shape& result) {
  module.entry_parameter_layouts.reset();
  module.entry_result_layout.reset();
  if (std::ranges::equal(module.entry->parameter_shapes(), parameters) && module.entry->result_shape() == result)
    return module;
  module.entry_parameter_layouts.emplace(parameters.begin(), parameters.end());
  module.entry_result_layout = result;
  return module;
}

}  // namespace hilo::hlo
