// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/rows.h -- the functions that write the instructions of an opcode: columns of tree/operations.inc.
#pragma once

#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

/// Writes an instruction as the operation of the row. Returns false if the instruction needs another row.
using Inverse = StatusOr<bool> (*)(const WriteContext&);

Inverse inverse_of(const OpRow& row);

/// Returns the rows for an opcode, those of StableHLO before those of CHLO.
std::span<const OpRow* const> rows_of(hlo::Opcode opcode);

}  // namespace hilo::stablehlo
