// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/long_call.h -- calls of a library that can't be interrupted, for programs that can.
#pragma once

#include <functional>
#include <vector>

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// A call of library code on buffers, operands first. `run` owns all that it needs beside them, for it may outlive the
/// program: it is copied.
struct LongCall {
  std::function<Status(void* const* buffers)> run;
  std::vector<size_t> operand_bytes, result_bytes;
  double work = 0;  ///< multiplications, about
};

/// Whether run_long_call runs a call of so many multiplications apart; else it is run(buffers), and who knows that makes no
/// LongCall.
bool runs_apart(double work, const CallContext& context);

/// Runs the call. Where the program can be stopped and the work is long, it runs on a thread of its own and on copies of the
/// buffers, so that a stop is seen at once: then the call ends by itself later, and nobody reads its results. The process
/// ends after it.
/// Errors    those of the call; RESOURCE_EXHAUSTED without memory for the copies; those of stop_status
Status run_long_call(const LongCall& call, void* const* buffers, const CallContext& context);

/// Calls that nobody waits for any more.
int64_t abandoned_calls();

}  // namespace hilo::cpu
