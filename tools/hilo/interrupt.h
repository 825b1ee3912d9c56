// SPDX-License-Identifier: Apache-2.0
// tools/hilo/interrupt.h -- Ctrl-C, or no processor time left (ulimit -t): the running program is asked to stop, and
// the command ends soon whatever happens.
#pragma once

#include "hilo/device/cancellation.h"

namespace hilo::tool {

inline constexpr int kExitInterrupted = 130;  // 128 + SIGINT, as shells have it

/// From now on the first SIGINT or SIGXCPU cancels the token, and the process ends by itself or, 400 ms later, at once.
/// A second one ends it at once. Files are renamed into place, so none is left half-written at its name.
void catch_interrupts();

const CancellationToken& interrupt_token();
bool interrupted();
/// Interrupted because the process has used the processor time that it may.
bool out_of_processor_time();

}  // namespace hilo::tool
