// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/async.h -- asynchronous ops. In hilo all ops run in order: a start computes; an update and a done return
// its result.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

const OpDef& after_all_op();
const OpDef& add_dependency_op();
const OpDef& copy_start_op();
const OpDef& copy_done_op();
/// async-start and XLA's forms `call-start`, `add-start` of it. RawAttributes.
const OpDef& async_start_op();
const OpDef& async_update_op();
const OpDef& async_done_op();
// The attributes are those of the op that is started.
const OpDef& all_reduce_start_op();
const OpDef& all_reduce_done_op();
const OpDef& all_gather_start_op();
const OpDef& all_gather_done_op();
const OpDef& collective_permute_start_op();
const OpDef& collective_permute_done_op();

}  // namespace hilo::hlo
