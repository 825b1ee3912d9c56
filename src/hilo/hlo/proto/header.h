// SPDX-License-Identifier: Apache-2.0
// hlo/proto/header.h -- the fields of HloModuleProto except computations: aliases, entry layouts, source locations, ...
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/proto/shapes.h"

namespace hilo::hlo::proto {

/// Returns the ProgramShapeProto of the entry, with its layouts and in these memories.
WireWriter write_entry_shape(const Module& module, const MemorySpaces& memories = {});

/// Appends the module's fields except its computations and their schedule. Configuration without a field in
/// HloModuleProto (replica_count, num_partitions, allow_spmd_...) is left out.
/// Errors    UNIMPLEMENTED for other attributes without a field
Status write_header(const Module& module, WireWriter& out);

/// Reads the same fields. Precondition: the module has its entry.
Status read_header(const WireMessage& message, Module& module);

}  // namespace hilo::hlo::proto
