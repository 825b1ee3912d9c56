// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/out_of_memory.h"

namespace hilo {
namespace {

// Never destroyed: errors may be created while the process ends.
const Status& made_beforehand() {
  static const auto* const status = new Status(resource_exhausted("out of memory: operator new failed"));
  return *status;
}

[[maybe_unused]] const Status& at_load = made_beforehand();

}  // namespace

Status out_of_memory() { return made_beforehand(); }

}  // namespace hilo
