// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/program_signature.h"

#include "hilo/hlo/ir/entry_shapes.h"

namespace hilo {

ProgramSignature signature_of(const hlo::Module& module) {
  ProgramSignature signature;
  signature.name = module.name;
  int64_t number = 0;
  for (const Shape& shape : entry_parameter_shapes(module)) {
    const hlo::Instruction& parameter = module.entry->parameter(number++);
    for (const Shape& leaf : shape.leaves()) {
      signature.argument_shapes.push_back(leaf);
      signature.argument_names.push_back(parameter.name);
    }
  }
  signature.result_shape = entry_result_shape(module);
  signature.result_shapes = signature.result_shape.leaves();
  return signature;
}

}  // namespace hilo
