// SPDX-License-Identifier: Apache-2.0
// hlo/proto/writer.h -- writes modules as HloModuleProto, which XLA and from_proto read.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Returns the bytes of the module's HloModuleProto, with every computation that its entry needs, callees first. Names
/// are made unique in the module and plain ASCII. Extension ops become composite calls with a decomposition, as in HLO
/// text.
/// Example   HILO_ASSIGN_OR_RETURN(const std::string bytes, to_proto(module));
/// Errors    UNIMPLEMENTED for values that the message can't represent; names the instruction
StatusOr<std::string> to_proto(const Module& module);

}  // namespace hilo::hlo
