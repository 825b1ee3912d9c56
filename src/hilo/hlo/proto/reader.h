// SPDX-License-Identifier: Apache-2.0
// hlo/proto/reader.h -- reads HloModuleProto, or the HloProto of XLA's dumps.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Returns whether `bytes` begin like an HloModuleProto or HloProto and not like text.
bool is_proto(std::string_view bytes);

/// Reads a module written by XLA or to_proto: callees before their callers, operands before their users. Every
/// instruction is checked by its op's shape rule, as in parse_module. The configuration of partitioning is left out,
/// and so is metadata without a key in HLO text.
/// Errors    INVALID_ARGUMENT for bytes that are no module, with message, field and byte, or with the instruction;
///           UNIMPLEMENTED for parts of HLO that this version lacks; RESOURCE_EXHAUSTED without memory
/// Cost      linear in the bytes; memory is bounded by a multiple of them
StatusOr<Module> from_proto(std::string_view bytes);

}  // namespace hilo::hlo
