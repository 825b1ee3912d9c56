// SPDX-License-Identifier: Apache-2.0
// hlo/proto/reader.h -- HloModuleProto, or the HloProto that XLA's dumps hold, to a module.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Whether `bytes` begin as an HloModuleProto or HloProto does, and not as text.
bool is_proto(std::string_view bytes);

/// Reads a module as XLA or to_proto wrote it: called computations before their callers, operands before their users.
/// Every instruction is checked against its op's shape rule, as parse_module does. The configuration of
/// partitioning, and metadata that HLO text has no key for, is left out.
/// Errors    INVALID_ARGUMENT for bytes that are no module, with message, field and byte, or with the instruction;
///           UNIMPLEMENTED for parts of HLO that this version doesn't know; RESOURCE_EXHAUSTED without memory
/// Cost      linear in the bytes; memory is bounded by a multiple of them
StatusOr<Module> from_proto(std::string_view bytes);

}  // namespace hilo::hlo
