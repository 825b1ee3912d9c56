// SPDX-License-Identifier: Apache-2.0
// hlo/proto/writer.h -- modules as HloModuleProto; XLA and read_proto read it back.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// The bytes of the module's HloModuleProto: every computation that its entry needs, called ones first. Names become
/// unique in the module and plain ASCII. Extension ops become composite calls with a decomposition, as in HLO text.
/// Example   HILO_ASSIGN_OR_RETURN(const std::string bytes, to_proto(module));
/// Errors    UNIMPLEMENTED naming the instruction and what of it has no form in the message
StatusOr<std::string> to_proto(const Module& module);

}  // namespace hilo::hlo
