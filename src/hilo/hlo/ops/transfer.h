// SPDX-License-Identifier: Apache-2.0
// hlo/ops/transfer.h -- ops that exchange data with a host or another device during a run: infeed, outfeed, send, recv.
// hilo reads, checks and writes them; its backends reject them, because there is no other side.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

// All have RawAttributes.
const OpDef& infeed_op();
const OpDef& outfeed_op();
const OpDef& send_op();
const OpDef& send_done_op();
const OpDef& recv_op();
const OpDef& recv_done_op();

/// Returns whether `opcode` is one of these.
bool is_transfer(Opcode opcode);

}  // namespace hilo::hlo
