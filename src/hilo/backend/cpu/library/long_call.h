// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/long_call.h -- runs calls of a library that can't be interrupted, in programs that can be.
#pragma once

#include <functional>
#include <vector>

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// A call of library code on buffers, operands first. `run` is copied and owns everything else that it needs, because
/// it may outlive the program.
struct LongCall {
  std::function<Status(void* const* buffers)> run;
  std::vector<size_t> operand_bytes, result_bytes;
  double work = 0;  ///< approximate number of multiplications
};

/// Whether run_long_call runs a call of that many multiplications on a separate thread. Otherwise it calls
/// run(buffers), and the caller needs no LongCall.
bool runs_apart(double work, const CallContext& context);

/// Runs the call. If the program can be stopped and the work is long, it runs on a separate thread and on copies of the
/// buffers. A stop then takes effect at once: the call ends later and its results are discarded. The process waits for
/// it before it ends.
/// Errors    those of the call; RESOURCE_EXHAUSTED without memory for the copies; those of stop_status
Status run_long_call(const LongCall& call, void* const* buffers, const CallContext& context);

/// Returns the number of running calls whose caller has stopped.
int64_t abandoned_calls();

}  // namespace hilo::cpu
