// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/async.h -- ops that say when something happens, and what they become here, where all happens in order: a start
// computes, an update and a done pass on what it computed.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

const OpDef& after_all_op();
const OpDef& add_dependency_op();
const OpDef& copy_start_op();
const OpDef& copy_done_op();
/// async-start and the forms `call-start`, `add-start` that XLA writes for it. RawAttributes.
const OpDef& async_start_op();
const OpDef& async_update_op();
const OpDef& async_done_op();
// Attributes as those of the op that they start.
const OpDef& all_reduce_start_op();
const OpDef& all_reduce_done_op();
const OpDef& all_gather_start_op();
const OpDef& all_gather_done_op();
const OpDef& collective_permute_start_op();
const OpDef& collective_permute_done_op();

}  // namespace hilo::hlo
