// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/program_signature.h"

namespace hilo {

ProgramSignature signature_of(const hlo::Module& module) {
  ProgramSignature signature;
  signature.name = module.name;
  for (const hlo::InstructionId id : module.entry->parameters()) {
    const hlo::Instruction& parameter = module.entry->instruction(id);
    for (const Shape& leaf : parameter.shape.leaves()) {
      signature.argument_shapes.push_back(leaf);
      signature.argument_names.push_back(parameter.name);
    }
  }
  signature.result_shape = module.entry->result_shape();
  signature.result_shapes = signature.result_shape.leaves();
  return signature;
}

}  // namespace hilo
