// SPDX-License-Identifier: Apache-2.0
// tools/hilo/interrupt.h -- handles Ctrl-C and the limit of CPU time (ulimit -t): the running program is cancelled, and
// the command ends soon in any case.
#pragma once

#include "hilo/device/cancellation.h"

namespace hilo::tool {

inline constexpr int kExitInterrupted = 130;  // 128 + SIGINT, the convention of shells

/// Installs the handlers. The first SIGINT or SIGXCPU cancels the token. If the process doesn't end by itself within
/// 400 ms, or at a second signal, it ends at once. Output files are renamed into place, so none is left half-written.
void catch_interrupts();

const CancellationToken& interrupt_token();
bool interrupted();
/// Returns whether the process was interrupted because its CPU time is used up.
bool out_of_processor_time();

}  // namespace hilo::tool
