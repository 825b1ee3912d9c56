// SPDX-License-Identifier: Apache-2.0
// hlo/ops/transfer.h -- ops that speak with a host or another device beside the arguments of a program: infeed, outfeed, send,
// recv. hilo reads, checks and writes them; its backends refuse them, since there is nobody on the other side.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

// RawAttributes, all of them.
const OpDef& infeed_op();
const OpDef& outfeed_op();
const OpDef& send_op();
const OpDef& send_done_op();
const OpDef& recv_op();
const OpDef& recv_done_op();

/// Whether `opcode` is one of these.
bool is_transfer(Opcode opcode);

}  // namespace hilo::hlo
