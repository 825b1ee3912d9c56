// SPDX-License-Identifier: Apache-2.0
// hlo/proto/header.h -- what HloModuleProto holds beside computations: aliases, entry layouts, source locations, ...
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Appends the module's facts but for its computations and their schedule. Configuration that HloModuleProto has no
/// field for (replica_count, num_partitions, allow_spmd_...) is left out.
/// Errors    UNIMPLEMENTED for other attributes without a field
Status write_header(const Module& module, WireWriter& out);

/// Reads the same facts; the entry must be there.
Status read_header(const WireMessage& message, Module& module);

/// Whether instructions stand in the order in which they run.
bool is_scheduled(const Module& module);

}  // namespace hilo::hlo::proto
