// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/primitive_name.h"

#include "hilo/hlo/ir/extensions.h"

namespace hilo {

using hlo::Opcode;

std::string_view primitive_name(Opcode opcode) {
  switch (opcode) {
#define HILO_ELEMENTWISE(enumerator, name, lax_name, ...) \
  case Opcode::k##enumerator: return #lax_name;
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
    case Opcode::kDot: return "dot_general";
    case Opcode::kConvolution: return "conv_general_dilated";
    case Opcode::kDynamicSlice: return "dynamic_slice";
    case Opcode::kDynamicUpdateSlice: return "dynamic_update_slice";
    case Opcode::kReduceWindow: return "reduce_window";
    case Opcode::kTriangularSolve: return "triangular_solve";
    default: break;
  }
  std::string_view name = hlo::opcode_name(opcode);
  if (name.starts_with("hilo.")) name.remove_prefix(5);
  return name;
}

}  // namespace hilo
