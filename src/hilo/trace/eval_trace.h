// SPDX-License-Identifier: Apache-2.0
// trace/eval_trace.h -- the bottom trace: runs every operation at once, through a memoised compiled primitive.
#pragma once

#include "hilo/trace/trace.h"

namespace hilo {

/// The one bottom trace of the process.
Trace& eval_trace();

}  // namespace hilo
