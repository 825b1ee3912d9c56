// SPDX-License-Identifier: Apache-2.0
// hlo/ops/transfer.h -- ops that exchange data with a host or another device during a run: infeed, outfeed, send, recv.
// hilo reads, checks and writes them; its backends reject them, because there is no other side.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

// All have RawAttributes.

/// Returns whether `opcode` is one of these.
bool is_transfer(Opcode opcode);

}  // namespace hilo::hlo
