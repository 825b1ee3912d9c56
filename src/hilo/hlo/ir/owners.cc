// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/owners.h"

namespace hilo::hlo {

Owners owners_of(const Module& module) {
  Owners owners;
  for (const ComputationPtr& computation : computations_of(module)) {
    for (const Instruction& i : computation->instructions()) owners[&i] = computation.get();
  }
  return owners;
}

}  // namespace hilo::hlo
